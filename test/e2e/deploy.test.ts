import { readFile } from 'node:fs/promises';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { DynamoDBDocumentClient, GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { Duration } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BacklogClient, RecordGroups } from '../../src/index.js';
import { failingText, WHOLE_QUEUE } from '../../src/record/index.js';
import { createDynamoDbClient, DynamoDbStore } from '../../src/store/index.js';
import { systemClock } from '../../src/support/clock.js';
import { backlog } from '../cli/in-process.js';
import { readStream } from '../store/stream.js';
import {
  type DeployedQueues,
  deploy,
  deployRenamed,
  destroy,
  idsIn,
  invoke,
  keyOfLogGroup,
  keyOfQueue,
  messagesIn,
  takeMessages,
  tool,
} from './cloud.js';
import { startErp } from './erp.js';

/*
 * Limits of the emulator, and what this test therefore does not show:
 *
 * - The emulator takes a batch of the stream as done. The part that a function reports as failed is not delivered again.
 * - Failed runs of rules do not come back through their on-failure destination.
 * - The right of EventBridge, SQS and the stream to invoke a function is not checked. The rights of the functions are: each works with
 *   its own role.
 * - Conditions on DynamoDB's own condition keys are not known, except the keys of groups. The test does not show that a producer
 *   with `grantInsert` reads only the fence of a record, and writes only its own ids.
 * - So the monitor, which may write a few items of the control table, writes none. Its right to read the state of an event source is
 *   taken for another one, and its invocation fails in the end. The test shows that the event of an incident's beginning is put with
 *   the monitor's right and arrives. For the event of the end it must know what it has put.
 * - Nothing is encrypted, and the key of a table or of variables is forgotten. The test shows that a backlog with a key deploys
 *   and works, and that its queues and log groups have that key.
 */

const client = createDynamoDbClient({});
const documents = DynamoDBDocumentClient.from(client);
const streams = new DynamoDBStreamsClient({});
let erp: Awaited<ReturnType<typeof startErp>>;
let outputs: Record<string, string>;
let table: string;
let deployed: DeployedQueues;

const get = async (id: string, TableName = table) =>
  (await documents.send(new GetCommand({ TableName, Key: { id }, ConsistentRead: true }))).Item;

const soon = (id: string, expected: object, where = table) =>
  vi.waitFor(async () => expect(await get(id, where)).toMatchObject(expected), {
    timeout: 120_000,
    interval: 100,
  });

/** Rules and schedules fire once a minute, and what a lost run had comes back after half of one. */
const eventually = (id: string, expected: object, where = table) =>
  vi.waitFor(async () => expect(await get(id, where)).toMatchObject(expected), {
    timeout: 240_000,
    interval: 1000,
  });

/** Each state that the record has had, by its status and its lane. */
async function historyOf(id: string): Promise<string[]> {
  const changes = await readStream(client, streams, table);
  return changes
    .filter(({ dynamodb }) => dynamodb?.Keys?.id?.S === id)
    .map(({ dynamodb }) => `${dynamodb?.NewImage?.status?.S} in ${dynamodb?.NewImage?.lane?.S ?? 'no lane'}`);
}

/** Records that the ERP refuses. */
const REFUSED: readonly unknown[] = ['py-never', 'batch-3', 'group-dead', 'group-cancelled'];

/** Records that have not succeeded, except those that never do, and schedules, which go on. */
async function unfinished(): Promise<object[]> {
  const { Items = [] } = await documents.send(new ScanCommand({ TableName: table }));
  return Items.filter(
    ({ id, status, queue }) => status !== 'SUCCESS' && !REFUSED.includes(id) && queue !== 'recurring',
  );
}

/** Ids of attempts that have lost the right to write their outcome: the deployment has removed their function, with its role. */
async function outcomesNotWritten(): Promise<unknown[]> {
  const log = await readFile('.e2e/emulator.log', 'utf8');
  const lines = log
    .split('\n')
    .filter((line) => line.includes('"the outcome of an attempt could not be written"'));
  return lines
    .map((line) => JSON.parse(line))
    .flatMap(({ id, reason }) => (String(reason).includes('access denied') ? [id] : []));
}

