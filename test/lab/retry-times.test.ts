import { expect, it } from 'vitest';
import { resolvePolicy } from '../../src/policies/index.js';
import { seededRandom } from '../../src/support/seeded-random.js';
import { retryTimes } from '../../tools/src/lab/retry-times.js';

const times = (policy: object, retries: number, id = 'order-7') =>
  retryTimes(resolvePolicy(policy), { id, queue: 'q' }, { retries, random: seededRandom(1) });

it('a record that never succeeds is retried whenever it is due', () => {
  expect(times({ type: 'fibonacci', jitter: 'none' }, 5)).toEqual([60, 120, 240, 420, 720]);
});

it('its retries end with its policy', () => {
  expect(times({ type: 'list', waits: [10, 20], jitter: 'none' }, 5)).toEqual([10, 30]);
  expect(times({ type: 'none' }, 5)).toEqual([]);
});

it('under the fixed phase each record has its own proportions', () => {
  const [first = 0, , third = 0] = times({ type: 'fibonacci' }, 3);
  expect(third / first).toBeCloseTo(4, 4);
  expect(times({ type: 'fibonacci' }, 3, 'order-8')[0]).not.toBe(first);
});
