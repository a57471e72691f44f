import { type Clock, resolvePolicy, run } from '../../src/engine.js';
import { BacklogClient } from '../../src/index.js';
import { DynamoDbStore } from '../../src/store/index.js';
import { createTables } from '../../test/store/tables.js';
import { type Attempt, type Bench, CONCURRENCY, type Design, type OpenDesign, type Work } from './design.js';

const QUEUE = 'orders';
const PER_ARRIVAL = 100;
const ATTEMPT_TIMEOUT_SECONDS = 30;
const FUNCTION_TIMEOUT_SECONDS = 900;
const logger = { debug() {}, info() {}, warn() {}, error() {} };

const settings = 'Fibonacci waits, no other option set';

/** Records that wait in the index, attempted by runs of a rule. */
export const indexed: Design = {
  name: 'dynamo-backlog, indexed records',
  key: 'indexed',
  settings,
  doesNot: 'attempt exactly once: an attempt whose process ends is made again; keep an order',
  open: (bench) => open(bench, true),
};

/** Records that are attempted on insertion, a hundred per event of the stream; later attempts as above. */
export const onArrival: Design = {
  name: 'dynamo-backlog, on arrival',
  key: 'arrival',
  settings: `${settings}; first attempts in batches of ${PER_ARRIVAL}, as the stream of the table hands them over`,
  doesNot: 'the same',
  open: (bench) => open(bench, false),
};

async function open({ client, clock }: Bench, indexAtOnce: boolean): Promise<OpenDesign> {
  const tables = await createTables(client);
  const store = new DynamoDbStore({ client, tables, clock });
  let arrived: string[] = [];
  return {
    tables: Object.values(tables),
    async fill(works) {
      const producer = new BacklogClient({ table: tables.records, client, clock, indexAtOnce });
      const { inserted } = await producer.insertMany(works.map((work) => ({ ...work, queue: QUEUE })));
      if (inserted !== works.length) throw new Error(`expected ${works.length} inserted, got ${inserted}`);
      if (!indexAtOnce) arrived = works.map(({ id }) => id);
    },
    async work(attempt) {
      if (arrived.length === 0) return runOnce(store, clock, attempt);
      for (let i = 0; i < arrived.length; i += PER_ARRIVAL) {
        await runOnce(store, clock, attempt, arrived.slice(i, i + PER_ARRIVAL));
      }
      arrived = [];
    },
  };
}

async function runOnce(store: DynamoDbStore, clock: Clock, attempt: Attempt, ids?: string[]): Promise<void> {
  const { ended } = await run(
    {
      target: { queue: QUEUE, lane: QUEUE, arrivals: ids && { batch: `${QUEUE}/${ids[0]}`, ids } },
      process: (record) => attempt(record as Work),
      policy: resolvePolicy({ type: 'fibonacci' }),
      limits: { concurrency: CONCURRENCY, attemptTimeout: ATTEMPT_TIMEOUT_SECONDS },
      deadline: clock.wall() + FUNCTION_TIMEOUT_SECONDS * 1000,
      functionTimeoutSeconds: FUNCTION_TIMEOUT_SECONDS,
      tickSeconds: 60,
    },
    { store, clock, random: Math.random, logger },
  );
  if (ended !== 'drained')
    throw new Error(`expected a run that drains its lane, got one that ended by ${ended}`);
}
