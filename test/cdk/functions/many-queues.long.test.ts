import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnParameter, Duration, Fn, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Repository } from 'aws-cdk-lib/aws-ecr';
import { DockerImageCode, DockerImageFunction, LayerVersion } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps, type QueueProps } from '../../../cdk/index.js';
import { readIntakeSettings } from '../../../functions/intake/settings.js';
import { readRecurringSettings } from '../../../functions/recurring/settings.js';
import { readSettings } from '../../../functions/settings.js';
import { queuesOf } from '../../../tools/src/local/app-queues.js';
import { readAssembly } from '../../../tools/src/local/template/assembly.js';
import { readApp } from '../../../tools/src/local/template/template.js';
import { backlogWith, newStack, ownFunction, propertiesOf, retryQueue, URL } from '../support.js';

const ENTRY = new globalThis.URL('../fixtures/handler.ts', import.meta.url).pathname;
const SMALL = { trigger: 'scheduler', alarms: false } as const;

function queuesOfSize(count: number, props: QueueProps | ((i: number) => QueueProps) = retryQueue) {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`queue-${i}`, typeof props === 'function' ? props(i) : props]),
  );
}

const many = (count: number, props?: QueueProps | ((i: number) => QueueProps)): BacklogProps => ({
  ...SMALL,
  queues: queuesOfSize(count, props),
});

/** Synthesized with its assets, and read as the local runtime reads it. */
async function synthesized(
  props: BacklogProps | ((stack: Stack) => BacklogProps),
  prepare?: (stack: Stack) => void,
) {
  const outdir = mkdtempSync(join(tmpdir(), 'backlog-many-'));
  const context = { 'aws:cdk:bundling-stacks': [], '@aws-cdk/core:stackResourceLimit': 0 };
  const app = new App({ outdir, context, analyticsReporting: false, treeMetadata: false });
  const stack = new Stack(app, 'Many');
  prepare?.(stack);
  new Backlog(stack, 'Backlog', typeof props === 'function' ? props(stack) : props);
  app.synth();
  const template = Template.fromStack(stack);
  return { outdir, template, app: readApp(await readAssembly(outdir)) };
}

const functionsOf = (template: Template) => propertiesOf(template, 'AWS::Lambda::Function');
const layersOf = (template: Template) => propertiesOf(template, 'AWS::Lambda::LayerVersion');
const isDelivery = ({ Description }: { Description: string }) => Description.startsWith('Delivers by HTTP');

function refusalOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return String(error);
  }
  return 'nothing was refused';
}

it.each([
  ['few recurring records are in variables', 2],
  ['many recurring records are in a file', 300],
])('%s, from which their function reads them', async (_, count) => {
  const recurring = Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `tenant-${i}/report`,
      { schedule: 'cron(0 3 * * ? *)', timeZone: 'Europe/Berlin', queue: 'queue-0', payload: { tenant: i } },
    ]),
  );
  const { app } = await synthesized({
    ...many(1),
    recurring: { ...recurring, constructor: { schedule: 'rate(1 day)' } },
  });
  const found = app.functions.find(({ environment }) => 'recurring' in readSettings(environment).queues);
  const { template, indexesAtOnce } = readRecurringSettings(found?.environment ?? {});
  expect(Object.fromEntries(template)).toEqual({ ...recurring, constructor: { schedule: 'rate(1 day)' } });
  expect(indexesAtOnce).toBe(false);
});

describe('200 queues with built-in delivery', () => {
  const mixed = many(200, (i) =>
    i % 2 === 0
      ? { retry: { type: 'fibonacci' }, deliverTo: `${URL}/${i}` }
      : { progressive: true, deliverTo: `${URL}/${i}` },
  );

  it('are in one layer, from which each function reads its own, and runs on one machine', async () => {
    const { app, template, outdir } = await synthesized({ ...mixed, widget: true });
    expect(layersOf(template)).toHaveLength(1);
    for (const { Layers, Environment } of functionsOf(template)) {
      expect(Layers).toHaveLength(1);
      expect(Environment.Variables).not.toHaveProperty('BACKLOG_QUEUES');
      expect(Environment.Variables.BACKLOG_QUEUES_FILE).toMatch(/^\/opt\/dynamo-backlog\/queues-/);
    }
    const known = Object.fromEntries(
      app.functions.map(({ name, environment }) => [
        name,
        Object.keys(readSettings(environment).queues).length,
      ]),
    );
    // The widget's functions have no rule here: the local runtime does not read them.
    expect(known).toEqual({
      BacklogFibonacciDeliveryFunction: 100,
      BacklogProgressiveDeliveryFunction: 100,
      BacklogIntakeFunction: 200,
      BacklogSweepFunction: 200,
      BacklogMonitorFunction: 200,
    });
    const intake = app.functions.find(({ name }) => name === 'BacklogIntakeFunction');
    const { arrivalFunctions } = readIntakeSettings(intake?.environment ?? {});
    expect(arrivalFunctions.size).toBe(200);
    expect([...new Set(arrivalFunctions.values())]).toEqual([
      'BacklogFibonacciDeliveryFunction',
      'BacklogProgressiveDeliveryFunction',
    ]);
    const queues = queuesOf(app);
    expect(queues).toHaveLength(200);
    expect(queues.find(({ name }) => name === 'queue-7')).toMatchObject({
      retryMode: 'progressive',
      deliverTo: `${URL}/7`,
    });
    // What the layer was made from is not left in the synthesized app.
    expect(readdirSync(outdir).filter((file) => file.startsWith('dynamo-backlog'))).toEqual([]);
  });

  it('are the same layer at every synthesis, and another one with other settings', async () => {
    const keyOf = async (props: BacklogProps) =>
      layersOf((await synthesized(props)).template)[0].Content.S3Key as string;
    const props = many(60);
    expect(await keyOf(props)).toBe(await keyOf(props));
    expect(await keyOf(many(60, { ...retryQueue, concurrency: 3 }))).not.toBe(await keyOf(props));
  });
});

