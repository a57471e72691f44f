import { describe, expect, it } from 'vitest';
import { incidentText } from '../../src/overview/incident-text.js';
import { incidentsOf } from '../../src/overview/incidents.js';
import type { QueueView } from '../../src/overview/snapshot.js';
import { failingNote, MINUTE, NOW, queueView } from '../cli/top/queue-views.js';

type Parts = Partial<QueueView> & { readonly pending?: number; readonly lastDueAt?: string };

const queue = (name: string, { pending = 0, lastDueAt, ...view }: Parts = {}): QueueView =>
  queueView(
    name,
    'failing',
    { pending, openBreakers: view.breakers?.length ?? 0, ...(lastDueAt ? { lastDueAt } : {}) },
    view,
  );
const breaker = (destination: string, minutes: number, probeIn = 4) => ({
  destination,
  since: NOW - minutes * MINUTE,
  until: NOW + probeIn * MINUTE,
});
const failing = (...groups: string[]) => ({
  failingGroups: groups.map((group) => failingNote(group, 20 * MINUTE)),
});
const textsOf = (...queues: QueueView[]) => incidentsOf(queues).map((one) => incidentText(one, NOW));

describe('incidents', () => {
  it('are one for all queues that share a destination, by notes and by breakers', () => {
    const queues = [
      queue('bulk', { pending: 168, breakers: [breaker('erp.example.com', 10)] }),
      queue('orders', { pending: 598, ...failing('', 'erp.example.com') }),
      queue('mails', { pending: 3 }),
    ];
    const [incident, ...others] = incidentsOf(queues);
    expect(others).toEqual([]);
    expect(incident).toMatchObject({
      id: 'destination erp.example.com',
      since: NOW - 20 * MINUTE,
      lastFailureAt: NOW,
      lastSuccessAt: undefined,
      breakerSince: NOW - 10 * MINUTE,
      probeAt: NOW + 4 * MINUTE,
    });
    expect(incident?.queues.map(({ stats }) => stats.queue)).toEqual(['orders', 'bulk']);
    expect(textsOf(...queues)).toEqual([
      'erp.example.com has failed since 14:27 UTC: breaker open since 14:37 UTC, next probe in 4 min; 766 records wait in orders and bulk.',
    ]);
  });

  it('are one with a queue whose few records are no outage by themselves, if they name the destination', () => {
    const few = (...groups: string[]) => ({
      failing: { since: NOW - 5 * MINUTE, succeeded: 0, failed: 3, minutes: 15 },
      earlyNotes: groups.map((group) => failingNote(group, 4 * MINUTE)),
    });
    const orders = queue('orders', { pending: 9, ...failing('', 'erp') });
    const queuesOf = (bulk: Parts) =>
      incidentsOf([orders, queue('bulk', bulk)]).map(({ queues }) => queues.map(({ stats }) => stats.queue));
    expect(queuesOf(few('', 'erp'))).toEqual([['orders', 'bulk']]);
    expect(queuesOf(few(''))).toEqual([['orders'], ['bulk']]);
    expect(queuesOf(few('erp', 'crm'))).toEqual([['orders'], ['bulk']]);
    expect(textsOf(queue('bulk', few('', 'erp')))[0]).toMatch(/^erp has failed since 14:42 UTC/);
  });

  it('have the latest success that the notes of their queues know', () => {
    const group = (minutesAgo: number) => ({
      failingGroups: [{ ...failingNote('a', 20 * MINUTE), lastSuccessAt: NOW / 1000 - minutesAgo * 60 }],
    });
    const [incident] = incidentsOf([
      queue('orders', group(7)),
      queue('bulk', group(5)),
      queue('x', failing('a')),
    ]);
    expect(incident?.lastSuccessAt).toBe(NOW - 5 * MINUTE);
  });

  it('are one for each of two destinations, the one with most records first', () => {
    const orders = queue('orders', { pending: 5, ...failing('a.example.com') });
    const bulk = queue('bulk', { pending: 9, ...failing('b.example.com') });
    expect(incidentsOf([orders, bulk]).map(({ id }) => id)).toEqual([
      'destination b.example.com',
      'destination a.example.com',
    ]);
  });

  it('are the queue, where three or more destinations fail that no other queue has', () => {
    const many = queue('hooks', { pending: 7, ...failing('a', 'b', 'c', 'shared') });
    const other = queue('other', { pending: 1, ...failing('shared') });
    expect(textsOf(many, other)).toEqual([
      'shared has failed since 14:27 UTC: 8 records wait in hooks and other.',
      '3 destinations of hooks have failed since 14:27 UTC: 7 records wait.',
    ]);
  });

  it('name the queue where its records have no destination, or a breaker for all of them', () => {
    expect(textsOf(queue('orders', { pending: 2, ...failing('') }))).toEqual([
      'orders has failed since 14:27 UTC: 2 records wait.',
    ]);
    for (const name of ['*', '?']) {
      expect(textsOf(queue('orders', { breakers: [breaker(name, 34, -1)] }))).toEqual([
        'orders has failed since 14:13 UTC: breaker open, a probe is due.',
      ]);
    }
  });

  it('name the class and the status of the last error that is noted', () => {
    const groups = [failingNote('erp.example.com', 20 * MINUTE, 'HttpError 503')];
    const [incident] = incidentsOf([queue('orders', { failingGroups: groups })]);
    expect(incident?.cause).toEqual({ error: 'HttpError', status: 503 });
    expect(incident && incidentText(incident, NOW)).toBe(
      'erp.example.com (HttpError 503) has failed since 14:27 UTC.',
    );
    const timeout = [failingNote('', 20 * MINUTE, 'AttemptTimeout')];
    expect(textsOf(queue('orders', { failingGroups: timeout }))).toEqual([
      'orders (AttemptTimeout) has failed since 14:27 UTC.',
    ]);
  });

  it('leave out times that cannot be read', () => {
    const damaged = { destination: 'erp.example.com', since: 0, until: Number.NaN };
    expect(textsOf(queue('orders', { breakers: [damaged], pending: 1 }))).toEqual([
      'erp.example.com fails: breaker open; 1 record waits in orders.',
    ]);
  });

  it('take any name for a name', () => {
    const names = ['__proto__', 'constructor', 'toString'];
    expect(incidentsOf(names.map((name) => queue(name, failing(name)))).map(({ id }) => id)).toEqual(
      ['__proto__', 'constructor', 'toString'].map((name) => `destination ${name}`),
    );
  });

  it('are not known in a pause, unless an open breaker or another queue says that they go on', () => {
    const paused = (name: string, view: Parts = {}) =>
      queue(name, {
        unknownGroups: [failingNote('erp', 20 * MINUTE, 'HttpError 503')],
        pending: 30,
        ...view,
      });
    expect(textsOf(paused('orders'))).toEqual([
      'erp (HttpError 503) had failed since 14:27 UTC, and nothing is known since the pause: 30 records wait in orders.',
    ]);
    const statesOf = (...queues: QueueView[]) => incidentsOf(queues).map(({ state }) => state);
    expect(statesOf(paused('orders'))).toEqual(['unknown']);
    expect(statesOf(paused('orders'), queue('bulk', failing('erp')))).toEqual(['failing']);
    expect(statesOf(paused('orders', { breakers: [breaker('erp', 9)] }))).toEqual(['failing']);
  });

  it('have the time at which the last of their records is due, where it is known of all queues', () => {
    const due = (minutes: number) => new Date(NOW + minutes * MINUTE).toISOString();
    const orders = queue('orders', { pending: 2, lastDueAt: due(15), ...failing('erp') });
    const bulk = (lastDueAt: string | undefined, pending = 2) =>
      queue('bulk', { pending, ...(lastDueAt && { lastDueAt }), ...failing('erp') });
    const timesOf = (...queues: QueueView[]) => incidentsOf(queues).map(({ lastDueAt }) => lastDueAt);
    expect(timesOf(orders, bulk(due(3)))).toEqual([NOW + 15 * MINUTE]);
    expect(timesOf(orders, bulk(undefined))).toEqual([undefined]);
    expect(timesOf(orders, bulk('tomorrow'))).toEqual([undefined]);
    expect(timesOf(orders, bulk(undefined, 0))).toEqual([NOW + 15 * MINUTE]);
  });

  it('are dead records of a queue, after all that fails', () => {
    const at = (minutesAgo: number) => new Date(NOW - minutesAgo * MINUTE).toISOString();
    const dead = (name: string, stats: object) => queueView(name, 'dead', { dead: 48, ...stats });
    const invoices = dead('invoices', { firstDeadAt: at(60), lastDeadAt: at(16) });
    expect(textsOf(invoices, queue('orders', failing('')))).toEqual([
      'orders has failed since 14:27 UTC.',
      'invoices has 48 dead records since 13:47 UTC, the latest of 14:31 UTC.',
    ]);
    expect(incidentsOf([invoices])).toMatchObject([
      { id: 'dead invoices', state: 'dead', since: NOW - 60 * MINUTE, lastFailureAt: NOW - 16 * MINUTE },
    ]);
    const page = {
      id: 'Failures-invoices',
      name: 'F',
      level: 'page',
      queue: 'invoices',
      since: NOW,
    } as const;
    expect(incidentsOf([invoices], [page])[0]?.alarms).toBeUndefined();
    expect(textsOf(dead('invoices', { counted: 'about', firstDeadAt: at(60) }))).toEqual([
      'invoices has ≈ 48 dead records since 13:47 UTC.',
    ]);
    expect(textsOf(dead('invoices', { dead: 1, firstDeadAt: at(60), lastDeadAt: at(60) }))).toEqual([
      'invoices has 1 dead record since 13:47 UTC.',
    ]);
    expect(textsOf(dead('invoices', { dead: 2, firstDeadAt: 'never' }))).toEqual([
      'invoices has 2 dead records.',
    ]);
  });

  it('end in a recovery that says what is left, and when the last of it is due', () => {
    const backAt = NOW - 7 * MINUTE;
    const lastDueAt = new Date(NOW + 15 * MINUTE).toISOString();
    const local = queue('orders', { pending: 120, backAt, inRetry: 112, lastDueAt });
    const deployed = queue('bulk', { pending: 9, backAt });
    expect(textsOf(deployed, local, queue('mails', failing('')))).toEqual([
      'mails has failed since 14:27 UTC.',
      'orders is back since 14:40 UTC: 112 records wait that have failed before, the last is due at 15:02 UTC.',
      'bulk is back since 14:40 UTC: 9 records wait.',
    ]);
    // A queue in which something fails still is not said to be back.
    expect(textsOf(queue('orders', { backAt, ...failing('a') }))).toEqual(['a has failed since 14:27 UTC.']);
  });
});
