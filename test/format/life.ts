import { Logger } from '@aws-lambda-powertools/logger';
import { IncidentEvents } from '../../functions/monitor/incident-events.js';
import { Jobs, Tables } from '../../src/engine.js';
import { tierBands } from '../../src/policies/index.js';
import { Dead, HOLD_MS, Pending, RetryAfter } from '../../src/record/index.js';
import type { Process } from '../../src/worker/index.js';
import type { OpenBacklog } from './backlog.js';

export const LIFE_STARTS = Date.parse('2026-01-01T00:00:00.000Z');
const MINUTE = 60_000;

export const BANDS = tierBands(
  [
    { every: 300, untilAge: 86_400 },
    { every: 3_600, untilAge: 7 * 86_400 },
    { every: 12 * 3_600, untilAge: 14 * 86_400 },
  ],
  300,
);

/** Fails as the payload says: a number of times, or permanently. */
const process: Process = ({ id, payload }, { attempt }) => {
  const { fails = 0, dead, rest } = payload as { fails?: number; dead?: boolean; rest?: number };
  if (dead) throw new Dead('nobody wants it');
  if (rest) throw new RetryAfter(rest, 'closed');
  if (attempt <= fails) throw new TypeError(`${id} is not wanted yet: Łódź`);
};

/** Records and control items of every kind: whatever this version leaves in the tables. */
export async function live(backlog: OpenBacklog): Promise<void> {
  const { client, store, put, run, passUntil } = backlog;
  const arrive = async (batch: string, ...ids: string[]) =>
    run({ queue: 'orders', arrivals: { batch, ids } }, process);

  // What has come.
  await put('records', {
    id: { S: 'bare' },
    status: { S: 'NEW' },
    payload: { M: { order: { N: '7' } } },
  });
  await put('records', {
    id: { S: 'bare-in-queue' },
    status: { S: 'NEW' },
    queue: { S: 'orders' },
    payload: { S: 'text' },
    note: { S: 'ours' },
  });
  await client.insert({
    id: 'from-client',
    queue: 'orders',
    payload: { big: 2n ** 60n, set: new Set([1, 2]) },
  });
  await client.insert({ id: 'delayed', queue: 'orders', payload: {} }, { delay: '2h' });
  await client.insert({
    id: 'own-policy',
    queue: 'orders',
    payload: { fails: 1 },
    retry: { type: 'list', waits: [60, 120], maxAttempts: 9 },
    attributes: { customer: 'c-1' },
  });
  await client.insert({ id: 'used-up', queue: 'orders', payload: { fails: 9 }, retry: { type: 'none' } });
  for (const [id, payload] of Object.entries({
    succeeded: {},
    'failed-once': { fails: 1 },
    'failed-often': { fails: 3 },
    'dead-by-process': { dead: true },
    'still-failing': { fails: 9 },
  })) {
    await client.insert({ id, queue: 'orders', payload });
  }
  for (const id of ['bulk-1', 'bulk-2', 'bulk-3', 'bulk-4']) {
    await client.insert({ id, queue: 'bulk', payload: { fails: 9 } });
    passUntil(backlog.clock.now() + MINUTE);
  }
  await client.insert({ id: 'bulk-rests', queue: 'bulk', payload: { rest: 86_400 * 30 } });

  // What has been attempted.
  await arrive(
    '100/6',
    'succeeded',
    'failed-often',
    'dead-by-process',
    'still-failing',
    'own-policy',
    'used-up',
  );
  for (let i = 1; i <= 6; i++) {
    passUntil(LIFE_STARTS + i * 10 * MINUTE);
    await run({ queue: 'orders' }, process);
  }
  await arrive('200/1', 'failed-once');
  await run({ queue: 'bulk', band: BANDS[0] }, process);
  passUntil(LIFE_STARTS + 10 * 86_400_000);
  const [, , third] = BANDS;
  if (third) await run({ queue: 'bulk', band: third, maxRecords: 2 }, process);

  // What runs that were lost have left.
  const until = backlog.clock.wall() + MINUTE;
  const [holder, rev] = ['lost-run', 'lost-rev'];
  for (const id of ['in-flight-1', 'in-flight-2']) {
    await client.insert({ id, queue: 'stuck', payload: {} }, { at: new Date(backlog.clock.now() + 1000) });
  }
  await store.leases.hold('stuck', { holder, until, rev, ids: ['in-flight-1', 'in-flight-2'] });
  await store.leases.hold('stuck-alone', { holder, until, rev, ids: [], suspects: ['bare'] });
  await store.claims.take('orders', {
    batch: '300/1',
    ids: ['from-client'],
    holder,
    until,
    maxRuns: 5,
    now: backlog.clock.wall(),
  });
  await store.sweep.write({ startedAt: LIFE_STARTS, cursors: ['', null, 'bare', ''], found: 2 });
  await bulkJobs(backlog);
  await incident(backlog, true);
  await longAttempts(backlog);
  await outsideEnds(backlog);
}