describe('a function', () => {
  /** A variable is measured as JSON, in which its quotes are escaped. */
  const measured = (settings: object) => JSON.stringify(JSON.stringify(settings)).length - 2;
  /** 20 queues whose settings take so many bytes of the variables. */
  const ofBytes = (bytes: number) => {
    const padded = (padding: number) =>
      queuesOfSize(20, (i) => ({
        ...retryQueue,
        deliverTo: i === 0 ? `${URL}/${'o'.repeat(padding)}` : URL,
      }));
    const settings = (padding: number) =>
      Object.entries(padded(padding)).map(([name, queue]) => [name, { retryMode: 'perRecord', ...queue }]);
    return { ...SMALL, queues: padded(bytes - measured(Object.fromEntries(settings(0)))) };
  };

  it('has in its environment what fits into it, and no layer', () => {
    const { template } = backlogWith(ofBytes(3_100));
    expect(layersOf(template)).toEqual([]);
    const [delivery] = functionsOf(template).filter(isDelivery);
    expect(delivery).not.toHaveProperty('Layers');
    expect(measured(JSON.parse(delivery.Environment.Variables.BACKLOG_QUEUES))).toBe(3_100);
  });

  it('has a layer for one byte more, and the others have what they had', () => {
    const [before, after] = [3_100, 3_101].map((bytes) => backlogWith(ofBytes(bytes)).template);
    expect(layersOf(after as Template)).toHaveLength(1);
    const others = (template?: Template) =>
      functionsOf(template as Template).filter((one) => !isDelivery(one));
    expect(others(after)).toEqual(others(before));
    const [delivery] = functionsOf(after as Template).filter(isDelivery);
    expect(delivery.Layers).toHaveLength(1);
  });

  it('made from an entry has less room beside variables of its own', () => {
    const withVariable = (length: number) =>
      backlogWith({
        ...SMALL,
        workers: { all: { entry: ENTRY, environment: { TEXT: 'x'.repeat(length) } } },
        queues: queuesOfSize(36, { retry: { type: 'fibonacci' }, worker: 'all' }),
      }).template;
    expect(layersOf(withVariable(60))).toEqual([]);
    expect(layersOf(withVariable(2_000))).toHaveLength(1);
  });

  it('of your own gets the layer and the file', () => {
    const stack = newStack();
    new Backlog(stack, 'Backlog', {
      ...SMALL,
      workers: { all: { handler: ownFunction(stack) } },
      queues: queuesOfSize(100, { retry: { type: 'fibonacci' }, worker: 'all' }),
    });
    const own = functionsOf(Template.fromStack(stack)).find(({ Code }) => Code.ZipFile);
    expect(own.Layers).toEqual([{ Ref: expect.stringMatching(/^BacklogSettings/) }]);
    expect(own.Environment.Variables).toHaveProperty('BACKLOG_QUEUES_FILE');
  });
});

