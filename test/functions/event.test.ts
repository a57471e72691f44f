import { describe, expect, it } from 'vitest';
import { eventsIn, parseEvent } from '../../functions/event.js';
import type { QueuesSettings } from '../../functions/settings.js';
import { DEFAULT_TIERS, tierBands } from '../../src/policies/index.js';
import { ConfigurationError } from '../../src/support/errors.js';

const queues: QueuesSettings = { default: { retryMode: 'perRecord' }, bulk: { retryMode: 'progressive' } };
const [tier, ...catchUp] = tierBands(DEFAULT_TIERS, 300);

describe('a valid event', () => {
  it('names a queue that retries per record', () => {
    expect(parseEvent({ queue: 'default' }, queues)).toEqual({
      queue: 'default',
      settings: { retryMode: 'perRecord' },
    });
  });

  it('names a progressive queue and the age band of its rule, and may name the bands to catch up', () => {
    for (const event of [
      { queue: 'bulk', tier },
      { queue: 'bulk', tier, catchUp },
    ]) {
      expect(parseEvent(event, queues)).toEqual({ ...event, settings: { retryMode: 'progressive' } });
    }
  });
});

describe('an event of several queues', () => {
  const several: QueuesSettings = { ...queues, other: { retryMode: 'progressive' } };

  it('names the band that they share, the bands to catch up, and the part of their shards', () => {
    const shared = { tier, catchUp, part: { number: 1, of: 2 } };
    const each = eventsIn({ queues: { bulk: 1, other: 1 }, ...shared }, several);
    expect(each.map(({ parse, weight }) => [parse(), weight])).toEqual(
      ['bulk', 'other'].map((queue) => [{ queue, ...shared, settings: { retryMode: 'progressive' } }, 1]),
    );
  });

  it('is refused for the queue alone that it does not fit', () => {
    const [one, other, none] = eventsIn({ queues: { bulk: 1, default: 1, none: 1 }, tier }, several);
    expect(one?.parse().queue).toBe('bulk');
    expect(() => other?.parse()).toThrow('event.tier: expected nothing, as the queue "default" retries per');
    expect(() => none?.parse()).toThrow('event.queue: expected a queue of BACKLOG_QUEUES');
  });

  it('is refused for all of them where its own form is wrong', () => {
    expect(() => eventsIn({ queues: { bulk: 1 }, tier: { ...tier, number: 0 } }, several)).toThrow(
      'event.tier.number: expected number to be >=1, got 0',
    );
  });
});

describe('an event of the intake for short waits', () => {
  const exactSince = Date.UTC(2026, 10, 20);

  it('names the time since which records of a queue by due times have come due', () => {
    expect(parseEvent({ queue: 'default', exactSince }, queues)).toMatchObject({ exactSince });
  });

  it.each([
    [{ queue: 'bulk', exactSince }, 'got it on "bulk"'],
    [{ queue: 'default', exactSince, arrivals: { batch: 'b', ids: ['a'] } }, 'got it on "default"'],
  ])('%j is refused', (event, got) => {
    const message = `event.exactSince: expected nothing beside arrivals, and on a progressive queue, ${got}`;
    expect(() => parseEvent(event, queues)).toThrow(new ConfigurationError(message));
  });

  it.each(['soon', 1.5, null])('a time of %j is refused', (wrong) => {
    expect(() => parseEvent({ queue: 'default', exactSince: wrong }, queues)).toThrow('event.exactSince');
  });
});

describe('an event of the intake', () => {
  const arrivals = { batch: '100/0', ids: ['a', 'b'] };

  it('names records that have just come, for a queue of either retry mode', () => {
    expect(parseEvent({ queue: 'default', arrivals }, queues)).toMatchObject({ arrivals });
    expect(parseEvent({ queue: 'bulk', arrivals }, queues)).toMatchObject({ arrivals });
  });

  it.each([
    [
      { queue: 'bulk', tier, arrivals },
      'event.arrivals: expected neither tier nor catchUp nor part beside it, got both kinds',
    ],
    [{ queue: 'bulk', arrivals: { ids: ['a'] } }, 'event.arrivals.batch: expected string, got nothing'],
    [{ queue: 'bulk', arrivals: { batch: 'b', ids: [7] } }, 'event.arrivals.ids.0: expected string, got 7'],
  ])('%j is refused', (event, message) => {
    expect(() => parseEvent(event, queues)).toThrow(new ConfigurationError(message));
  });
});

describe('the error says what was expected of', () => {
  it.each([
    [undefined, 'event: expected object, got nothing'],
    ['default', 'event: expected object, got "default"'],
    [{}, 'event.queue: expected string, got nothing'],
    [{ queue: 7 }, 'event.queue: expected string, got 7'],
    [
      { queue: 'orders' },
      'event.queue: expected a queue of BACKLOG_QUEUES ("default", "bulk"), got "orders"',
    ],
    [
      { queue: 'constructor' },
      'event.queue: expected a queue of BACKLOG_QUEUES ("default", "bulk"), got "constructor"',
    ],
    [{ queue: 'bulk' }, 'event.tier: expected an age band, as the queue "bulk" is progressive, got nothing'],
    [
      { queue: 'default', lane: 'default#1' },
      'event: unknown option "lane"; expected "queue", "tier", "catchUp", "part", "exactSince", "arrivals"',
    ],
    [
      { queue: 'default', part: { number: 2, of: 2 } },
      'event.part: expected a number below "of", got {"number":2,"of":2}',
    ],
    [{ queue: 'bulk', tier: { ...tier, number: 0 } }, 'event.tier.number: expected number to be >=1, got 0'],
    [
      { queue: 'bulk', tier: { ...tier, intervall: 1 } },
      'event.tier: unknown option "intervall"; expected "number", "every", "fromAge", "untilAge", "last"',
    ],
  ])('%j', (event, message) => {
    expect(() => parseEvent(event, queues)).toThrow(new ConfigurationError(message));
  });

  it('a tier, or tiers to catch up, for a queue that retries per record', () => {
    const why = 'expected nothing, as the queue "default" retries per record, got';
    expect(() => parseEvent({ queue: 'default', tier }, queues)).toThrow(`event.tier: ${why} {"number":1`);
    expect(() => parseEvent({ queue: 'default', catchUp }, queues)).toThrow(`event.catchUp: ${why} [{`);
  });

  it('a band that ends before it begins', () => {
    const band = { ...tier, fromAge: 100, untilAge: 100 };
    expect(() => parseEvent({ queue: 'bulk', tier: band }, queues)).toThrow(
      'event.tier: expected untilAge above fromAge',
    );
  });

  it("EventBridge's own event, of a rule without an input", () => {
    const event = { version: '0', 'detail-type': 'Scheduled Event', source: 'aws.events', detail: {} };
    expect(() => parseEvent(event, queues)).toThrow(
      new ConfigurationError(
        'event: this is EventBridge\'s own event: give the rule a constant input such as { "queue": "default" }',
      ),
    );
  });
});