/** Records of the occurrences of a recurring record. */
async function occurrencesOf(name: string): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await documents.send(new ScanCommand({ TableName: table }));
  return Items.filter(({ id }) => String(id).startsWith(`${name}@`));
}

/** The emulator runs the functions on this machine, and tells them that they are in Lambda. */
const toThisMachine = (url: string) => ({ url, allowPrivateAddresses: ['127.0.0.1'] });

const inBatches = (url: string) => ({
  retry: { type: 'fibonacci' } as const,
  // Its rule finds several at once.
  firstAttempt: 'scheduled' as const,
  deliverTo: { ...toThisMachine(url), batch: { maxRecords: 5 } },
});

const queuesBefore = (url: string): DeployedQueues => {
  const environment = { ERP_URL: url };
  const deliverTo = toThisMachine(url);
  return {
    queues: {
      default: { retry: { type: 'fibonacci' }, deliverTo },
      // Its first rule fires five minutes after the deployment.
      bulk: { progressive: true, deliverTo },
      unhurried: { retry: { type: 'fibonacci' }, deliverTo, firstAttempt: 'scheduled' },
      fragile: { retry: { type: 'fibonacci' }, entry: 'test/e2e/handlers/fragile.ts', environment },
      older: { retry: { type: 'fibonacci' }, entry: 'test/e2e/handlers/older.ts', environment },
      orders: { retry: { type: 'fibonacci' }, deliverTo },
      batches: inBatches(url),
    },
    scheduled: { default: { retry: { type: 'fibonacci' }, deliverTo } },
    team: { team: { retry: { type: 'fibonacci' }, deliverTo } },
  };
};

/** Queues whose functions are of their own before the second deployment, and not after it. */
const OWN_FUNCTIONS = ['fragile', 'older'];

const queuesAfter = (url: string): DeployedQueues => {
  const deliverTo = toThisMachine(url);
  const everyMinute = { tiers: [{ every: Duration.minutes(1), untilAge: Duration.days(1) }] };
  return {
    ...queuesBefore(url),
    queues: {
      default: { retry: { type: 'constant', interval: 60, jitter: 'none' }, deliverTo },
      bulk: { retry: { type: 'fibonacci' }, deliverTo },
      unhurried: { retry: { type: 'fibonacci' }, deliverTo },
      fragile: { retry: { type: 'fibonacci' }, deliverTo },
      older: { retry: { type: 'fibonacci' }, deliverTo },
      orders: { progressive: everyMinute, deliverTo },
      batches: inBatches(url),
      oders: { retry: { type: 'fibonacci' }, deliverTo },
    },
  };
};

beforeAll(async () => {
  erp = await startErp();
  deployed = queuesBefore(erp.url);
  outputs = await deploy(deployed);
  table = outputs.TableName ?? '';
});
afterAll(async () => {
  for (const one of [client, streams]) one.destroy();
  await erp.stop();
});

/** Items with the contract's three attributes, and a queue; or with less than that. */
const PUT_BY_PYTHON = [
  { id: 'py-good', status: 'NEW', payload: {} },
  { id: 'py-bulk', status: 'NEW', payload: {}, queue: 'bulk' },
  { id: 'py-unhurried', status: 'NEW', payload: {}, queue: 'unhurried' },
  { id: 'py-later', status: 'NEW', payload: { answers: [503, 200] } },
  { id: 'py-never', status: 'NEW', payload: { answers: [422] } },
  { id: 'py-odd', status: 'new', payload: {}, insertedAt: 7 },
  { id: 'py-bare' },
  { id: 'py-typo', status: 'NEW', payload: {}, queue: 'oders' },
  { id: 'py-fragile', status: 'NEW', payload: { answers: [418, 200] }, queue: 'fragile' },
  { id: 'py-older', status: 'NEW', payload: {}, queue: 'older' },
];

