import { describe, expect, it } from 'vitest';
import { itemBytes } from '../../src/record/item-size.js';
import { totalOf } from '../../tools/src/cost/bill.js';
import { otherBills } from '../../tools/src/cost/other-bills.js';
import { OWN_BYTES, ownBill } from '../../tools/src/cost/own-bill.js';
import { pricesWith, US_EAST_1 } from '../../tools/src/cost/prices.js';
import { MONTH_SECONDS, volumeOf, type Workload } from '../../tools/src/cost/workload.js';
import { Harness, succeed } from '../worker/harness.js';

const MILLION: Workload = {
  perSecond: 1_000_000 / MONTH_SECONDS,
  bytes: 700,
  failing: 0,
  attemptMs: 200,
  isProgressive: false,
  queues: 1,
  concurrency: 10,
  windowSeconds: 0,
  memoryMb: 512,
  retentionSeconds: 30 * 86_400,
  isMinimal: false,
};
const MINUTES = MONTH_SECONDS / 60;

function quantities(work: Workload): Record<string, number> {
  return Object.fromEntries(ownBill(work, US_EAST_1).map(({ name, quantity }) => [name, quantity]));
}
const dollars = (work: Workload) => totalOf(ownBill(work, US_EAST_1));

describe('the volume of a month', () => {
  it('has a failed attempt for each that the share of failures leads to', () => {
    const { records, attempts, firstFailures, laterFailures } = volumeOf({ ...MILLION, failing: 0.2 });
    expect(records).toBeCloseTo(1_000_000);
    expect(attempts).toBeCloseTo(1_250_000);
    expect(firstFailures).toBeCloseTo(200_000);
    expect(laterFailures).toBeCloseTo(50_000);
  });

  it.each([
    ['nearly each record alone at a low rate', 0.01, 0, 1, 1.01],
    ['as many as come between two looks at the stream', 100, 0, 25, 25.1],
    ['as many as come in the window', 1, 20, 20, 20.1],
    ['at most a batch of the stream', 90_000, 0, 100, 100],
  ])('hands over %s', (_, perSecond, windowSeconds, least, most) => {
    const { batchRecords } = volumeOf({ ...MILLION, perSecond, windowSeconds });
    expect(batchRecords).toBeGreaterThanOrEqual(least);
    expect(batchRecords).toBeLessThanOrEqual(most);
  });
});

describe('the bill of a backlog', () => {
  it('counts two writes of a record that succeeds on arrival, and two of the claim of its batch', () => {
    const monitor = MINUTES / 5;
    const { batches } = volumeOf(MILLION);
    expect(quantities(MILLION)['DynamoDB, writes']).toBeCloseTo(2_000_000 + 2 * batches + monitor, 0);
    const full = { ...MILLION, windowSeconds: 300 };
    expect(quantities(full)['DynamoDB, writes']).toBeCloseTo(2_000_000 + 2 * 10_000 + monitor, 0);
  });

  it('counts the item by whole kilobytes at each write, and its entry in the index once', () => {
    const failing = { ...MILLION, failing: 0.5, windowSeconds: 300 };
    const small = quantities(failing)['DynamoDB, writes'] ?? 0;
    const large = quantities({ ...failing, bytes: 9_000 })['DynamoDB, writes'] ?? 0;
    // Three table writes a record: its insertion, its failure on average, and its success.
    expect(large - small).toBeCloseTo(3 * 9 * 1_000_000, -3);
  });

  it('is lower on the progressive schedule, whose failures move nothing in the index', () => {
    const failing = { ...MILLION, failing: 0.5 };
    const later = volumeOf(failing).laterFailures;
    const [moved = 0, stayed = 0] = [failing, { ...failing, isProgressive: true }].map(
      (work) => quantities(work)['DynamoDB, writes'],
    );
    expect(moved - stayed).toBeCloseTo(2 * later, 0);
  });

  it('takes what the library adds to an item for what it is', async () => {
    const harness = new Harness();
    const payload = { n: 1 };
    harness.put('01890a5d-ac96-774b-bcce-b302099a8057', { payload });
    await harness.run(succeed);
    const [item = {}] = harness.store.items();
    expect(item.status).toBe('SUCCESS');
    const own = itemBytes(item) - itemBytes({ payload });
    expect(own).toBeGreaterThan(0.5 * OWN_BYTES);
    expect(own).toBeLessThan(OWN_BYTES);
  });

  it('grows with the work, and never the other way', () => {
    const more: Partial<Workload>[] = [
      { perSecond: 2 * MILLION.perSecond },
      { bytes: 5_000 },
      { failing: 0.3 },
      { attemptMs: 2_000 },
      { queues: 5 },
      { memoryMb: 1_024 },
      { retentionSeconds: 60 * 86_400 },
    ];
    for (const change of more) expect(dollars({ ...MILLION, ...change })).toBeGreaterThan(dollars(MILLION));
    for (const change of [{ windowSeconds: 10 }, { isMinimal: true }])
      expect(dollars({ ...MILLION, ...change })).toBeLessThan(dollars(MILLION));
  });

  it('is a bill of no work, too', () => {
    const idle = ownBill({ ...MILLION, perSecond: 1e-9 }, US_EAST_1);
    expect(idle.every(({ dollars, quantity }) => dollars >= 0 && Number.isFinite(quantity))).toBe(true);
  });
});

