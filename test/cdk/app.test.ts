import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BacklogStack, readDeliverTo, readTrigger } from '../../cdk/backlog-stack.js';
import { CONTEXT } from '../../cdk/context.js';
import { Backlog } from '../../cdk/index.js';
import { rulesOf } from './support.js';

const URL = 'https://erp.example.com/orders';
const scratch = mkdtempSync(join(tmpdir(), 'backlog-cdk-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const execute = promisify(execFile);

/** Runs the app as the CDK's command line and the local runtime do. */
async function synthesize(name: string, context: object, args: string[]) {
  const outdir = join(scratch, name);
  const settings = Object.entries(process.env).filter(([key]) => !key.startsWith('AWS_'));
  const env = {
    ...Object.fromEntries(settings),
    CDK_OUTDIR: outdir,
    CDK_CONTEXT_JSON: JSON.stringify(context),
  };
  const { code, stderr } = await execute(process.execPath, args, { env }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    (error: { code: number; stderr: string }) => error,
  );
  return { code, stderr, outdir };
}

function templateIn(outdir: string) {
  return JSON.parse(readFileSync(join(outdir, 'DynamoBacklog.template.json'), 'utf8'));
}

describe('the app, run as a process', () => {
  it('synthesizes the same template, without credentials, compiled or from source', async () => {
    const [source, built] = await Promise.all([
      synthesize('source', { deliverTo: URL }, ['--import', 'tsx', 'cdk/app.ts']),
      synthesize('built', { deliverTo: URL }, ['dist/cdk/app.js']),
    ]);
    for (const { code, stderr } of [source, built]) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(templateIn(built.outdir)).toEqual(templateIn(source.outdir));
    expect(JSON.stringify(templateIn(built.outdir)).split(URL)).toHaveLength(3);
  });

  it('refuses what is no URL in one line, without a stack trace', async () => {
    const { code, stderr, outdir } = await synthesize('refused', { deliverTo: 'erp' }, ['dist/cdk/app.js']);
    expect(code).toBe(1);
    expect(stderr).toBe(
      'queues.default.deliverTo: expected a URL such as https://erp.example.com/orders, got "erp"\n',
    );
    expect(existsSync(join(outdir, 'manifest.json'))).toBe(false);
  });

  it('takes what starts the runs from its context', async () => {
    const { code, outdir } = await synthesize('scheduler', { deliverTo: URL, trigger: 'scheduler' }, [
      'dist/cdk/app.js',
    ]);
    expect(code).toBe(0);
    const { Resources, Outputs } = templateIn(outdir);
    const types = Object.values<{ Type: string }>(Resources).map(({ Type }) => Type);
    expect(types.filter((type) => type === 'AWS::Scheduler::Schedule')).toHaveLength(8);
    expect(types).not.toContain('AWS::Events::Rule');
    expect(Outputs).toHaveProperty('ScheduleDeadLettersUrl');
    expect(() => readTrigger('cron')).toThrow('trigger: expected "rules" or "scheduler", got "cron"');
  });

  it('says what is missing where only the package itself is installed', async () => {
    cpSync('dist', join(scratch, 'installed', 'dist'), { recursive: true });
    cpSync('package.json', join(scratch, 'installed', 'package.json'));
    const app = join(scratch, 'installed', 'dist', 'cdk', 'app.js');
    const { code, stderr } = await synthesize('missing', {}, [app]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      'This needs the packages aws-cdk-lib and constructs: npm install aws-cdk-lib constructs\n',
    );
  });
});

describe('the stack without a URL', () => {
  const template = Template.fromStack(new BacklogStack(new App(), 'DynamoBacklog'));

  it('has its rules disabled, and an output that says why', () => {
    expect(rulesOf(template).map(({ state }) => state)).toEqual(Array(7).fill('DISABLED'));
    expect(template.toJSON().Outputs.RulesDisabled).toEqual({
      Description: 'Nothing is attempted: the rules of default and bulk are disabled',
      Value: 'No deliverTo was given: deploy again with -c deliverTo=https://...',
    });
  });

  it('is what no context gives, and only that', () => {
    expect(readDeliverTo(undefined)).toBeUndefined();
    expect(readDeliverTo('')).toBe('');
    expect(() => readDeliverTo(8080)).toThrow(
      'deliverTo: expected a URL such as https://example.com, got 8080',
    );
  });
});

describe("the app's stack", () => {
  const app = new App({ context: CONTEXT, analyticsReporting: false, outdir: join(scratch, 'stack') });
  const stack = new BacklogStack(app, 'DynamoBacklog', { deliverTo: URL });

  it('has its rules enabled, and no such output', () => {
    const template = Template.fromStack(stack);
    expect(rulesOf(template).map(({ state }) => state)).toEqual(Array(7).fill('ENABLED'));
    expect(template.toJSON().Outputs.RulesDisabled).toBeUndefined();
  });

  it('passes the AWS Solutions and the Serverless checks of cdk-nag', () => {
    for (const pack of [new AwsSolutionsChecks(app), new ServerlessChecks(app)]) {
      expect(pack.validateScope(app).violations).toEqual([]);
    }
  });

  // CloudFormation replaces a resource whose logical id changes: these hold records, messages and logs.
  it('keeps the logical ids of what holds data, and retains the tables', () => {
    const { Resources } = Template.fromStack(stack).toJSON() as {
      Resources: Record<string, { Type: string; DeletionPolicy?: string; UpdateReplacePolicy?: string }>;
    };
    const HOLDS_DATA = /^AWS::(DynamoDB::GlobalTable|SQS::Queue|Logs::LogGroup)$/;
    const stateful = Object.entries(Resources).filter(([, { Type }]) => HOLDS_DATA.test(Type));
    expect(
      stateful.map(([id, { DeletionPolicy, UpdateReplacePolicy }]) => [
        id,
        DeletionPolicy,
        UpdateReplacePolicy,
      ]),
    ).toEqual([
      ['BacklogRecords60E56FD8', 'Retain', 'Retain'],
      ['BacklogControl1893EA1D', 'Retain', 'Retain'],
      ['BacklogEventDlq02D72D69', 'Delete', 'Delete'],
      ['BacklogRedelivery816FD39B', 'Delete', 'Delete'],
      ['BacklogFibonacciDeliveryLogsB4FC5678', 'Delete', 'Delete'],
      ['BacklogProgressiveDeliveryLogsD8EEE793', 'Delete', 'Delete'],
      ['BacklogIntakeLogs84E01945', 'Delete', 'Delete'],
      ['BacklogSweepLogsA2CD7E87', 'Delete', 'Delete'],
    ]);
  });

  it('has these resources and outputs, and no others', () => {
    const { Resources, Outputs } = Template.fromStack(stack).toJSON() as {
      Resources: Record<string, { Type: string }>;
      Outputs: object;
    };
    const counts: Record<string, number> = {};
    for (const { Type } of Object.values(Resources)) counts[Type] = (counts[Type] ?? 0) + 1;
    expect(counts).toEqual({
      'AWS::CloudWatch::Alarm': 12,
      'AWS::CloudWatch::Dashboard': 1,
      'AWS::DynamoDB::GlobalTable': 2,
      'AWS::Events::Rule': 8,
      'AWS::IAM::Policy': 4,
      'AWS::IAM::Role': 4,
      'AWS::Lambda::EventInvokeConfig': 3,
      'AWS::Lambda::EventSourceMapping': 2,
      'AWS::Lambda::Function': 4,
      'AWS::Lambda::Permission': 8,
      'AWS::Logs::LogGroup': 4,
      'AWS::SQS::Queue': 2,
      'AWS::SQS::QueuePolicy': 2,
    });
    expect(Object.keys(Outputs)).toEqual([
      'TableName',
      'ControlTableName',
      'EventDlqUrl',
      'RecordsUrl',
      'DashboardUrl',
    ]);
  });
});

describe('an entry', () => {
  let folder: string;
  beforeAll(() => {
    const app = new App({ outdir: join(scratch, 'entry'), analyticsReporting: false });
    new Backlog(new Stack(app, 'Test'), 'Backlog', {
      queues: { imports: { progressive: true, entry: 'test/cdk/fixtures/handler.ts' } },
    });
    const assembly = app.synth();
    const code = Object.values(
      Template.fromJSON(assembly.getStackByName('Test').template).findResources('AWS::Lambda::Function'),
    )[0]?.Properties.Code.S3Key as string;
    folder = join(assembly.directory, `asset.${code.replace('.zip', '')}`);
  });

  it('is bundled into one module that loads by itself and exports the handler', async () => {
    const url = pathToFileURL(join(folder, 'index.mjs')).href;
    const script = `const { handler } = await import(${JSON.stringify(url)}); process.stdout.write(typeof handler)`;
    const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout).toBe('function');
  });
});
