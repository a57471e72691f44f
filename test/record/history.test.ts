import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appendEntry, truncate } from '../../src/record/history.js';
import { type AttemptOutcome, settle } from '../../src/record/index.js';
import type { HistoryEntry } from '../../src/record/record.js';
import { anyText } from '../fuzz/raw-values.js';
import { context, iso, record } from './records.js';

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const failure = (attempt: number, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
  name: 'HttpError',
  message: 'HTTP 503',
  at: iso(attempt * 60),
  attempt,
  ms: 12,
  next: iso(attempt * 60 + 60),
  ...more,
});
const failing = (message: string): AttemptOutcome => ({
  type: 'failure',
  error: { name: 'HttpError', message },
  ms: 12,
});

describe('the history of a record', () => {
  it('says of every failure when it was, how long it took, what it was, and when it was to be tried again', () => {
    const { set } = settle(record(), failing('HTTP 503'), context());
    expect(set.history).toEqual([
      { name: 'HttpError', message: 'HTTP 503', at: iso(0), attempt: 1, ms: 12, next: iso(300) },
    ]);
    expect(set.lastError).toEqual({ name: 'HttpError', message: 'HTTP 503', at: iso(0), attempt: 1 });
  });

  it('says that it was given up, into which queue it went, and nothing where the rules decide', () => {
    const last = (overrides: Parameters<typeof context>[0], outcome = failing('x')) =>
      settle(record(), outcome, context(overrides)).set.history?.at(-1);
    const never = { ...context().policy, maxAttempts: 1 };
    expect(last({ policy: never })).toMatchObject({ next: 'dead' });
    const dead = { type: 'dead', reason: 'x', error: { name: 'Dead', message: 'x' }, ms: 3 } as const;
    expect(last({}, dead)).toMatchObject({ name: 'Dead', ms: 3, next: 'dead' });
    expect(last({ retryQueue: 'retries' })).toMatchObject({ next: iso(300), queue: 'retries' });
    expect(last({ retryMode: 'progressive' })).not.toHaveProperty('next');
    const asked = { ...failing('x'), retryAfterSeconds: 900 } as AttemptOutcome;
    expect(last({ retryMode: 'progressive' }, asked)).toMatchObject({ next: iso(900) });
  });

  it('goes on to the end of a record that had one, and costs one that was done at once nothing', () => {
    const failed = record({ history: [failure(1)], attempts: 1 });
    const success = { type: 'success', ms: 7 } as const;
    expect(settle(failed, success, context()).set.history).toEqual([
      failure(1),
      { at: iso(0), attempt: 2, ms: 7, outcome: 'succeeded' },
    ]);
    const cancelled = { type: 'cancel', reason: 'withdrawn' } as const;
    expect(settle(failed, cancelled, context()).set.history?.at(-1)).toEqual({
      at: iso(0),
      attempt: 2,
      outcome: 'cancelled',
    });
    for (const outcome of [success, cancelled]) {
      expect(settle(record(), outcome, context()).set).not.toHaveProperty('history');
    }
  });

  it('has one entry for snoozes of the same reason in a row, the newest', () => {
    const snoozed = (attempt: number, message?: string): HistoryEntry => ({
      at: iso(attempt),
      attempt,
      outcome: 'snoozed',
      ...(message === undefined ? {} : { message }),
    });
    let history: readonly HistoryEntry[] = [failure(1)];
    for (const entry of [snoozed(2), snoozed(3), snoozed(4, 'closed'), snoozed(5, 'closed')]) {
      history = appendEntry(history, entry);
    }
    expect(history).toEqual([failure(1), snoozed(3), snoozed(5, 'closed')]);
  });

  it('keeps the newest that fit into 512 bytes, and no more entries than it may', () => {
    let history: readonly HistoryEntry[] = [];
    for (let attempt = 1; attempt <= 50; attempt++) {
      history = appendEntry(history, failure(attempt));
      expect(bytesOf(history)).toBeLessThanOrEqual(512);
    }
    expect(history).toEqual([48, 49, 50].map((attempt) => failure(attempt)));
    // One more would not have fitted.
    expect(bytesOf([failure(47), ...history])).toBeGreaterThan(512);
    expect(appendEntry(history, failure(51), { bytes: 512, entries: 2 })).toHaveLength(2);
    expect(appendEntry(history, failure(51), { bytes: 512, entries: 1 })).toEqual([failure(51)]);
  });

  it('uses its bytes to the last one', () => {
    for (const bytes of [200, 512, 1000]) {
      const [entry] = appendEntry([], failure(1, { stack: 's'.repeat(5_000), message: 'm'.repeat(5_000) }), {
        bytes,
        entries: 5,
      });
      expect(bytesOf([entry])).toBe(bytes);
    }
  });

  it('gives up the stacks of older attempts first, then older attempts, then its own stack', () => {
    const stack = 'at process (/var/task/index.mjs:1:4711)';
    const both = [failure(1, { stack }), failure(2, { stack })];
    const limits = (bytes: number) => ({ bytes, entries: 20 });
    const all = [...both, failure(3, { stack })];
    const whole = bytesOf(all);
    const at = (bytes: number) => appendEntry(both, failure(3, { stack }), limits(bytes));
    expect(at(whole)).toEqual(all);
    expect(at(whole - 1)).toEqual([failure(1), failure(2, { stack }), failure(3, { stack })]);
    expect(at(bytesOf([failure(2), failure(3, { stack })]))).toEqual([failure(2), failure(3, { stack })]);
    const [alone, ...none] = at(bytesOf([failure(3)]) + 20);
    expect(none).toEqual([]);
    expect(alone).toMatchObject(failure(3));
    expect(alone?.stack).toMatch(/^at .*…$/);
  });

  it('names the queue that a record went to as a whole, or not at all', () => {
    const queue = 'retries-of-the-orders';
    const entry: HistoryEntry = { name: '', message: '', at: iso(0), attempt: 1, next: iso(60), queue };
    const left = Array.from({ length: 80 }, (_, i) => appendEntry([], entry, { bytes: 60 + i, entries: 5 }));
    expect(new Set(left.map(([kept]) => kept?.queue))).toEqual(new Set([undefined, queue]));
  });

  it('stays within its bytes whatever it is made of, and stays readable', () => {
    const text = fc.oneof(
      anyText(600),
      fc.string({
        unit: fc.constantFrom('\u0000', '"', '\\', '\n', 'ü', '😀', '\ud83d', 'a'),
        maxLength: 900,
      }),
    );
    const entry = fc.record(
      {
        at: fc.constant(iso(0)),
        attempt: fc.maxSafeNat(),
        ms: fc.maxSafeNat(),
        outcome: fc.constantFrom('succeeded', 'snoozed', 'cancelled'),
        name: text,
        message: text,
        stack: text,
        next: fc.constantFrom(iso(1), 'dead'),
        queue: fc.constantFrom('retries', 'q'.repeat(3000)),
      },
      { requiredKeys: ['at', 'attempt'] },
    ) as fc.Arbitrary<HistoryEntry>;
    const limits = fc.record({
      bytes: fc.integer({ min: 200, max: 3000 }),
      entries: fc.integer({ min: 1, max: 30 }),
    });
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 25 }), limits, (entries, limit) => {
        let history: readonly HistoryEntry[] = [];
        for (const one of entries) history = appendEntry(history, one, limit);
        expect(bytesOf(history)).toBeLessThanOrEqual(limit.bytes);
        expect(history.length).toBeLessThanOrEqual(limit.entries);
        const last = entries.at(-1);
        expect(history.at(-1)).toMatchObject({ at: last?.at, attempt: last?.attempt });
        expect(JSON.stringify(history)).not.toContain('\\ud83d');
      }),
      { numRuns: 300 },
    );
  });
});

describe('a text that is cut', () => {
  it.each([
    ['', 5, ''],
    ['abc', 3, 'abc'],
    ['abcd', 3, '…'],
    ['abcd', 2, ''],
    ['abcd', 0, ''],
    ['üüüü', 7, 'üü…'],
    ['😀😀', 7, '😀…'],
    ['😀😀', 6, '…'],
    ['a\ud83d', 9, 'a\ufffd'],
  ])('%j to %i bytes is %j', (text, bytes, cut) => {
    expect(truncate(text, bytes)).toBe(cut);
    expect(Buffer.byteLength(truncate(text, bytes))).toBeLessThanOrEqual(bytes);
  });

  it('is not read to its end', () => {
    const huge = 'x'.repeat(2 ** 24);
    const before = performance.now();
    for (let i = 0; i < 1000; i++) truncate(huge, 400);
    expect(performance.now() - before).toBeLessThan(1000);
  });
});
