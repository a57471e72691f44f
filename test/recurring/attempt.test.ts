import { expect, it } from 'vitest';
import { parseRecord } from '../../src/record/index.js';
import { attemptSchedule } from '../../src/recurring/attempt.js';

it('an attempt whose time is up comes again at the first occurrence that it has not inserted', async () => {
  const now = Date.parse('2026-11-28T10:00:00Z');
  const availableAt = '2026-11-28T08:00:00Z';
  const payload = { schedule: 'rate(1 minute)', missed: 'all' };
  const record = parseRecord(
    { id: 'recurring:a', queue: 'recurring', payload, insertedAt: availableAt, availableAt },
    now,
  );
  const timeout = new AbortController();
  const inserted: string[] = [];
  const insert = async ({ id }: { id?: unknown }) => {
    if (inserted.push(String(id)) === 30) timeout.abort();
    return 'inserted' as const;
  };
  const ended = await attemptSchedule(record, {
    records: { insert },
    now,
    random: () => 0.5,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    signal: timeout.signal,
    indexesAtOnce: false,
    isTakenOut: () => true,
  });
  expect(inserted).toHaveLength(50);
  expect(inserted.at(-1)).toBe('a@2026-11-28T08:50Z');
  expect(ended.again).toBe(Date.parse('2026-11-28T08:51:00Z'));
});