describe('the bills of other designs', () => {
  const byName = (work: Workload) =>
    Object.fromEntries(otherBills(work, US_EAST_1).map(({ name, dollars }) => [name, dollars]));

  it('count what AWS counts', () => {
    const work = { ...MILLION, perSecond: 100_000_000 / MONTH_SECONDS, attemptMs: 190, memoryMb: 128 };
    // 20 million GB-s / 8, and 100 million requests to Lambda.
    const lambda = 2.5 * US_EAST_1.lambdaTime + 100 * US_EAST_1.lambdaRequests;
    const idle = ((5 * MONTH_SECONDS) / 20 / 1e6) * 0.4;
    expect(byName(work)['SQS and Lambda, one by one']).toBeCloseTo(300 * 0.4 + idle + lambda, 1);
    expect(byName(work)['Step Functions Standard']).toBeCloseTo(200 * 25 + lambda, 1);
    expect(byName(work)['Lambda durable functions']).toBeCloseTo(100 * 8 + lambda, 1);
    const express = 100 + 100 * 0.2 * (64 / 1024) * 16.67;
    expect(byName(work)['Step Functions Express']).toBeCloseTo(express + lambda, 1);
  });

  it('count a message of SQS by parts of 64 KB', () => {
    const large = byName({ ...MILLION, bytes: 200_000 })['SQS and Lambda, one by one'] ?? 0;
    const small = byName(MILLION)['SQS and Lambda, one by one'] ?? 0;
    expect(large - small).toBeCloseTo(2 * 3 * 0.4, 5);
  });
});

describe('prices of a file', () => {
  it('take the place of those of the list', () => {
    const prices = pricesWith('{"writeUnits":1.5,"region":"eu-central-2"}', '--prices');
    expect(prices).toEqual({ ...US_EAST_1, writeUnits: 1.5, region: 'eu-central-2', asOf: 'as given' });
  });

  it.each([
    ['{', '--prices: expected JSON'],
    ['[]', '--prices'],
    ['{"writeUnit":1}', 'writeUnit'],
    ['{"writeUnits":"1"}', '--prices.writeUnits'],
    ['{"writeUnits":-1}', '--prices.writeUnits'],
    ['{"writeUnits":1e999}', '--prices.writeUnits'],
  ])('are refused: %s', (text, message) => {
    expect(() => pricesWith(text, '--prices')).toThrow(message);
  });
});
