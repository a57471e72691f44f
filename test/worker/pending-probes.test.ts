import { expect, it } from 'vitest';
import '../../src/client/complete.js';
import { BacklogClient, Pending } from '../../src/index.js';
import { parseFailing } from '../../src/record/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import type { FailingMemory, Process } from '../../src/worker/index.js';
import { fail, Harness, type RunChoices } from './harness.js';

const HOUR = 3_600;
const retry = {
  type: 'list',
  waits: [60, 60, 60, 60, 60, HOUR],
  afterwards: 'last',
  jitter: 'none',
} as const;

/** Records whose destination has been down for five minutes, and which wait for an hour now. */
async function outage(records: number) {
  const harness = new Harness();
  const client = new BacklogClient({ table: 'any', clock: harness.clock, store: harness.store as never });
  for (let i = 0; i < records; i++) harness.put(`r${i}`);
  const failingMemory: FailingMemory = new Map();
  const run = (does: Process, more: RunChoices = {}) => harness.run(does, { retry, failingMemory, ...more });
  for (let i = 0; i < 6; i++) {
    await run(fail);
    await harness.pass(60);
  }
  const probes = async (does: Process, minutes = 10) => {
    const summaries = [];
    for (let i = 0; i < minutes; i++) {
      summaries.push(await run(does));
      await harness.pass(60);
    }
    return summaries.filter(({ attempted, succeeded, failed }) => attempted + succeeded + failed > 0);
  };
  const notes = async () => parseFailing((await harness.store.queues.read('q')).failing).notes;
  return { harness, client, run, probes, notes };
}

it('a probe that ends as Pending waits for its end from outside, is counted with it, and is no answer to the outage', async () => {
  const { harness, client, probes, notes } = await outage(3);
  const tokens = new Map<string, string>();
  const summaries = await probes(({ id }, { token }) => {
    tokens.set(id, token);
    throw new Pending({ timeout: '1d' });
  });
  expect(summaries).toMatchObject([
    { attempted: 1, pending: 1, probes: 1 },
    { attempted: 1, pending: 1, probes: 1 },
  ]);
  expect(await notes()).toHaveLength(1);
  expect(tokens.size).toBe(2);
  for (const [id, token] of tokens) {
    expect(harness.item(id)).toMatchObject({
      status: 'ERROR',
      attempts: 6,
      failures: 6,
      notBefore: { pending: { token } },
    });
    expect(await client.complete(id, token)).toEqual({ id, accepted: true });
    expect(harness.item(id)).toMatchObject({ status: 'SUCCESS', attempts: 7, failures: 6 });
  }
});

it('an early failure of a probe changes neither its due time nor its counts, and leaves no end behind', async () => {
  const { harness, client, probes } = await outage(3);
  const before = new Map(harness.store.items().map((item) => [item.id, item]));
  let probed = { id: '', token: '' };
  await probes(async ({ id }, { token }) => {
    probed = { id, token };
    expect(await client.fail(id, token, 'refused')).toMatchObject({ kept: true });
    throw new Pending();
  }, 5);
  const { id, token } = probed;
  const { attempts, failures, dueAt } = before.get(id) ?? {};
  expect(harness.item(id)).toMatchObject({ attempts, failures, dueAt, lastError: { message: 'refused' } });
  expect(harness.item(id).completion).toBeUndefined();
  expect(await client.fail(id, token, 'refused')).toEqual({ id, accepted: true });
});

it('an early success of a probe ends the record', async () => {
  const { harness, client, probes } = await outage(3);
  const [first] = await probes(async ({ id }, { token }) => {
    await client.complete(id, token, 1);
    throw new Pending();
  }, 5);
  expect(first).toMatchObject({ attempted: 3, succeeded: 3, probes: 3, failingSeconds: 0 });
  expect(harness.statuses()).toEqual({ SUCCESS: 3 });
});

it.each([
  ['completed', { status: 'SUCCESS', attempts: 7 }],
  ['failed', { status: 'ERROR', failures: 7, lastError: { message: 'no' } }],
])(
  'a probe that is lost with its process, and %s outside before, is ended by the next run',
  async (how, end) => {
    const { harness, client, run } = await outage(3);
    await harness.pass(300);
    let isLost = false;
    let probed = '';
    const store = intercepted(harness.store, (_, call) => (isLost ? new Promise(() => {}) : call()));
    const lost = harness.start(
      async ({ id }, { token }) => {
        probed = id;
        await (how === 'completed' ? client.complete(id, token) : client.fail(id, token, 'no'));
        isLost = true;
        return new Promise<never>(() => {});
      },
      { retry, store, failingMemory: new Map() },
    );
    void lost;
    await harness.pass(240);
    const attempted: string[] = [];
    await run(({ id }) => void attempted.push(id));
    expect(attempted).not.toContain(probed);
    expect(harness.item(probed)).toMatchObject(end);
    expect(harness.item(probed).completion).toBeUndefined();
  },
);