describe('the deployed stack', () => {
  it('takes records from boto3, from the AWS command line and from the client, and gives a producer no more', async () => {
    const args = [table, outputs.ProducerRole ?? '', JSON.stringify(PUT_BY_PYTHON)];
    const refused: unknown = JSON.parse(await tool('python', ['test/e2e/producer.py', ...args]));
    expect(refused).toEqual(['Query', 'Scan', 'UpdateItem', 'DeleteItem']);

    const item = { id: { S: 'cli-bulk' }, status: { S: 'NEW' }, payload: { M: {} }, queue: { S: 'bulk' } };
    await tool('aws', ['dynamodb', 'put-item', '--table-name', table, '--item', JSON.stringify(item)]);

    const backlog = new BacklogClient({ table, client });
    await expect(backlog.insert({ id: 'ts-bulk', payload: {}, queue: 'bulk' })).resolves.toMatchObject({
      inserted: true,
    });
    const scheduled = new BacklogClient({ table: outputs.ScheduledTableName ?? '', client });
    await scheduled.insert({ id: 'by-schedule', payload: { answers: [503, 200] } });
  });

  it.each(['py-good', 'py-bulk', 'cli-bulk', 'ts-bulk'])(
    'attempts %s on insertion, before it is indexed where a rule could find it',
    async (id) => {
      await soon(id, { status: 'SUCCESS', attempts: 1 });
      // A rule finds indexed records alone, and this one never was.
      expect(await historyOf(id)).toEqual(['NEW in no lane', 'SUCCESS in no lane']);
      expect(erp.attemptsOf(id)).toHaveLength(1);
    },
  );

  it('repairs invalid attributes, and keeps records of queues that do not exist', async () => {
    await soon('py-odd', { status: 'NEW', insertedAt: expect.stringMatching(/^20\d\d-.*Z$/) });
    await soon('py-bare', { status: 'NEW', lane: 'default' });
    await soon('py-typo', { status: 'NEW', lane: 'oders' });
  });

  it('leaves those of an unhurried queue to the rule', async () => {
    await soon('py-unhurried', { status: 'NEW', lane: 'unhurried' });
    await eventually('py-unhurried', { status: 'SUCCESS', attempts: 1 });
    expect(await historyOf('py-unhurried')).toEqual([
      'NEW in no lane',
      'NEW in unhurried',
      'SUCCESS in no lane',
    ]);
  });

  it('follows the answers of the destination: success, success after a failure, death', async () => {
    await eventually('py-never', { status: 'DEAD', deadReason: 'HTTP 422: answer', lane: 'default/dead' });
    await eventually('py-later', { status: 'SUCCESS', attempts: 2 });
    await eventually('py-odd', { status: 'SUCCESS', attempts: 1 });
    await eventually('py-bare', { status: 'SUCCESS', attempts: 1 });
    expect(await historyOf('py-later')).toEqual(['NEW in no lane', 'ERROR in default', 'SUCCESS in no lane']);
    for (const id of ['py-good', 'py-bulk', 'cli-bulk', 'ts-bulk', 'py-never'])
      expect(erp.attemptsOf(id)).toHaveLength(1);
  });

  it('delivers several records in one request, each with an answer of its own', async () => {
    const orders = new BacklogClient({ client, table });
    const ids = Array.from({ length: 10 }, (_, i) => `batch-${i}`);
    const answers = new Map([
      [3, [422]],
      [4, [503, 200]],
    ]);
    // One by one: the emulator's stream lacks records of group statements.
    for (const [i, id] of ids.entries())
      await orders.insert({ id, queue: 'batches', payload: { answers: answers.get(i) ?? [200] } });
    for (const [i, id] of ids.entries()) {
      await eventually(id, i === 3 ? { status: 'DEAD', deadReason: 'HTTP 422' } : { status: 'SUCCESS' });
      expect(erp.attemptsOf(id)).toHaveLength(i === 4 ? 2 : 1);
    }
    expect(Math.max(...erp.batches)).toBe(5);
  });

  it('starts the record of a group when its members have ended: one is dead, and one was cancelled', async () => {
    const orders = new BacklogClient({ client, table });
    const groups = new RecordGroups({ client, table, controlTable: outputs.ControlTableName ?? '' });
    const onComplete = { payload: { answers: [200] } };
    // One by one: the emulator's stream lacks records of group statements.
    const insert = (id: string, payload: object, seal = false) =>
      groups.insert('group', [{ id, payload }], { onComplete, seal });
    await insert('group-good', {});
    await soon('group-good', { status: 'SUCCESS' });
    await insert('group-dead', { answers: [422] });
    await soon('group-dead', { status: 'DEAD' });
    await insert('group-cancelled', { closed: true });
    await soon('group-cancelled', { status: 'ERROR' });
    expect(await orders.cancel('group-cancelled')).toMatchObject({ cancelled: true });
    await vi.waitFor(
      async () =>
        expect(await groups.get('group')).toMatchObject({
          state: 'open',
          succeeded: 1,
          dead: 1,
          cancelled: 1,
        }),
      { timeout: 120_000, interval: 500 },
    );
    expect(erp.attemptsOf('group')).toEqual([]);
    await insert('group-last', {}, true);
    const counts = { members: 4, succeeded: 2, dead: 1, cancelled: 1, removed: 0, lost: 0 };
    await eventually('group', {
      status: 'SUCCESS',
      payload: { group: { id: 'group', complete: true, ...counts } },
    });
    expect(erp.attemptsOf('group')).toHaveLength(1);
    expect(await groups.get('group')).toMatchObject({ state: 'ended' });
  });

  it('keeps a record that waits for its end from outside, and takes that end', async () => {
    const orders = new BacklogClient({ client, table });
    await orders.insert({ id: 'approval', queue: 'fragile', payload: 'approval' });
    await eventually('approval', { status: 'NEW', notBefore: { pending: { timeout: 3600 } } });
    const token: string = (await get('approval'))?.notBefore?.pending?.token;
    expect(await orders.complete('approval', token, { by: 'finance' })).toMatchObject({ accepted: true });
    expect(await orders.get('approval')).toMatchObject({ status: 'SUCCESS', attempts: 1 });
    expect(await historyOf('approval')).toEqual(['NEW in no lane', 'NEW in fragile', 'SUCCESS in no lane']);
  });

  it('takes that end by a link, which the handler has signed, and changes nothing when it is opened', async () => {
    const orders = new BacklogClient({ client, table });
    await orders.insert({ id: 'asked', queue: 'fragile', payload: 'approval' });
    await eventually('asked', { status: 'NEW', notBefore: { pending: { timeout: 3600 } } });
    const link = new URL(erp.linkOf('asked'));
    expect(link.host).toMatch(/\.lambda-url\.us-east-1\.on\.aws$/);
    // The emulator serves the URLs of functions below its own.
    const url = `${process.env.AWS_ENDPOINT_URL}/_aws/lambda-url/${link.host.split('.')[0]}/`;
    const page = await fetch(url + link.search);
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await page.text()).toContain('<h1><bdi>Pay?</bdi></h1>');
    expect((await fetch(`${url}${link.search}x`)).status).toBe(403);
    expect((await orders.get('asked'))?.status).toBe('NEW');
    const body = new URLSearchParams({ answer: 'Complete', note: 'in the budget' });
    const answer = await fetch(url + link.search, { method: 'POST', body });
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringContaining('your answer is noted'),
    ]);
    expect(await orders.get('asked')).toMatchObject({
      status: 'SUCCESS',
      result: { answer: 'Complete', by: 'finance', note: 'in the budget' },
    });
  });

  it('fires the schedules of the other trigger by themselves', async () => {
    const where = outputs.ScheduledTableName ?? '';
    await eventually('by-schedule', { status: 'SUCCESS', attempts: 2 }, where);
  });

  it.each([
    ['AWS::SQS::Queue', 3, keyOfQueue],
    ['AWS::Logs::LogGroup', 4, keyOfLogGroup],
  ])('encrypts each %s of the other one by its key', async (type, count, keyOf) => {
    const ids = await idsIn('EndToEnd', type, 'Scheduled');
    expect(ids).toHaveLength(count);
    expect(new Set(await Promise.all(ids.map(keyOf)))).toEqual(new Set([outputs.KeyArn]));
  });

  it.each([
    ['died', 'py-fragile', 2],
    ['knows no arrivals, as an older version,', 'py-older', 1],
  ])('gets back what it gave to a function that %s, and leaves it to the rule', async (_, id, attempts) => {
    const queue = id.slice('py-'.length);
    await eventually(id, { status: 'SUCCESS', attempts: 1 });
    expect(await historyOf(id)).toEqual(['NEW in no lane', `NEW in ${queue}`, 'SUCCESS in no lane']);
    expect(erp.attemptsOf(id)).toHaveLength(attempts);
  });

  describe('beside two stacks with one queue', () => {
    const control = () => ['--table', table, '--control-table', outputs.ControlTableName ?? ''];
    const ownerNow = async () => {
      const { out } = await backlog('owners', '--json', ...control());
      const all = JSON.parse(out) as { queue: string; owner: string; function?: string }[];
      const entry = all.find(({ queue }) => queue === 'team');
      return entry?.function === undefined ? undefined : entry.owner;
    };
    const isOwnedBy = (owner: string) =>
      vi.waitFor(async () => expect(await ownerNow()).toBe(owner), { timeout: 150_000, interval: 1000 });
    const insert = (id: string, payload: object = {}) =>
      new BacklogClient({ table, client }).insert({ id, payload, queue: 'team' });
    // What the intake knows of owners is up to a minute old: until it has heard, records wait for the rule.
    const attemptsOnInsertion = (name: string) => {
      let tries = 0;
      return vi.waitFor(
        async () => {
          const id = `${name}-${tries++}`;
          await insert(id);
          await eventually(id, { status: 'SUCCESS', attempts: 1 });
          expect(await historyOf(id)).toEqual(['NEW in no lane', 'SUCCESS in no lane']);
        },
        { timeout: 120_000, interval: 5_000 },
      );
    };

    it('attempts on insertion by the stack that owns it', async () => {
      await isOwnedBy('Blue');
      await attemptsOnInsertion('by-blue');
      await insert('fails-at-blue', { answers: [503, 200] });
      await soon('fails-at-blue', { status: 'ERROR', failures: 1 });
    });

    it('goes on by the other one after a transfer, and attempts nothing twice', async () => {
      expect((await backlog('transfer', 'team', '--to', 'Green', ...control())).code).toBe(0);
      await isOwnedBy('Green');
      // The intake remembers the previous owner for a minute: until then records wait for the rule.
      await insert('fails-at-green', { answers: [503, 200] });
      for (const id of ['fails-at-blue', 'fails-at-green']) {
        await eventually(id, { status: 'SUCCESS', attempts: 2 });
        expect(erp.attemptsOf(id)).toHaveLength(2);
      }
      await attemptsOnInsertion('by-green');
    });
  });

  it('inserts a record each minute as the template says, and attempts it once', async () => {
    // The first tick writes the schedule, and the next one inserts what is due.
    await vi.waitFor(
      async () =>
        expect(await occurrencesOf('each-minute')).toContainEqual(
          expect.objectContaining({ status: 'SUCCESS', attempts: 1 }),
        ),
      { timeout: 240_000, interval: 1000 },
    );
    const [first] = (await occurrencesOf('each-minute')).filter(({ status }) => status === 'SUCCESS');
    const occurrence = String(first?.occurrence);
    expect(first).toMatchObject({
      id: `each-minute@${occurrence.replace(':00.000Z', 'Z')}`,
      ...{ recurring: 'each-minute', queue: 'default', payload: { answers: [200], stack: 'EndToEnd' } },
    });
    expect(erp.attemptsOf(String(first?.id))).toHaveLength(1);
    // A tick comes up to a minute after an occurrence, on a busy machine.
    expect(Date.parse(String(first?.insertedAt)) - Date.parse(occurrence)).toBeLessThan(120_000);
    expect(await get('recurring:each-minute')).toMatchObject({ status: 'NEW', lane: 'recurring' });
  });

  it('refuses to go on with empty tables under another id of the construct', async () => {
    await expect(deployRenamed(deployed)).rejects.toThrow(/GuardAgainstEmpty\w*Table.*already exists/s);
  });

  it('loses nothing when it is deployed again while records wait and others come', async () => {
    const backlog = new BacklogClient({ table, client });
    const waiting = ['default', 'bulk', 'orders', 'fragile'].map((queue) => ({
      id: `waits-${queue}`,
      queue,
    }));
    for (const record of waiting) await backlog.insert({ ...record, payload: { closed: true } });
    for (const { id } of waiting) await soon(id, { status: 'ERROR', failures: 1 });

    deployed = queuesAfter(erp.url);
    let isDeploying = true;
    const deployment = deploy(deployed).finally(() => {
      isDeploying = false;
    });
    const coming: string[] = [];
    const names = Object.keys(queuesBefore('').queues);
    for (let i = 0; isDeploying; i++) {
      const id = `comes-${i}`;
      coming.push(id);
      await backlog.insert({ id, queue: names[i % names.length] ?? '', payload: {} });
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect((await deployment).TableName).toBe(table);
    expect(coming.length).toBeGreaterThan(20);

    erp.open();
    await vi.waitFor(async () => expect(await unfinished()).toEqual([]), {
      timeout: 300_000,
      interval: 2000,
    });
    for (const { id } of waiting) expect(await get(id)).toMatchObject({ status: 'SUCCESS' });
    const unwritten = await outcomesNotWritten();
    for (const [i, id] of coming.entries()) {
      const isRemoved = OWN_FUNCTIONS.includes(names[i % names.length] ?? '');
      const lost = isRemoved ? unwritten.filter((one) => one === id).length : 0;
      expect([id, erp.attemptsOf(id).length]).toEqual([id, 1 + lost]);
    }
  }, 600_000);

  it('has given up no event', async () => {
    expect(await messagesIn(outputs.EventDlq ?? '')).toBe(0);
  });

  it('puts the beginning of an incident on the event bus', async () => {
    const { ControlTableName: control = '', IncidentQueue: queue = '' } = outputs;
    const { queues } = new DynamoDbStore({ client, tables: { records: table, control }, clock: systemClock });
    const [monitor = ''] = await idsIn('EndToEnd', 'AWS::Lambda::Function', 'BacklogMonitor');
    const fail = async () => {
      const now = Math.floor(Date.now() / 1000);
      const { failing: before } = await queues.read('default');
      const note = {
        ...{ group: WHOLE_QUEUE, since: now - 400, lastAt: now - 60, records: 20, evidence: 40 },
        ...{ recentSuccesses: 0, recentFailures: 40, countedAt: now, error: 'HttpError 503' },
      };
      await queues.noteFailing('default', failingText({ notes: [note], past: [] }), before);
      await invoke(monitor);
    };
    const heard: unknown[] = [];
    await vi.waitFor(
      async () => {
        // A run of the queue in between may have written that it has recovered.
        await fail();
        await vi.waitFor(
          async () => {
            heard.push(...(await takeMessages(queue)));
            expect(heard).toContainEqual(
              expect.objectContaining({
                source: 'dynamo-backlog',
                'detail-type': 'Backlog incident began',
                detail: expect.objectContaining({
                  queues: ['default'],
                  error: { name: 'HttpError', status: 503 },
                }),
              }),
            );
          },
          { timeout: 30_000, interval: 500 },
        );
      },
      { timeout: 200_000, interval: 1_000 },
    );
  });

  it('puts the ends of records on the event bus, of the queue and of the kinds that were asked for', async () => {
    const heard: { readonly 'detail-type': string; readonly detail: Record<string, unknown> }[] = [];
    const expected = [
      { id: 'py-good', queue: 'default', end: 'succeeded', attempts: 1, payload: {} },
      { id: 'py-later', end: 'succeeded', attempts: 2, payload: { answers: [503, 200] } },
      { id: 'py-never', end: 'dead', reason: 'refused', error: { name: 'HttpError', status: 422 } },
    ];
    await vi.waitFor(
      async () => {
        heard.push(...((await takeMessages(outputs.RecordEventQueue ?? '')) as typeof heard));
        for (const detail of expected) {
          expect(heard).toContainEqual(
            expect.objectContaining({
              ...{ source: 'dynamo-backlog', 'detail-type': `Backlog record ${detail.end}` },
              detail: expect.objectContaining({ ...detail, table, version: 1 }),
            }),
          );
        }
      },
      { timeout: 120_000, interval: 200 },
    );
    expect([...new Set(heard.map(({ detail }) => detail.queue))]).toEqual(['default']);
    const never = heard.find(({ detail }) => detail.id === 'py-never')?.detail;
    expect(never?.endedAt).toBe((await get('py-never'))?.dueAt);
  });

  it('keeps its records when the stack is destroyed', async () => {
    await destroy(deployed);
    expect(await get('py-good')).toMatchObject({ status: 'SUCCESS' });
    expect(await get('by-schedule', outputs.ScheduledTableName)).toMatchObject({ status: 'SUCCESS' });
  });
});
