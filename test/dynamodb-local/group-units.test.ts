import { afterAll, beforeAll, expect, it } from 'vitest';
import { RecordGroups } from '../../src/groups/index.js';
import { noteStates } from '../../src/groups/note-states.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import { systemClock } from '../../src/support/clock.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';
import { meteredStore, SILENT } from './metered-store.js';

const MEMBERS = 2_000;
/** Changes of one batch of the stream. */
const BATCH = 100;

const client = createDynamoDbClient({ endpoint: dynamoDbLocalEndpoint() });
let meter: Awaited<ReturnType<typeof meteredStore>>;

beforeAll(async () => {
  meter = await meteredStore(client);
});
afterAll(() => meter.stop());

it('a member of a full page costs less than 0.1 write units beside its record', async () => {
  const { groups: items, tables } = meter;
  const { records: table } = meter.store;
  const store = { records: table, groups: items };
  const groups = new RecordGroups({ table: tables.records, controlTable: tables.control, store });
  // Ids of 36 characters, as UUIDs have.
  const idOf = (i: number) => `${i}`.padStart(36, '0');
  const records = Array.from({ length: MEMBERS }, (_, i) => ({ id: idOf(i), payload: i, queue: 'rows' }));
  await groups.insert('import', records, { onComplete: { queue: 'mail' } });
  const deps = {
    groups: store.groups,
    records: store.records,
    clock: systemClock,
    random: Math.random,
    indexesAtOnce: () => false,
    logger: SILENT,
  };
  for (let start = 0; start < MEMBERS; start += BATCH) {
    const changes = Array.from({ length: BATCH }, (_, i) => ({
      place: { group: 'import', page: Math.floor((start + i) / 1_000), index: (start + i) % 1_000 },
      state: 'succeeded' as const,
      id: idOf(start + i),
    }));
    await noteStates(changes, deps);
  }
  expect((await store.records.get('import'))?.payload).toMatchObject({
    group: { complete: true, members: MEMBERS },
  });
  // The units include the removal of all items in the end, which costs as much as their writes.
  expect(meter.writes(tables.control) / MEMBERS).toBeLessThan(0.1);
});
