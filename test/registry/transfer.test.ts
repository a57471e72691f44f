import { describe, expect, it } from 'vitest';
import type { QueueOwner } from '../../src/store/index.js';
import { nextOwners } from '../../tools/src/cli/owners/next-owners.js';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const entry = (owner: string, changes: Partial<QueueOwner> = {}): QueueOwner => ({
  owner,
  function: `arn:${owner}`,
  retryMode: 'perRecord',
  timeout: 300,
  at: '2026-11-01T00:00:00.000Z',
  ...changes,
});
const queues = new Map([
  ['mails', entry('shop', { removedAt: '2026-11-19T00:00:00.000Z' })],
  ['orders', entry('shop')],
  ['bills', entry('books')],
]);
const moving = (names: readonly string[], from: string | undefined, to: string) =>
  nextOwners({ rev: 'r', queues }, { queues: names, from, to }, NOW);

describe('queues that get another owner', () => {
  it('have no function until its next run, and are no longer removed; all else of them stays', () => {
    const { next, moved } = moving(['mails'], 'shop', 'new');
    expect(moved).toEqual(['mails']);
    expect(next?.get('mails')).toEqual({
      owner: 'new',
      retryMode: 'perRecord',
      timeout: 300,
      at: '2026-11-20T12:00:00.000Z',
    });
    expect([next?.size, next?.get('orders'), next?.get('bills')]).toEqual([
      3,
      queues.get('orders'),
      queues.get('bills'),
    ]);
  });

  it('are all of the old owner, if none is named', () => {
    expect(moving([], 'shop', 'new').moved).toEqual(['mails', 'orders']);
    expect(moving([], 'absent', 'new')).toMatchObject({ next: undefined, moved: [] });
  });

  it('are taken from whichever owner they have, if that is not said', () => {
    expect(moving(['orders', 'bills'], undefined, 'new').moved).toEqual(['orders', 'bills']);
  });

  it('do not move from another owner than was said, from the new one, or from none', () => {
    expect(moving(['orders', 'bills', 'absent'], 'shop', 'shop')).toEqual({
      next: undefined,
      moved: [],
      already: ['orders'],
      unknown: ['absent'],
      others: new Map([['bills', 'books']]),
    });
  });
});
