import { describe, expect, it } from 'vitest';
import { labelOf, queuesOf } from '../../tools/src/local/template/target.js';

const queues = (...names: string[]) => ({ queues: Object.fromEntries(names.map((name) => [name, 1])) });
const tier = { number: 2, every: 3600, fromAge: 0, untilAge: 1, last: false };

describe('the event of a rule', () => {
  it.each([
    [{ queue: 'bulk', tier }, 'bulk tier 2, every hour', ['bulk']],
    [queues('a', 'b'), 'a and b, every hour', ['a', 'b']],
    [{ ...queues('a', 'b', 'c', 'd'), tier }, 'a, b and 2 more tier 2, every hour', ['a', 'b', 'c', 'd']],
    [{ sweep: true }, 'sweep, every hour', []],
    [{ source: 'aws.events' }, undefined, []],
  ])('%j is shown by its queues', (event, label, names) => {
    expect(labelOf(event, 'rate(1 hour)')).toBe(label);
    expect(queuesOf(event)).toEqual(names);
  });

  it('of each full minute says so', () => {
    expect(labelOf({ queue: 'recurring' }, 'cron(* * * * ? *)')).toBe('recurring, every minute');
  });
});
