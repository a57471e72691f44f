import { describe, expect, it } from 'vitest';
import { endOf, parseMute, ruleName, scheduleOf } from '../../tools/src/cli/mute/rule.js';

const NOW = Date.parse('2026-11-26T14:02:41.500Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('the rule of a mute', () => {
  it('has a name of its own for each queue, whatever the queue is called', () => {
    const pairs = [
      ['a-b', 'c'],
      ['a', 'b-c'],
      ['a-', 'b'],
      ['a', '-b'],
      ['a.b', 'c'],
      ['Records', 'ö/../*"\n'],
      ['Records', 'ö/../*"\r'],
      ['t'.repeat(255), 'q'.repeat(128)],
      ['t'.repeat(255), 'q'.repeat(127)],
    ] as const;
    const names = pairs.map(([table, queue]) => ruleName(table, queue));
    expect(new Set(names).size).toBe(pairs.length);
    for (const name of names) expect(name).toMatch(/^dynamo-backlog-[\w-]{1,240}$/);
    expect(ruleName('Records', 'orders')).toMatch(/^dynamo-backlog-Records-orders-[0-9a-f]{12}$/);
  });

  it.each([1, HOUR, 2 * HOUR, DAY, 15 * DAY - 41_500])('is over not before its end, %i ms ahead', (ms) => {
    const schedule = scheduleOf(NOW, NOW + ms);
    const end = endOf(schedule) ?? 0;
    expect(end).toBeGreaterThanOrEqual(NOW + ms);
    expect(end).toBeLessThan(NOW + ms + 60_000);
  });

  it('never asks for more than CloudWatch takes', () => {
    const { until } = parseMute({ until: '15d' }, NOW);
    expect(scheduleOf(NOW, until).Duration).toBe('P15DT0H0M');
  });

  it('tells no end of a schedule that was changed by hand', () => {
    const own = scheduleOf(NOW, NOW + HOUR);
    expect(endOf({ ...own, Expression: 'cron(0 2 * * *)' })).toBeUndefined();
    expect(endOf({ ...own, Timezone: 'Asia/Tokyo' })).toBeUndefined();
    expect(endOf({ ...own, Duration: 'P1W' })).toBeUndefined();
    expect(endOf({ Expression: own.Expression, Duration: 'PT4H' })).toBe(Date.parse('2026-11-26T18:02:00Z'));
  });
});
