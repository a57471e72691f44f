import { readFileSync } from 'node:fs';
import { Duration } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import type { BacklogProps, QueueProps } from '../../cdk/index.js';
import { Dead } from '../../src/record/index.js';
import { StoreAccessError, StoreThrottledError } from '../../src/store/index.js';
import { firstAlarm, stateChanges } from '../cloudwatch/alarms.js';
import { Account, MINUTE, START, type Troubles } from './account.js';

const entry = 'test/cdk/fixtures/handler.ts';
/** A process would attempt it; here there is none. */
const EXTERNAL: QueueProps = {
  retry: { type: 'fibonacci' },
  worker: 'external',
  attemptTimeout: Duration.hours(2),
};
const ORDERED: QueueProps = { retry: { type: 'fibonacci' }, entry, order: 'key', skipGapAfter: 'never' };
const PROPS: BacklogProps = {
  queues: {
    orders: { retry: { type: 'fibonacci' }, entry },
    bulk: { progressive: true, entry },
  },
};
/** The account with one alarm each for all queues, and with the composite alarm of the other scenes. */
const MINIMAL: BacklogProps = { ...PROPS, minimal: true, compositeAlarm: true };
/** When it happens: minutes after the account's beginning, and some seconds after a reading of the monitor: the worst time. */
const BROKEN_AT = 10;
const AFTER_A_READING = 0.2;
/** Length of scenes in which no alarm, or its end, is awaited. */
const WATCHED_MINUTES = 20;
const DAY = 86_400_000;

interface Failure {
  readonly props?: BacklogProps;
  /** Records that producers put each minute. Default: 3. */
  readonly perMinute?: number;
  /** The minute after it in which the hourly rules fire. Default: none of the test. */
  readonly hourlyAt?: number;
  readonly troubles?: Troubles;
  readonly happens?: (account: Account) => void | Promise<void>;
  /** The alarm that says so, and when. */
  readonly alarm: string;
  readonly minutes: number;
}

/** The first record of a key does not come. */
const missesNumber = (account: Account) =>
  account.put({ id: 'second', status: 'NEW', queue: 'events', key: 'k', seq: 2, payload: {} });

const denied = new StoreAccessError('not authorized to perform: dynamodb:Query');
const throttled = new StoreThrottledError('the table is throttled');
const QUEUES = /Queues/;
const INTAKE = /^BacklogIntake/;

/** Every tenth record has failed so far; from now on all do. */
const fails = (account: Account) => {
  account.process = () => {
    throw new TypeError('the destination is down');
  };
};
/** No retry helps against the answer: from now on all records die at once. */
const rejects = (account: Account) => {
  account.process = () => {
    throw new Dead('HTTP 400');
  };
};
const isOfBand = (account: Account, ageDays: number, attemptedHoursAgo: number) => {
  const iso = (ms: number) => new Date(account.time.now - ms).toISOString();
  account.store.put({
    id: `old ${ageDays}`,
    queue: 'bulk',
    status: 'ERROR',
    payload: {},
    attempts: 9,
    failures: 9,
    insertedAt: iso(ageDays * DAY),
    dueAt: iso(ageDays * DAY),
    lastAttemptAt: iso(attemptedHoursAgo * 3_600_000),
    lane: 'bulk',
    rev: 'r',
  });
};

/** The function of a queue that the stack had an hour ago is gone; a record waits there for a retry. */
const isRemoved = async ({ store, time }: Account) => {
  const iso = new Date(time.now - 3_600_000).toISOString();
  const { rev, queues } = await store.registry.read();
  const entry = queues.get('orders');
  if (!entry) throw new Error('orders is not registered');
  const removed = { ...entry, function: 'gone', at: iso };
  await store.registry.write({ rev: `${rev}+`, queues: new Map([...queues, ['former', removed]]) }, rev);
  const dueAt = new Date(time.now + 3_600_000).toISOString();
  store.put({ id: 'left', queue: 'former', status: 'ERROR', payload: {}, lane: 'former', dueAt, rev: 'r' });
};

