import * as fc from 'fast-check';
import { deepValues, mapOf, numbers, type RawItem, type RawValue, texts, values } from './raw-values.js';

/** The queues that the worker of the trials serves. */
export const QUEUES = ['orders', 'bulk'] as const;

const TIMES = [
  '+275760-09-13T00:00:00.000Z',
  '-000001-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  '10000-01-01T00:00:00.000Z',
  '0000-01-01T00:00:00.000Z',
  '1970-01-01T00:00:00.000Z',
  '2026-02-30T00:00:00.000Z',
  '2026-11-20',
  '2026-11-20T09:00:00+02:00',
  '20 Nov 2026',
  'yesterday',
  '',
];

const LANES = [
  'orders',
  'bulk',
  'other',
  'orders/dead',
  'bulk/dead',
  'orders#1',
  'orders#99',
  'orders#1/dead',
  'orders#-1',
  '/dead',
  '#',
  ' ',
  'x'.repeat(1_000),
];

const POLICIES = [
  { type: 'saturating', maxWait: 1e300, halfAfter: 1e-300 },
  { type: 'fibonacci', unit: 1e308 },
  { type: 'exponential', base: 1e9, first: 1 },
  { type: 'list', waits: [] },
  { type: 'constant', interval: -1 },
  { type: 'constant', interval: 0.0001, jitter: 'none' },
  { type: 'constant', interval: 60, maxAttempts: 2 },
  { type: '__proto__' },
  { type: 'constructor' },
  { maxAttempts: 1e15 },
  { maxAttempts: 0 },
  { maxAge: -5 },
  { type: 'buckets', buckets: 'x' },
];

const text = (S: string): RawValue => ({ S });
const times = fc.constantFrom(...TIMES).map(text);
const strings = texts.map(text);
const counts = fc
  .oneof(
    fc.constantFrom('0', '1', '2', '3', '-1', '1.5', '9007199254740992', '1e125', '99999999999'),
    numbers,
  )
  .map((N): RawValue => ({ N }));
/** Right in type, wrong in type, or anything. */
const oddly = (right: fc.Arbitrary<RawValue>): fc.Arbitrary<RawValue> =>
  fc.oneof({ weight: 6, arbitrary: right }, { weight: 1, arbitrary: values });

const errors = fc
  .record(
    { name: values, message: values, at: oddly(times), attempt: oddly(counts), stack: values },
    { requiredKeys: [] },
  )
  .map((M): RawValue => ({ M: mapOf(Object.entries(M)) }));
const lanes = fc.constantFrom(...LANES).map(text);
const mayBeUnderAttempt = fc
  .record({ lane: oddly(lanes), until: oddly(times) }, { requiredKeys: [] })
  .map((M): RawValue => ({ M: mapOf(Object.entries(M)) }));
const policies = fc.oneof(
  fc.constantFrom(...POLICIES).map((policy) => rawOf(policy)),
  values,
);

const ATTRIBUTES: Readonly<Record<string, fc.Arbitrary<RawValue>>> = {
  status: oddly(fc.constantFrom('NEW', 'ERROR', 'SUCCESS', 'DEAD', 'new', '').map(text)),
  queue: oddly(
    fc
      .constantFrom('orders', 'bulk', 'unserved', 'x'.repeat(3_000), 'y'.repeat(2_040), 'a b', '../..', '')
      .map(text),
  ),
  task: oddly(strings),
  payload: fc.oneof(values, deepValues),
  dueAt: times,
  // No map or list: dynalite finds no two of them equal, so a failure would say something about dynalite alone.
  rev: fc.oneof(strings, counts),
  insertedAt: oddly(times),
  availableAt: oddly(times),
  attempts: oddly(counts),
  failures: oddly(counts),
  firstFailureAt: oddly(times),
  lastFailureAt: oddly(times),
  lastAttemptAt: oddly(times),
  lastError: oddly(errors),
  history: oddly(fc.array(fc.oneof(errors, values), { maxLength: 4 }).map((L): RawValue => ({ L }))),
  notBefore: oddly(fc.oneof(times, mayBeUnderAttempt)),
  unknownTaskSince: oddly(times),
  retry: policies,
  deadReason: oddly(strings),
  expiresAt: oddly(counts),
  backlogFormat: oddly(fc.constantFrom('0', '1', '2', '99', '-1', '1e30').map((N): RawValue => ({ N }))),
};

/** An item that looks like a record at first: most of it is right, some of it is not. */
export const hostileItems: fc.Arbitrary<RawItem> = fc
  .tuple(
    fc.record(ATTRIBUTES, { requiredKeys: [] }).chain((all) => {
      const names = Object.keys(all);
      return fc
        .subarray(names, { maxLength: 5 })
        .map((some) => some.map((name) => [name, all[name]] as const));
    }),
    fc.option(fc.tuple(lanes, times), { freq: 5 }),
    fc.array(
      fc.tuple(
        fc.oneof(
          texts.map((name) => name.slice(0, 20) || 'own'),
          fc.constantFrom('__proto__', 'constructor', 'toString'),
        ),
        values,
      ),
      { maxLength: 2 },
    ),
    fc.constantFrom(...QUEUES),
    // Most are small; DynamoDB takes 400 KB, and some come near it.
    fc.oneof({ weight: 60, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(1_200) }),
  )
  .map(([odd, place, own, queue, spare]) => {
    const item: Record<string, RawValue> = mapOf([
      ['status', text('NEW')],
      ['queue', text(queue)],
      ['payload', text('p')],
      ...own.filter(([name]) => name !== 'id' && !(name in ATTRIBUTES)),
      ...(odd as [string, RawValue][]),
      ...(place ? [['lane', place[0]] as const, ['dueAt', place[1]] as const] : []),
    ]);
    // The index takes no other type, nor an empty one: DynamoDB refuses the item.
    if (!('S' in (item.dueAt ?? text('x'))) || item.dueAt?.S === '') delete item.dueAt;
    return spare === undefined ? item : filled(item, spare);
  });

/** Up to the last bytes of what an item may have. */
function filled(item: RawItem, spare: number): RawItem {
  const rest = { ...item, filler: text('') };
  const used = Buffer.byteLength(JSON.stringify(rest));
  return { ...rest, filler: text('f'.repeat(Math.max(0, 400 * 1024 - used - spare))) };
}

function rawOf(value: unknown): RawValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (Array.isArray(value)) return { L: value.map(rawOf) };
  return { M: mapOf(Object.entries(value as object).map(([name, one]) => [name, rawOf(one)] as const)) };
}

/** Payloads that a service would put: a webhook's body, an order, a document of another system. */
export const goodPayloads: readonly RawValue[] = [
  rawOf({ event: 'order.created', order: { id: 'o-1', cents: 1999, lines: [{ sku: 'a', count: 2 }] } }),
  rawOf({ race: { constructor: 'McLaren', points: 25 } }),
  { M: { tags: { SS: ['new', 'vip'] }, ids: { NS: ['1', '2.5'] }, image: { B: 'AAECAwQ=' } } },
  { M: { total: { N: '12345678901234567890123456789012345678' }, none: { NULL: true }, '': { S: '' } } },
  { S: 'text' },
  { L: [] },
];
