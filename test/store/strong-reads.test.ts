import { expect, it } from 'vitest';
import { createDynamoDbClient, DynamoDbOperatorStore } from '../../src/store/index.js';
import { dynamoDbForFile } from './dynamodb-for-file.js';
import { clock } from './dynamodb-under-test.js';
import { item, NOW } from './records.js';

const dynamoDb = dynamoDbForFile();

interface Read {
  readonly ConsistentRead?: boolean;
  readonly RequestItems?: Record<string, { readonly ConsistentRead?: boolean }>;
}

it('every item is read strongly: what a run decides by must not be older than its lease', async () => {
  const client = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
  const reads: [string | undefined, boolean[]][] = [];
  client.middlewareStack.add(
    (next, context) => (args) => {
      const { ConsistentRead = false, RequestItems } = args.input as Read;
      const strong = Object.values(RequestItems ?? {}).map((one) => one.ConsistentRead ?? false);
      if (context.commandName === 'GetItemCommand') reads.push([context.commandName, [ConsistentRead]]);
      if (context.commandName === 'BatchGetItemCommand') reads.push([context.commandName, strong]);
      return next(args);
    },
    { step: 'initialize', name: 'reads' },
  );
  const store = new DynamoDbOperatorStore({ client, tables: dynamoDb.underTest.tables, clock });
  const ids = Array.from({ length: 120 }, (_, i) => `r-${i}`);
  await dynamoDb.underTest.put(item('r-0', { lane: 'q' }));
  const hold = { holder: 'me', until: NOW + 60_000, ids, rev: 'a' };
  await store.leases.hold('q', hold);
  await store.leases.hold('q', { ...hold, holder: 'other' });
  await store.records.get('r-0');
  await store.pages.read(ids, 'q');
  await store.records.getMany(ids);
  await store.records.getItems(ids);
  await store.queues.read('q');
  await store.sweep.read();
  await store.registry.read();
  const record = await store.records.get('r-0');
  if (!record) throw new Error('no record');
  // Each of these looks at what is in its way.
  await store.records.settle(record, { set: { status: 'ERROR' }, remove: [] }, 'b');
  await store.records.settle(record, { set: { status: 'SUCCESS' }, remove: [] }, 'c');
  await store.leases.release('q', 'another run', {});
  const claim = { batch: 'b', holder: 'me', until: NOW + 60_000, ids: ['r-0'], now: NOW };
  await store.claims.take('q', claim);
  await store.claims.take('q', { ...claim, holder: 'other' });
  await store.claims.find(['q'], ['r-0'], NOW);
  const ask = { wanted: 1, most: 1, onArrival: false, now: NOW, until: NOW + 60_000 };
  await store.slots.take('q', { ...ask, run: 'me' });
  await store.slots.end(['q'], { holderPrefix: 'me', until: NOW });
  const keys = { wanted: new Map([['k', 1]]), most: 1, now: NOW, until: NOW + 60_000 };
  // The last of them changes nothing, which it must not guess.
  for (const run of ['me', 'other', 'me']) await store.keySlots.take('q', { ...keys, run });
  await store.keySlots.end(['q'], { holderPrefix: 'me', until: NOW });
  await store.permits.acquire('q', { count: 1, intervalMs: 1, now: NOW });
  client.destroy();
  expect(new Set(reads.map(([command]) => command))).toEqual(
    new Set(['GetItemCommand', 'BatchGetItemCommand']),
  );
  for (const [command, strong] of reads) expect([command, strong]).toEqual([command, strong.map(() => true)]);
});