const FAILURES: Readonly<Record<string, Failure>> = {
  'The rule of a queue is disabled or deleted; nothing comes in': {
    perMinute: 0,
    troubles: { rulesOff: /orders.*Poll/ },
    alarm: 'Runs-orders',
    minutes: 11,
  },
  'The same; records come in, and some wait for a retry': {
    troubles: { rulesOff: /orders.*Poll/ },
    alarm: 'Lag-orders',
    minutes: 6,
  },
  'The first rule of a progressive queue is disabled or deleted': {
    troubles: { rulesOff: /bulk.*Tier1/ },
    happens: (account) => isOfBand(account, 0.1, 0),
    alarm: 'Lag-bulk',
    minutes: 11,
  },
  'The rule of a slow tier (every 12 hours) is disabled; a record has missed its turn': {
    troubles: { rulesOff: /bulk.*Tier3/ },
    happens: (account) => isOfBand(account, 10, 12.2),
    alarm: 'Lag-bulk',
    minutes: 6,
  },
  'The event source mapping of the stream is disabled': {
    troubles: { mapping: 'Disabled' },
    alarm: 'IntakeStopped',
    minutes: 11,
  },
  'The handler throws at import': {
    troubles: { importFails: /orders/ },
    alarm: 'RunErrors-orders',
    minutes: 2,
  },
  'The function of a queue may not use a table': {
    troubles: { store: { functions: /orders/, calls: /./, error: denied } },
    alarm: 'RunErrors-orders',
    minutes: 2,
  },
  'The function of a queue may not be started, or has no concurrency left': {
    troubles: { throttled: /orders/ },
    alarm: 'Runs-orders',
    minutes: 11,
  },
  'The intake may not use a table': {
    troubles: { store: { functions: INTAKE, calls: /./, error: denied } },
    happens: (account) =>
      account.put({ id: 'delayed', status: 'NEW', queue: 'orders', availableAt: '2026-03-02T00:00:00Z' }),
    alarm: 'IntakeErrors',
    minutes: 1,
  },
  'The intake cannot be started': {
    troubles: { throttled: INTAKE },
    alarm: 'IntakeStopped',
    minutes: 11,
  },
  'The intake hangs on each batch': {
    troubles: { lambdaHangs: true },
    alarm: 'IntakeAge',
    minutes: 8,
  },
  'The sweep may not use a table (at its next hour)': {
    hourlyAt: 1,
    troubles: { store: { functions: /^BacklogSweep/, calls: /./, error: denied } },
    alarm: 'SweepErrors',
    minutes: 1,
  },
  'DynamoDB throttles the table in a run': {
    troubles: { store: { functions: QUEUES, calls: /pages\.read|settle|leases/, error: throttled } },
    alarm: 'RunErrors-orders',
    minutes: 2,
  },
  'DynamoDB throttles the intake': {
    troubles: { store: { functions: INTAKE, calls: /read|getMany|settle|claims/, error: throttled } },
    happens: (account) =>
      account.put({ id: 'delayed', status: 'NEW', queue: 'orders', availableAt: '2026-03-02T00:00:00Z' }),
    alarm: 'IntakeErrors',
    minutes: 1,
  },
  'DynamoDB throttles the index': {
    troubles: { store: { functions: QUEUES, calls: /pages\.query|settle/, error: throttled } },
    alarm: 'RunErrors-orders',
    minutes: 2,
  },
  'The destination is down': { happens: fails, alarm: 'Failures-orders', minutes: 6 },
  'The destination is down, and the queue has a breaker': {
    props: { queues: { ...PROPS.queues, orders: { retry: { type: 'fibonacci' }, entry, breaker: true } } },
    happens: fails,
    alarm: 'Failures-orders',
    minutes: 6,
  },
  'The destination rejects everything (400): records die at their first attempt': {
    happens: rejects,
    alarm: 'Failures-orders',
    minutes: 6,
  },
  'One attempt after the other hangs': {
    happens: (account) => {
      account.process = () => new Promise(() => {});
    },
    alarm: 'Failures-orders',
    minutes: 12,
  },
  'The function is killed at its deadline, again and again': {
    happens: (account) => {
      account.process = () => account.time.clock().sleep(10 * MINUTE);
    },
    troubles: { killedAfter: { functions: /orders/, milliseconds: 20_000 } },
    alarm: 'RunErrors-orders',
    minutes: 2,
  },
  'The function runs out of memory, again and again': {
    happens: (account) => {
      account.process = () => account.time.clock().sleep(5_000);
    },
    troubles: { killedAfter: { functions: /orders/, milliseconds: 100 } },
    alarm: 'RunErrors-orders',
    minutes: 2,
  },
  'More comes in than the destination takes: the pile grows': {
    props: {
      queues: {
        ...PROPS.queues,
        orders: { retry: { type: 'fibonacci' }, entry, attemptsPerSecond: 0.1, concurrency: 1 },
      },
    },
    happens: (account) =>
      account.every(1_000, 0, () =>
        account.put({ id: `n${account.time.now}`, status: 'NEW', queue: 'orders', payload: {} }),
      ),
    alarm: 'Lag-orders',
    minutes: 6,
  },
  'Records name a queue that there is not': {
    happens: (account) => account.put({ id: 'stray', status: 'NEW', queue: 'oders', payload: {} }),
    alarm: 'UnknownQueue',
    minutes: 1,
  },
  'Records name a task that the handler does not know': {
    happens: (account) =>
      account.every(MINUTE, 0, () => {
        account.put({
          id: `t${account.time.now}`,
          status: 'NEW',
          queue: 'orders',
          task: 'unknown',
          payload: {},
        });
      }),
    alarm: 'UnknownTask-orders',
    minutes: 6,
  },
  'The sweep finds records that no event had reached (it looks again after 15 minutes)': {
    hourlyAt: 1,
    happens: (account) => account.store.put({ id: 'orphan', status: 'NEW', queue: 'orders', payload: {} }),
    alarm: 'NotIndexed',
    minutes: 16,
  },
  "A number of a key does not come, with `skipGapAfter: 'never'`": {
    props: { queues: { ...PROPS.queues, events: ORDERED } },
    happens: missesNumber,
    alarm: 'Held-events',
    minutes: 11,
  },
  'A queue is removed while records wait': { happens: isRemoved, alarm: 'RemovedQueues', minutes: 6 },
  "No process works on a queue with `worker: 'external'` whose attempts may take two hours; a record comes in":
    {
      props: { queues: { ...PROPS.queues, imports: EXTERNAL } },
      happens: (account) => account.put({ id: 'import', status: 'NEW', queue: 'imports', payload: {} }),
      alarm: 'Lag-imports',
      minutes: 11,
    },
  'The monitor is not started': { troubles: { rulesOff: /Monitor/ }, alarm: 'Monitor', minutes: 11 },
  'The monitor may not use a table': {
    troubles: { store: { functions: /^BacklogMonitor/, calls: /./, error: denied } },
    alarm: 'Monitor',
    minutes: 11,
  },
  'With `minimal`: a destination is down': {
    props: MINIMAL,
    happens: fails,
    alarm: 'Failures',
    minutes: 6,
  },
  'With `minimal`: a destination rejects everything (400)': {
    props: MINIMAL,
    happens: rejects,
    alarm: 'Failures',
    minutes: 6,
  },
  'With `minimal`: records are given up': {
    props: MINIMAL,
    happens: (account) => {
      account.process = ({ id }) => {
        if (id === 'r33') throw new Dead('of no use');
      };
    },
    alarm: 'Dead',
    minutes: 2,
  },
  'With `minimal`: the rule of a queue is disabled or deleted; records come in, and some wait for a retry': {
    props: MINIMAL,
    troubles: { rulesOff: /orders.*Poll/ },
    alarm: 'Lag',
    minutes: 6,
  },
  "With `minimal`: a number of a key does not come, with `skipGapAfter: 'never'`": {
    props: { ...MINIMAL, queues: { ...PROPS.queues, events: ORDERED } },
    happens: missesNumber,
    alarm: 'Held',
    minutes: 11,
  },
  'With `minimal`: the event source mapping of the stream is disabled': {
    props: MINIMAL,
    troubles: { mapping: 'Disabled' },
    alarm: 'Monitor',
    minutes: 11,
  },
};