describe('what only the deployment knows', () => {
  it('stays in the environment, once each, and the function puts it together', async () => {
    const { template, app } = await synthesized((stack) => {
      const secret = new Secret(stack, 'Secret', { secretName: 'erp' });
      const host = new CfnParameter(stack, 'Host', { default: 'erp.example.com' }).valueAsString;
      return many(60, (i) => ({
        retry: { type: 'fibonacci' },
        deliverTo: { url: `https://${host}/${i}`, headers: { authorization: secret } },
      }));
    });
    const [{ Environment }] = functionsOf(template).filter(isDelivery);
    expect(Environment.Variables.BACKLOG_FILE_VALUES).toEqual({
      'Fn::Join': ['', ['["', { Ref: 'Host' }, '","', { Ref: expect.stringMatching(/^Secret/) }, '"]']],
    });
    const delivery = app.functions.find(({ name }) => name === 'BacklogFibonacciDeliveryFunction');
    expect(readSettings(delivery?.environment ?? {}).queues['queue-41']?.deliverTo).toEqual({
      url: 'https://erp.example.com/41',
      headers: { authorization: { secretsManager: 'erp' } },
    });
  });

  it('is refused where it does not fit, with what would', () => {
    const urls = many(60, (i) => ({ ...retryQueue, deliverTo: Fn.importValue(`Url${i}`) }));
    expect(refusalOf(() => backlogWith(urls))).toBe(
      'ConfigurationError: queues: expected at most 3100 bytes of values that are known at deployment only (URLs, ARNs of ' +
        'secrets, names of functions), got 60 values of up to 6901 bytes. They do not fit into the environment of a function. ' +
        'Give URLs as text, let queues share secrets, let one of the "workers" serve several queues, or move queues to ' +
        'another stack (sharedBacklog)',
    );
  });

  it('are the names of up to 39 functions, which the intake starts', () => {
    const entries = (count: number) => many(count, { retry: { type: 'fibonacci' }, entry: ENTRY });
    const intake = (count: number) => {
      const { Environment } = functionsOf(backlogWith(entries(count)).template).find(({ Description }) =>
        Description.startsWith('Has records attempted'),
      );
      return Environment.Variables;
    };
    expect(intake(20)).toHaveProperty('BACKLOG_ARRIVAL_FUNCTIONS');
    expect(intake(39)).toHaveProperty('BACKLOG_ARRIVAL_FUNCTIONS_FILE');
    expect(refusalOf(() => intake(40))).toMatch(
      /at most 2700 bytes of .*, got 40 values of up to 2761 bytes/,
    );
  });
});

describe('the layer of the settings', () => {
  const layers = (stack: Stack, count: number) =>
    Array.from({ length: count }, (_, i) =>
      LayerVersion.fromLayerVersionArn(
        stack,
        `Layer${i}`,
        `arn:aws:lambda:eu-central-1:111111111111:layer:l${i}:1`,
      ),
    );

  it('fits beside four others, and is refused beside five, by the option that names them', () => {
    const withLayers = (count: number, of: 'Backlog' | 'worker' | 'handler') => {
      const stack = newStack();
      const own = layers(stack, count);
      const worked = queuesOfSize(100, { retry: { type: 'fibonacci' }, worker: 'all' });
      const handler = () => {
        const made = ownFunction(stack);
        made.addLayers(...own);
        return made;
      };
      new Backlog(stack, 'Backlog', {
        ...(of === 'Backlog' ? { ...many(100), layers: own } : { ...SMALL, queues: worked }),
        ...(of === 'worker' && { workers: { all: { entry: ENTRY, layers: own } } }),
        ...(of === 'handler' && { workers: { all: { handler: handler() } } }),
      });
      return propertiesOf(Template.fromStack(stack), 'AWS::Lambda::Function').some(
        ({ Layers = [] }) => Layers.length === count + 1,
      );
    };
    for (const [of, option] of [
      ['Backlog', 'Backlog.layers'],
      ['worker', 'workers.all.layers'],
      ['handler', 'workers.all.handler.layers'],
    ] as const) {
      expect(withLayers(4, of)).toBe(true);
      expect(refusalOf(() => withLayers(5, of))).toContain(
        `ConfigurationError: ${option}: expected at most 4 layers, as Lambda takes 5 and the settings of the queues`,
      );
    }
  });

  it('is refused for a container image, which takes none', () => {
    const stack = newStack();
    const code = DockerImageCode.fromEcr(Repository.fromRepositoryName(stack, 'Images', 'images'));
    const handler = new DockerImageFunction(stack, 'Own', { code, timeout: Duration.minutes(2) });
    const make = (count: number, id: string) =>
      new Backlog(stack, id, {
        ...SMALL,
        backlogName: id,
        workers: { all: { handler } },
        queues: queuesOfSize(count, { retry: { type: 'fibonacci' }, worker: 'all' }),
      });
    expect(refusalOf(() => make(100, 'Many'))).toContain(
      'ConfigurationError: workers.all.handler: expected a function with code from an asset: ',
    );
    expect(refusalOf(() => make(10, 'Few'))).toBe('nothing was refused');
  });

  it('has nothing in it but settings', async () => {
    const { template, outdir } = await synthesized(many(100));
    const [{ Content }] = layersOf(template);
    const folder = join(outdir, `asset.${Content.S3Key.replace('.zip', '')}`, 'dynamo-backlog');
    for (const file of readdirSync(folder)) {
      expect(readFileSync(join(folder, file), 'utf8')).toMatch(/^[[{].*"queue-99"/);
    }
  });
});
