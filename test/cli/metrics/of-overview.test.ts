import { describe, expect, it } from 'vitest';
import { gaugesOfOverview } from '../../../tools/src/metrics/of-overview.js';
import { NOW, queueView } from '../top/queue-views.js';

const gauges = (view: ReturnType<typeof queueView>) =>
  gaugesOfOverview({ table: 'Records', snapshot: { now: NOW, rules: [], queues: [view] } })[0]?.values;

describe('the gauges of an overview', () => {
  it('are those of the index, where it was read to its end', () => {
    const stats = { pending: 12, dead: 2, lagSeconds: 31, inRetry: 4 };
    expect(gauges(queueView('orders', 'working', stats, { failingSeconds: 40 }))).toEqual({
      waiting: 12,
      dead: 2,
      inRetry: 4,
      oldestDueAge: 31,
      failing: 40,
      paused: 0,
      readingAge: 0,
    });
  });

  it('have the age of the count of the monitor, where that stands for the index', () => {
    const countedAt = new Date(NOW - 600_000).toISOString();
    const stats = { counted: 'about', countedAt, pending: 100_000 } as const;
    expect(gauges(queueView('orders', 'waiting', stats))).toMatchObject({
      waiting: 100_000,
      readingAge: 600,
    });
  });

  it('have no counts where there are more records than were read', () => {
    const stats = { counted: 'atLeast', pending: 800, dead: 3, lagSeconds: 9, paused: true } as const;
    const found = gauges(queueView('orders', 'paused', stats));
    expect(JSON.parse(JSON.stringify(found))).toEqual({ oldestDueAge: 9, paused: 1 });
  });

  it('leave out what is not known: records in retry, lateness of a progressive queue, failures', () => {
    const stats = { pending: 1, lagSeconds: undefined };
    const found = gauges(queueView('bulk', 'waiting', stats));
    expect(JSON.parse(JSON.stringify(found))).toEqual({ waiting: 1, dead: 0, paused: 0, readingAge: 0 });
  });

  it('say that no record is in retry where none waits', () => {
    expect(gauges(queueView('orders', 'quiet'))).toMatchObject({ waiting: 0, inRetry: 0 });
  });

  it('are those of the queues that were asked for, in alphabetical order', () => {
    const queues = ['b', 'c', 'a'].map((name) => queueView(name, 'quiet'));
    const names = (only?: string[]) =>
      gaugesOfOverview({ table: 'Records', snapshot: { now: NOW, rules: [], queues } }, only).map(
        ({ queue }) => queue,
      );
    expect(names()).toEqual(['a', 'b', 'c']);
    expect(names(['c'])).toEqual(['c']);
  });
});