/** Records whose long attempts were lost with their processes. One of them was asked to end. */
async function longAttempts({ client, store, clock }: OpenBacklog): Promise<void> {
  for (const id of ['long', 'long-cancelled']) {
    await client.insert({ id, queue: 'reports', payload: {} }, { at: new Date(clock.now() + 1000) });
    const record = await store.records.get(id);
    if (!record) throw new Error(`no ${id}`);
    const until = new Date(clock.now() + HOLD_MS).toISOString();
    await store.records.settle(
      record,
      { set: { dueAt: until, notBefore: { until } }, remove: [] },
      `${id}-rev`,
    );
  }
  await client.cancel('long-cancelled', { reason: 'withdrawn' });
}

/** Records that wait for their ends from outside: one still, and one that has failed there. */
async function outsideEnds({ client, run, passUntil, clock }: OpenBacklog): Promise<void> {
  const tokens = new Map<string, string>();
  for (const id of ['asked', 'refused'])
    await client.insert({ id, queue: 'approvals', payload: {} }, { at: new Date(clock.now() + 1000) });
  passUntil(clock.now() + 2000);
  await run({ queue: 'approvals' }, ({ id }, { token }) => {
    tokens.set(id, token);
    throw new Pending({ timeout: '2h', reason: 'waits for approval' });
  });
  await client.fail('refused', tokens.get('refused') ?? '', 'not in the budget');
}

/** The stored jobs: one that was stopped, and one that was lost in its probe. */
async function bulkJobs(backlog: OpenBacklog): Promise<void> {
  const { store } = backlog;
  const jobs = jobsOf(backlog);
  const by = { by: 'ops', from: 'console' };
  const stopped = await jobs.create(
    {
      action: 'redrive',
      which: {
        queue: ['orders', 'bulk'],
        status: ['DEAD'],
        idPrefix: 'us',
        olderThan: '1d',
        failedBefore: '1h',
      },
      ...{ perSecond: 20, limit: 500, total: 1_000, isTotalLeast: true },
    },
    by,
  );
  await jobs.stop(stopped.id, 'anna');
  const probing = await jobs.create(
    {
      action: 'redrive',
      options: { retry: { type: 'none' } },
      which: ['dead-by-process'],
      probe: 5,
      total: 1,
    },
    by,
  );
  const counts = {
    changed: 0,
    failed: 1,
    skipped: { inFlight: 2 },
    failures: [{ id: 'a', reason: 'too large' }],
  };
  const attributes = {
    probed: ['dead-by-process'],
    armedFor: 'erp',
    armedUntil: '2026-01-12T00:00:00.000Z',
  };
  await store.jobs.change(probing.id, { set: { ...attributes, counts, rev: 'r' }, expected: {} });
}

export function jobsOf({ tables, dynamo, clock, random }: OpenBacklog): Jobs {
  const { records: table, control: controlTable } = tables;
  return new Jobs(new Tables({ table, controlTable, client: dynamo, clock, random }));
}

/** A reading of the monitor, in which the destination of a queue fails, or does not any more. Gives the events about it. */
export async function incident({ store, clock }: OpenBacklog, isFailing: boolean): Promise<string[]> {
  const types: string[] = [];
  const events = new IncidentEvents({
    ...{ store, table: 'records', runbook: 'https://example.com/runbook', logger: new Logger() },
    put: async (given) => {
      types.push(...given.map(({ type }) => type));
      return new Set();
    },
  });
  const open = { since: LIFE_STARTS + 9 * 86_400_000, until: clock.now() + MINUTE, token: 't' };
  const state = {
    ...{ paused: false, tiers: new Map() },
    breakers: new Map(isFailing ? [['erp.example.com', open]] : []),
  };
  events.note('orders', { state, counted: undefined }, clock.now());
  await events.emit(clock.now());
  return types;
}