/** @param minutes how long the account lives after it has happened */
async function play(failure: Failure, minutes = failure.minutes + 2) {
  const { props = PROPS, perMinute = 3, hourlyAt = 59, troubles = {}, happens } = failure;
  const account = new Account(props);
  let puts = 0;
  // One record in ten fails at its first attempt, as everywhere.
  account.process = ({ id, attempts }) => {
    if (Number(id.slice(1)) % 10 === 0 && attempts === 0) throw new TypeError('for a moment');
  };
  account.begin((BROKEN_AT + hourlyAt) % 60);
  account.every(MINUTE, 10_000, () => {
    for (let i = 0; i < perMinute; i++) {
      const queue = puts % 3 === 2 ? 'bulk' : 'orders';
      account.put({ id: `r${puts++}`, status: 'NEW', queue, payload: { n: puts } });
    }
  });
  await account.live(BROKEN_AT + AFTER_A_READING);
  account.troubles = troubles;
  await happens?.(account);
  await account.live(minutes);
  return account;
}

const at = (minutes: number) => START + minutes * MINUTE;
const named = (id: string) => id.replace(/^BacklogAlarms/, '').replace(/[0-9A-F]{8}$/, '');
const joined = (name: string) => name.replace('-', '');

/** The latest of what CloudWatch may do: it does not say how far it looks back for data that is missing. */
function raised(account: Account, from: number, until: number): Map<string, number> {
  const latest = new Map<string, number>();
  for (const extraPeriods of [0, 2, 4]) {
    const found = firstAlarm(account.alarms, account.data, {
      from: at(from),
      until: at(until),
      extraPeriods,
    });
    const times = new Map(found.map(({ alarm, minutes }) => [named(alarm), minutes]));
    for (const { id } of account.alarms) {
      const name = named(id);
      latest.set(name, Math.max(latest.get(name) ?? 0, times.get(name) ?? Number.POSITIVE_INFINITY));
    }
  }
  return new Map([...latest].filter(([, minutes]) => minutes < Number.POSITIVE_INFINITY));
}

