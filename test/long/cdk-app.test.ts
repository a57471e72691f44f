import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Backlog } from '../../cdk/index.js';

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
    // It takes ten seconds to begin with: own-template.test.ts.
    CDK_VALIDATION: 'false',
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
    // Twice in the variables of functions, twice in the metadata of the template.
    expect(JSON.stringify(templateIn(built.outdir)).split(URL)).toHaveLength(5);
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
    expect(types.filter((type) => type === 'AWS::Scheduler::Schedule')).toHaveLength(9);
    expect(types).not.toContain('AWS::Events::Rule');
    expect(Outputs).toHaveProperty('ScheduleDeadLettersUrl');
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
