import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endedText, incidentText } from '../../src/overview/incident-text.js';
import { endedIncidents, incidentsOf } from '../../src/overview/incidents.js';
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
/** An outage that began and ended so many minutes ago. */
const outage = (group: string, from: number, to: number, error = '') => ({
  ...{ group, since: (NOW - from * MINUTE) / 1000, endedAt: (NOW - to * MINUTE) / 1000, error },
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
      'shared has failed since 14:27 UTC: 8 records wait in hooks and other; next probe about 14:51 UTC.',
      '3 destinations of hooks have failed since 14:27 UTC: 7 records wait; next probe about 14:51 UTC.',
    ]);
  });

  it('name the queue where its records have no destination, or a breaker for all of them', () => {
    expect(textsOf(queue('orders', { pending: 2, ...failing('') }))).toEqual([
      'orders has failed since 14:27 UTC: 2 records wait; next probe about 14:51 UTC.',
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
      'erp.example.com (HttpError 503) has failed since 14:27 UTC: next probe about 14:51 UTC.',
    );
    const timeout = [failingNote('', 20 * MINUTE, 'AttemptTimeout')];
    expect(textsOf(queue('orders', { failingGroups: timeout }))).toEqual([
      'orders (AttemptTimeout) has failed since 14:27 UTC: next probe about 14:51 UTC.',
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
      'orders has failed since 14:27 UTC: next probe about 14:51 UTC.',
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
      'mails has failed since 14:27 UTC: next probe about 14:51 UTC.',
      'orders is back since 14:40 UTC: 112 records wait that have failed before, the last is due at 15:02 UTC.',
      'bulk is back since 14:40 UTC: 9 records wait.',
    ]);
    // A queue in which something fails still is not said to be back.
    expect(textsOf(queue('orders', { backAt, ...failing('a') }))).toEqual([
      'a has failed since 14:27 UTC: next probe about 14:51 UTC.',
    ]);
  });

  it('are one from the beginning to the end, for all queues of a destination', () => {
    const note = (minutes: number) => [failingNote('erp', minutes * MINUTE, 'HttpError 503')];
    const seen = (...queues: QueueView[]) =>
      incidentsOf(queues).map(({ id, state, since, queues, queuesBack }) => [
        ...[id, state, (NOW - (since ?? 0)) / MINUTE],
        queues.map(({ stats }) => stats.queue),
        queuesBack.map(({ stats }) => stats.queue),
      ]);
    const orders = { pending: 241, inRetry: 241 };
    const bulk = { pending: 71, inRetry: 71 };
    const failing = queue('bulk', { ...bulk, failingGroups: note(40) });
    const back = (name: string, { from = 42, to = 7, ...parts }: Parts & { from?: number; to?: number }) =>
      queue(name, {
        ...{ backAt: NOW - to * MINUTE, endedOutages: [outage('erp', from, to, 'HttpError 503')] },
        ...parts,
      });
    expect(seen(queue('orders', { ...orders, failingGroups: note(42) }), failing)).toEqual([
      ['destination erp', 'failing', 42, ['orders', 'bulk'], []],
    ]);
    expect(seen(back('orders', orders), failing)).toEqual([
      ['destination erp', 'failing', 42, ['bulk'], ['orders']],
    ]);
    expect(textsOf(back('orders', orders), failing)).toEqual([
      'erp (HttpError 503) has failed since 14:05 UTC: 71 records wait in bulk; next probe about 14:51 UTC; orders is back.',
    ]);
    const both = [back('orders', orders), back('bulk', { ...bulk, from: 40, to: 6 })];
    expect(seen(...both)).toEqual([['destination erp', 'recovering', 42, ['orders', 'bulk'], []]]);
    expect(textsOf(...both)).toEqual([
      'erp (HttpError 503) is back since 14:41 UTC, after 36 min: 312 records wait in orders and bulk that have failed before.',
    ]);
    expect(endedIncidents(both)).toEqual([]);
    // One queue has worked its records off, and is still named as affected.
    const done = queue('bulk', { endedOutages: [outage('erp', 40, 6)] });
    expect(seen(back('orders', orders), done)).toEqual([
      ['destination erp', 'recovering', 42, ['orders', 'bulk'], []],
    ]);
    expect(textsOf(back('orders', orders), done)).toEqual([
      'erp (HttpError 503) is back since 14:41 UTC, after 36 min: 241 records wait in orders that have failed before.',
    ]);
    const ended = [queue('orders', { endedOutages: [outage('erp', 42, 7, 'HttpError 503')] }), done];
    expect(incidentsOf(ended)).toEqual([]);
    expect(endedIncidents(ended)).toMatchObject([
      {
        ...{ id: 'destination erp', destinations: ['erp'], cause: { error: 'HttpError', status: 503 } },
        ...{ since: NOW - 42 * MINUTE, endedAt: NOW - 6 * MINUTE },
      },
    ]);
    expect(endedIncidents(ended).map((one) => endedText(one, NOW))).toEqual([
      'erp (HttpError 503) of bulk and orders: 14:05 to 14:41 UTC, 36 min',
    ]);
  });

  it('keep the id of a queue of which some destinations are back', () => {
    const rest = failing('b', 'c');
    const ended = (from: number, to: number) => ({ endedOutages: [outage('a', from, to)] });
    const idsOf = (parts: Parts, ...others: QueueView[]) =>
      incidentsOf([queue('hooks', parts), ...others]).map(({ id }) => id);
    expect(idsOf(failing('a', 'b', 'c'))).toEqual(['queue hooks']);
    expect(idsOf({ ...rest, ...ended(20, 5) })).toEqual(['queue hooks']);
    expect(idsOf({ ...rest, ...ended(40, 30) })).toEqual(['destination b', 'destination c']);
    const over = ['a', 'b', 'c'].map((group) => outage(group, 20, 5));
    expect(idsOf({ backAt: NOW - 5 * MINUTE, endedOutages: over })).toEqual(['queue hooks']);
    expect(textsOf(queue('hooks', { backAt: NOW - 5 * MINUTE, endedOutages: over, inRetry: 1 }))).toEqual([
      '3 destinations of hooks are back since 14:42 UTC, after 15 min: 1 record waits that has failed before.',
    ]);
    // Another queue joins it later: what many destinations of one queue are is no other incident by that.
    const later = queue('bulk', { failingGroups: [failingNote('a', 9 * MINUTE)] });
    expect(idsOf(failing('a', 'b', 'c'), later)).toEqual(['destination a', 'queue hooks']);
  });

  it('that ended are apart from a later one of the same destination, the latest first', () => {
    const queues = [
      queue('orders', { ...failing('erp'), endedOutages: [outage('erp', 90, 80), outage('erp', 60, 50)] }),
      queue('bulk', { endedOutages: [outage('erp', 55, 45), outage('', 300, 200)] }),
    ];
    expect(incidentsOf(queues)).toMatchObject([{ id: 'destination erp', since: NOW - 20 * MINUTE }]);
    expect(
      endedIncidents(queues).map(({ id, since, endedAt }) => [
        ...[id, (NOW - since) / MINUTE, (NOW - endedAt) / MINUTE],
      ]),
    ).toEqual([
      ['destination erp', 60, 45],
      ['destination erp', 90, 80],
      ['queue bulk', 300, 200],
    ]);
  });

  it('of a destination that was back long before the queue are over', () => {
    const parts = { backAt: NOW - 5 * MINUTE, pending: 9 };
    const outages = [outage('erp', 60, 40), outage('crm', 50, 5)];
    const orders = queue('orders', { ...parts, endedOutages: outages });
    expect(incidentsOf([orders]).map(({ id }) => id)).toEqual(['destination crm']);
    expect(endedIncidents([orders]).map(({ id }) => id)).toEqual(['destination erp']);
    const unknown = queue('orders', { ...parts, endedOutages: [outages[0] as (typeof outages)[0]] });
    expect(incidentsOf([unknown]).map(({ id }) => id)).toEqual(['queue orders']);
  });

  it('have about the time of the next probe, where runs make probes and no breaker is open', () => {
    const probeOf = (stats: object, view: Partial<QueueView> = failing('erp')) => {
      const [one] = incidentsOf([queueView('orders', 'failing', { pending: 1, ...stats }, view)]);
      return one?.probeAt;
    };
    const reading = { at: '', counts: { pending: 1, dead: 0, oldestDueAt: undefined }, shards: 1 };
    const of = (probes?: boolean) => ({ reading: { ...reading, retryMode: 'perRecord', probes } });
    expect([probeOf({}), probeOf(of()), probeOf(of(true))]).toEqual(Array(3).fill(NOW + 4.5 * MINUTE));
    expect(probeOf(of(false))).toBeUndefined();
    expect(probeOf({ retryMode: 'progressive' })).toBeUndefined();
    expect(probeOf({ retryMode: undefined })).toBeUndefined();
    expect(probeOf({}, { unknownGroups: failing('erp').failingGroups })).toBeUndefined();
    expect(probeOf({}, { ...failing('erp'), breakers: [breaker('erp', 9, 30)] })).toBe(NOW + 30 * MINUTE);
    const damaged = { destination: 'erp', since: 0, until: Number.NaN };
    expect(probeOf({}, { ...failing('erp'), breakers: [damaged] })).toBeUndefined();
    const [one] = incidentsOf([queue('orders', failing('erp'))]);
    const textAt = (minutes: number) => one && incidentText(one, NOW + minutes * MINUTE);
    const text = 'erp has failed since 14:27 UTC';
    expect([0, 4.5, 7.5, 8].map(textAt)).toEqual([
      `${text}: next probe about 14:51 UTC.`,
      ...[`${text}: a probe is due.`, `${text}: a probe is due.`, `${text}.`],
    ]);
  });

  it('take any outage that an item can have', () => {
    const at = fc.constantFrom(0, 1, NOW / 1000 - 540, NOW / 1000, NOW / 1000 + 540, 506_804_601_600);
    const one = fc.record({
      group: fc.constantFrom('', '*', '?', 'erp', '__proto__', '<b>'),
      since: at,
      endedAt: at,
      error: fc.string({ maxLength: 100 }),
    });
    const back = fc.option(fc.constantFrom(0, NOW - 9 * MINUTE, NOW, NOW + 9 * MINUTE), { nil: undefined });
    const view = fc.record({
      endedOutages: fc.array(one, { maxLength: 9 }),
      backAt: back,
      failedSince: back,
    });
    fc.assert(
      fc.property(fc.array(view, { maxLength: 4 }), (views) => {
        const queues = views.map((parts, i) => queue(`q${i}`, { pending: 1, ...parts }));
        for (const one of incidentsOf(queues)) expect(incidentText(one, NOW)).not.toBe('');
        for (const one of endedIncidents(queues)) expect(endedText(one, NOW)).not.toBe('');
      }),
    );
  });
});