describe('an alarm goes off within a quarter of an hour', () => {
  it.each(Object.entries(FAILURES))('%s', async (_, failure) => {
    const account = await play(failure);
    const before = raised(account, 0, BROKEN_AT);
    expect([...before.keys()]).toEqual([]);
    const from = BROKEN_AT + (failure.hourlyAt ?? 0);
    const after = raised(account, from, from + failure.minutes + 1);
    expect(Object.fromEntries(after)).toMatchObject({ [joined(failure.alarm)]: failure.minutes });
    // The sweep itself waits for a quarter of an hour, so that no attempt is under way.
    expect(failure.minutes).toBeLessThanOrEqual(failure.alarm === 'NotIndexed' ? 16 : 15);
    expect(after.has('Any')).toBe(true);
  });

  it('and none while nothing fails, or a tenth of the attempts does', async () => {
    const account = await play({ alarm: '', minutes: 0 }, WATCHED_MINUTES);
    expect(raised(account, 0, BROKEN_AT + WATCHED_MINUTES)).toEqual(new Map());
  });

  it('and none with `minimal` while a tenth of the attempts fails', async () => {
    const account = await play({ props: MINIMAL, alarm: '', minutes: 0 }, WATCHED_MINUTES);
    expect(raised(account, 0, BROKEN_AT + WATCHED_MINUTES)).toEqual(new Map());
  });

  it('and goes back when the cause is gone', async () => {
    const account = await play(
      { troubles: { importFails: /orders/ }, alarm: '', minutes: 0 },
      WATCHED_MINUTES,
    );
    account.troubles = {};
    await account.live(20);
    const changes = stateChanges(account.alarms, account.data, {
      from: at(BROKEN_AT),
      until: at(BROKEN_AT + WATCHED_MINUTES + 20),
    });
    const last = new Map(changes.map(({ alarm, state }) => [named(alarm), state]));
    expect(last.get('RunErrorsorders')).toBe('OK');
    expect([...last.values()]).not.toContain('ALARM');
  });

  it('as docs/monitoring.md says', () => {
    const rows = readFileSync('docs/monitoring.md', 'utf8')
      .split('\n')
      .map((line) => /^\| (.+) \| `([A-Za-z-]+)…?` \| (\d+) \|$/.exec(line))
      .flatMap((match) => (match ? [match.slice(1)] : []));
    expect(rows).toEqual(
      Object.entries(FAILURES).map(([name, { alarm, minutes }]) => [
        name,
        alarm.replace(/-(orders|bulk|imports|events)$/, '-'),
        String(minutes),
      ]),
    );
  });
});
