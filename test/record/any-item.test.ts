import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolvePolicy } from '../../src/policies/index.js';
import {
  type BacklogRecord,
  CONTRACT_ATTRIBUTES,
  type Item,
  indexChange,
  parseRecord,
  QUEUE_PATTERN,
  STATUSES,
  settle,
} from '../../src/record/index.js';
import { toAttributes, toItem } from '../../src/store/dynamodb/attribute-values.js';
import { jsonOf } from '../../src/support/json.js';
import { repairOf } from '../../tools/src/cli/doctor/index-checks.js';
import { checkRecord } from '../../tools/src/cli/doctor/record-checks.js';
import { historyLines } from '../../tools/src/cli/show.js';
import { iso, NOW } from './records.js';

/** A thousand in `npm run test:long`. */
const RUNS = Number(process.env.ANY_ITEM_RUNS ?? 150);

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const HOSTILE = [
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
  'toJSON',
  'name',
  'message',
  'type',
  'length',
  'at',
];

const name = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ maxLength: 5 }));
const scalar = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    'x'.repeat(50_000),
    iso(0),
    iso(9e10),
    '+275760-09-13T00:00:00.000Z',
    'NEW',
    'fibonacci',
    '',
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -1, 1.5, 2 ** 53, 1e125, 123456789012345678901234567890n),
  fc.boolean(),
  fc.constant(null),
  fc.uint8Array({ maxLength: 3 }),
  // No conversion to text, and none to a number.
  fc.constant({ toString: 'x', valueOf: 'y' }),
  fc.constant({ name: { toString: 'x', valueOf: 'y' }, type: { toString: 'x', valueOf: 'y' } }),
  fc.constantFrom(new Set(['a']), new Set([1, 2n ** 80n])),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(name, tie('value')), { selector: ([key]) => key, maxLength: 4 })
      .map((entries) => Object.fromEntries(entries)),
  ),
}));
/** Some of the contract's attributes with anything in them, and some of another's own. */
const item = fc
  .uniqueArray(fc.tuple(fc.oneof(fc.constantFrom(...CONTRACT_ATTRIBUTES), name), value), {
    selector: ([key]) => key,
    maxLength: 12,
  })
  .map((entries): Item => ({ id: 'a', ...Object.fromEntries(entries) }));

const context = {
  lane: 'default',
  retryMode: 'perRecord',
  policy: resolvePolicy({ type: 'fibonacci' }),
  now: NOW,
  tickSeconds: 60,
  random: () => 0.5,
} as const;

function expectSound(record: BacklogRecord): void {
  expect(STATUSES).toContain(record.status);
  expect(record.queue).toMatch(QUEUE_PATTERN);
  expect(record.insertedAt).toMatch(TIME);
  const times = [
    record.availableAt,
    record.dueAt,
    record.firstFailureAt,
    record.lastAttemptAt,
    typeof record.notBefore === 'object' ? record.notBefore.until : record.notBefore,
  ];
  for (const time of times) if (time !== undefined) expect(time).toMatch(TIME);
  for (const count of [record.attempts, record.failures]) expect(count).toBeGreaterThanOrEqual(0);
  const { lastError, history, problems, task = '', deadReason = '' } = record;
  expect(Buffer.byteLength(JSON.stringify([lastError, problems, task, deadReason]))).toBeLessThan(10_000);
  expect(history.length).toBeLessThanOrEqual(100);
  for (const entry of history) expect(Buffer.byteLength(JSON.stringify(entry))).toBeLessThan(10_000);
}

describe('any item', () => {
  it('is a record, whatever its attributes hold', () => {
    fc.assert(
      fc.property(item, (given) => {
        const record = parseRecord(given, NOW);
        expectSound(record);
        // What its readers make of it.
        expect(() => JSON.parse(jsonOf(record))).not.toThrow();
        expect(record.history.flatMap((entry) => historyLines(entry, (_, text) => text)).join()).toBeTypeOf(
          'string',
        );
        const checks = { now: NOW, queues: undefined, retryModes: new Map() };
        expect(checkRecord(given, record, checks)).toBeInstanceOf(Array);
        repairOf(given, record, NOW);
        expect(() => toAttributes(indexChange(record, NOW).set as Item)).not.toThrow();
        for (const outcome of [
          { type: 'success', ms: 1 },
          { type: 'failure', error: { name: 'Error', message: 'no' }, ms: 1 },
        ] as const) {
          const { set } = settle(record, outcome, context);
          expect(toItem(toAttributes(set as Item)).status).toBeTypeOf('string');
        }
      }),
      { numRuns: RUNS },
    );
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['an error whose name is a map', { lastError: { name: { toString: 'x', valueOf: 'y' } } }, 'lastError'],
    ['an error that is a text', { lastError: 'Error: no' }, 'lastError'],
    ['a history that is a map', { history: { length: 3 } }, 'history'],
    ['a history of texts', { history: ['one', 'two'] }, 'history'],
    ['an expiry beyond all times', { expiresAt: 1e20 }, 'expiresAt'],
    ['an expiry that is a long number', { expiresAt: 10n ** 30n }, 'expiresAt'],
    ['a former lane without a time', { notBefore: { lane: 'q', until: 'soon' } }, 'notBefore'],
    ['a policy with a hostile type', { retry: { type: { toString: 'x', n: 2n ** 80n } } }, 'retry'],
    ['a policy that names a method', { retry: { type: 'constructor' } }, 'retry'],
    ['a task of 200 letters', { task: 't'.repeat(200) }, 'task'],
  ])('with %s is read without it, and that is named', (_, attributes, named) => {
    const record = parseRecord({ id: 'a', status: 'NEW', payload: 1, ...attributes }, NOW);
    expectSound(record);
    expect(record.problems.map((problem) => problem.split(/[:.\s]/)[0])).toEqual([named]);
  });

  it('with texts and lists of any size is read within bounds', () => {
    const long = 'x'.repeat(390_000);
    const many = Array.from({ length: 130_000 }, () => ({}));
    for (const name of CONTRACT_ATTRIBUTES) {
      if (name === 'payload' || name === 'lane' || name === 'rev') continue;
      for (const odd of [long, many, { name: long, message: long, type: long, [long]: 1 }]) {
        expectSound(parseRecord({ id: 'a', status: 'NEW', [name]: odd }, NOW));
      }
    }
    const { history } = parseRecord(
      { id: 'a', history: [...many, { at: iso(0), attempt: 7, message: long }] },
      NOW,
    );
    expect(history.at(-1)).toMatchObject({ at: iso(0), attempt: 7 });
    expect(history.at(-1)?.message?.length).toBeLessThan(500);
  });

  it('keeps an attribute of any name beside its payload', () => {
    const given: Item = JSON.parse('{"id": "a", "__proto__": {"a": 1}, "constructor": 2}');
    expect(Object.keys(parseRecord(given, NOW).attributes)).toEqual(['__proto__', 'constructor']);
  });
});
