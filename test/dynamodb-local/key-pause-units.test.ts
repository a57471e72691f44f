import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { loadLimits, resolvePolicy, run, systemClock } from '../../src/engine.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import type { Arrivals } from '../../src/worker/index.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';
import { meteredStore, SILENT } from './metered-store.js';

const COUNT = 40;
const client = createDynamoDbClient({ endpoint: dynamoDbLocalEndpoint() });
let meter: Awaited<ReturnType<typeof meteredStore>>;
let { store, tables } = {} as typeof meter;

beforeAll(async () => {
  await loadLimits();
  meter = await meteredStore(client);
  ({ store, tables } = meter);
});

beforeEach(() => void meter.reset());
afterAll(() => meter.stop());

function runOf(queue: string, arrivals?: Arrivals) {
  return run(
    {
      target: { queue, lane: queue, arrivals },
      process: () => {},
      policy: resolvePolicy({ type: 'fibonacci' }),
      limits: { concurrency: 10, attemptTimeout: 30 },
      deadline: Date.now() + 300_000,
      functionTimeoutSeconds: 300,
      tickSeconds: 60,
    },
    { store, clock: systemClock, random: Math.random, logger: SILENT },
  );
}

/** Records of the key `acme`; with a lane they are due, without one they have just come. */
async function put(queue: string, lane?: string): Promise<string[]> {
  const at = new Date(Date.now() - 1_000).toISOString();
  const indexed = lane === undefined ? {} : { lane, insertedAt: at, dueAt: at, rev: 'r' };
  const ids = Array.from({ length: COUNT }, (_, i) => `${queue}-${i}`);
  for (const id of ids)
    await store.records.insert({ id, status: 'NEW', queue, payload: 1, key: 'acme', ...indexed });
  meter.reset();
  return ids;
}

const pause = (queue: string, key: string) =>
  store.queues.notePausedKeys(queue, JSON.stringify([{ key, since: new Date().toISOString() }]), undefined);

it('a due record of a paused key costs three write units each time that it is put off', async () => {
  await pause('due', 'acme');
  await put('due', 'due');
  expect(await runOf('due')).toMatchObject({ attempted: 0, skipped: COUNT });
  expect(meter.writes(tables.records)).toBe(3 * COUNT);
});

it('on arrival it costs two', async () => {
  await pause('arriving', 'acme');
  const ids = await put('arriving');
  expect(await runOf('arriving', { batch: 'b', ids })).toMatchObject({ attempted: 0, skipped: COUNT });
  expect(meter.writes(tables.records)).toBe(2 * COUNT);
});

it('the pause of another key costs no unit', async () => {
  const units = async (queue: string) => {
    await put(queue, queue);
    expect(await runOf(queue)).toMatchObject({ succeeded: COUNT });
    return meter.units();
  };
  await pause('beside', 'other');
  expect(await units('beside')).toBe(await units('alone'));
});
