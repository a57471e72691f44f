import { expect, it } from 'vitest';
import { isServed } from '../../src/registry/serving.js';
import type { QueueOwner } from '../../src/store/index.js';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const HOUR = 3_600_000;
const iso = (time: number) => new Date(time).toISOString();
const entry = (changes: Partial<QueueOwner> = {}): QueueOwner => ({
  owner: 'shop',
  function: 'arn:shop',
  retryMode: 'perRecord',
  at: iso(NOW - HOUR),
  ...changes,
});
const registry = (queues: Record<string, QueueOwner>) => ({ queues: new Map(Object.entries(queues)) });
const noted = { retryMode: { mode: 'perRecord', since: 0 } } as const;

it.each([
  ['its function has confirmed it today', { a: entry() }, undefined, true],
  [
    'it was handed over, and its new function has not registered yet',
    { a: entry({ function: undefined }) },
    undefined,
    true,
  ],
  ['its owner has given it up', { a: entry({ removedAt: iso(NOW) }) }, noted, false],
  [
    'its owner has not confirmed it for more than a day',
    { a: entry({ at: iso(NOW - 27 * HOUR) }) },
    noted,
    false,
  ],
  ['only other queues have an owner, and no run has served it', { b: entry() }, undefined, false],
  [
    'only other queues have an owner, and a run has served it: of a function without an owner',
    { b: entry() },
    noted,
    undefined,
  ],
  ['no queue has an owner', {}, undefined, undefined],
] as const)('a queue is served, not served, or that is not known: %s', (_, queues, state, expected) => {
  expect(isServed('a', registry(queues as Record<string, QueueOwner>), state, NOW)).toBe(expected);
});
