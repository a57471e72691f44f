import { describe, expect, it } from 'vitest';
import { type Claimant, decideOwnership, sinceConfirmed } from '../../src/registry/ownership.js';
import type { QueueOwner } from '../../src/store/index.js';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const MINUTE = 60_000;
const DAY = 86_400_000;
const iso = (time: number) => new Date(time).toISOString();

const shop: Claimant = {
  owner: 'shop',
  function: 'arn:shop',
  queues: { orders: { retryMode: 'perRecord', timeout: 300 } },
  isStandby: false,
};
const entry = (changes: Partial<QueueOwner> = {}): QueueOwner => ({
  owner: 'shop',
  function: 'arn:shop',
  retryMode: 'perRecord',
  timeout: 300,
  at: iso(NOW - MINUTE),
  ...changes,
});
const decide = (queues: Record<string, QueueOwner>, claimant: Partial<Claimant> = {}, now = NOW) => {
  const registry = { rev: 'r', queues: new Map(Object.entries(queues)) };
  const { next, foreign } = decideOwnership(registry, { ...shop, ...claimant }, now);
  return { next: next && Object.fromEntries(next.queues), foreign: Object.fromEntries(foreign) };
};
const NOTHING = { next: undefined, foreign: {} };

describe('the registry of owners', () => {
  it('takes up a queue that has no owner, beside those of others', () => {
    const bulk = entry({ owner: 'team', at: 'long ago' });
    expect(decide({ bulk })).toEqual({ next: { bulk, orders: entry({ at: iso(NOW) }) }, foreign: {} });
  });

  it('has nothing new where all is said and was confirmed today, however its attributes are ordered', () => {
    const { owner, ...others } = entry();
    expect(decide({ orders: { ...others, owner } })).toEqual(NOTHING);
    expect(decide({ orders: entry({ at: iso(NOW - DAY + 1) }) })).toEqual(NOTHING);
  });

  it.each([
    ['was confirmed a day ago', { at: iso(NOW - DAY) }],
    ['was confirmed at a time that no clock has shown', { at: iso(NOW + DAY) }],
    ['was confirmed at an unreadable time', { at: 'yesterday' }],
    ['names another function', { function: 'arn:before' }],
    ['was handed over to it', { function: undefined }],
    ['has other settings', { shards: 8 }],
    ['says that the queue is given up', { removedAt: iso(NOW - DAY) }],
  ])('is written again where an own entry %s', (_, changes) => {
    const expected = entry({ at: iso(NOW) });
    expect(decide({ orders: entry(changes) })).toEqual({ next: { orders: expected }, foreign: {} });
  });

  describe('of a queue without a function', () => {
    const external = { orders: { retryMode: 'perRecord', timeout: 300, external: true } } as const;
    const process = { queues: external, isProcess: true };

    it('has the same entry by whichever process says it', () => {
      const orders = entry({ function: 'external', at: iso(NOW) });
      expect(decide({}, { ...process, function: undefined })).toEqual({ next: { orders }, foreign: {} });
      expect(decide({ orders }, { ...process, function: 'another host' })).toEqual(NOTHING);
    });

    it('has it in place of the function that it had, and the function in place of it', () => {
      const after = { orders: entry({ function: 'external', at: iso(NOW) }) };
      expect(decide({ orders: entry() }, process).next).toEqual(after);
      expect(decide(after).next).toEqual({ orders: entry({ at: iso(NOW) }) });
    });

    it('is taken over in another region, as that of a function is', () => {
      const orders = entry({ owner: 'shop-west', function: 'process:::eu-west-1:external' });
      const inCentral = { ...process, region: 'eu-central-1' };
      expect(decide({ orders }, inCentral).next?.orders).toMatchObject({
        owner: 'shop',
        function: 'process:::eu-central-1:external',
      });
      expect(decide({ orders }, { ...inCentral, region: 'eu-west-1' })).toEqual({
        next: undefined,
        foreign: { orders },
      });
    });

    it('is not given up by a process that has other queues', () => {
      const imports = entry({ function: 'external', at: iso(NOW - DAY / 2) });
      const orders = entry({ function: 'external', at: iso(NOW) });
      expect(decide({ imports, orders }, process)).toEqual(NOTHING);
    });
  });

  it('does not change the entry of a function’s queue for a process that attempts it as well', () => {
    const bulk = entry({ owner: 'team', at: iso(NOW) });
    const queues = { ...shop.queues, bulk: { retryMode: 'perRecord' } } as const;
    const beside = { function: undefined, queues, isProcess: true };
    expect(decide({ bulk }, beside)).toEqual({ next: undefined, foreign: { bulk } });
  });

  it('confirms no entry again because clocks differ', () => {
    expect(decide({ orders: entry({ at: iso(NOW + MINUTE) }) })).toEqual(NOTHING);
  });

  it('leaves a queue of another owner alone, whenever that has confirmed it', () => {
    const orders = entry({ owner: 'team', at: iso(NOW - 30 * DAY) });
    expect(decide({ orders })).toEqual({ next: undefined, foreign: { orders } });
  });

  it('takes up a queue that another owner has given up', () => {
    const orders = entry({ owner: 'team', function: 'arn:team', removedAt: iso(NOW - MINUTE) });
    expect(decide({ orders })).toEqual({ next: { orders: entry({ at: iso(NOW) }) }, foreign: {} });
  });

  it('gives a standby only what was handed over to it', () => {
    const given = entry({ owner: 'team', removedAt: iso(NOW) });
    const standby = { isStandby: true };
    expect(decide({}, standby)).toEqual({ next: undefined, foreign: { orders: undefined } });
    expect(decide({ orders: given }, standby)).toEqual({ next: undefined, foreign: { orders: given } });
    expect(decide({ orders: entry({ function: undefined }) }, standby).foreign).toEqual({});
  });

  it('marks what the function served and does not any more, unless a deployment may be under way', () => {
    const previous = entry({ at: iso(NOW - 20 * MINUTE) });
    const orders = entry();
    expect(decide({ orders, previous })).toEqual({
      next: { orders, previous: { ...previous, removedAt: iso(NOW) } },
      foreign: {},
    });
    expect(decide({ orders, previous: entry({ at: iso(NOW - 14 * MINUTE) }) })).toEqual(NOTHING);
    expect(decide({ orders, previous: entry({ ...previous, function: 'arn:another' }) })).toEqual(NOTHING);
    expect(decide({ orders, previous: entry({ ...previous, owner: 'team' }) })).toEqual(NOTHING);
    expect(decide({ orders, previous: entry({ ...previous, removedAt: iso(NOW) }) })).toEqual(NOTHING);
  });

  it('tells how long ago a queue was confirmed', () => {
    expect(sinceConfirmed({ at: iso(NOW - 5) }, NOW)).toBe(5);
    expect(sinceConfirmed({ at: 'x' }, NOW)).toBe(Number.POSITIVE_INFINITY);
    expect(sinceConfirmed(undefined, NOW)).toBe(Number.POSITIVE_INFINITY);
  });
});
