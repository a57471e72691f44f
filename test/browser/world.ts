import type { AlarmOn } from '../../src/overview/alarms-on.js';
import type { MinuteCount, QueueStatus, RuleStatus, RunReport } from '../../src/overview/runtime.js';
import { busyKeysText, hashOfKey } from '../../src/record/busy-keys.js';
import type { RunSummary } from '../../src/worker/summary.js';
import type { RuntimeStatus } from '../../tools/src/local/status/status.js';
import {
  consoleUnderTest,
  DAY,
  dead,
  HOUR,
  inRetry,
  iso,
  MINUTE,
  NOW,
  runtimeUnderTest,
  waiting,
} from '../console/console-under-test.js';
import { fillGroups } from '../console/stored-groups.js';
import { fillLines } from '../console/stored-lines.js';
import { fillRecurring, schedule } from '../console/stored-schedules.js';
import {
  HELD_KEYS,
  HOSTILE_ERROR,
  HOSTILE_GROUPS,
  HOSTILE_IDS,
  HOSTILE_PAYLOADS,
  HOSTILE_TEXTS,
} from './hostile.js';
import { fillJobs } from './stored-jobs.js';

type Console = ReturnType<typeof consoleUnderTest>;
type Store = Console['store'];

const QUEUES = [
  { name: 'orders', retry: { type: 'fibonacci', maxAttempts: 20 } },
  { name: 'webhooks', retry: { type: 'exponential', maxAttempts: 12 } },
  { name: 'invoices', retry: { type: 'fibonacci', maxAttempts: 30 } },
  { name: 'catalog', retry: { type: 'progressive' } },
  { name: 'mails', retry: { type: 'constant', interval: 300, maxAttempts: 10 } },
] as const;
/** When the ERP went down. */
const OUTAGE = 34 * MINUTE;

const FAILURES: AlarmOn = {
  ...{ id: 'Failures-orders', name: 'Shop-BacklogAlarmsFailuresorders3B235F6F-1J6YQJ3UZ0', level: 'page' },
  ...{ queue: 'orders', since: NOW - OUTAGE + 6 * MINUTE },
};
const DEAD: AlarmOn = {
  ...FAILURES,
  id: 'Dead-orders',
  name: 'Shop-Dead',
  level: 'ticket',
  since: NOW - 9 * MINUTE,
};
const MUTED = { until: NOW + 73 * MINUTE, note: 'by ann, "the bank is down"' };
const alarmsOf = (on: readonly AlarmOn[]) => ({ on, refresh: async () => {}, close: () => {} });

/** A shop on a bad day: its ERP has been down for 34 minutes. The same at each start. */
export async function shop(changes: Parameters<typeof consoleUnderTest>[0] = {}): Promise<Console> {
  const console = consoleUnderTest({
    name: 'shop',
    where: 'table Records of the local runtime',
    access: { write: true, as: 'ops' },
    queues: () => QUEUES,
    runtime: runtimeOfShop(),
    alarms: alarmsOf([FAILURES]),
    ...changes,
  });
  await fillShop(console);
  return console;
}

/** The same, with records of someone who wants to harm its operator. */
export async function hostileShop(): Promise<Console> {
  const hostile = HOSTILE_TEXTS.map((text, i) => ({
    ...FAILURES,
    id: text,
    name: `${i}${text}`,
    muted: { note: text },
  }));
  const console = await shop({ alarms: alarmsOf(hostile) });
  fillHostile(console.store);
  return console;
}

/** A deployed backlog that may only be looked at. */
export const deployedShop = () =>
  shop({
    runtime: undefined,
    queues: undefined,
    alarms: alarmsOf([{ ...FAILURES, muted: MUTED }, DEAD]),
    where: 'table Records in eu-central-1',
    access: { write: false, reason: 'The console was started without --write.' },
  });

/** Its clock is paused, and goes on at a speed that was typed. */
export const pausedShop = () => shop({ runtime: runtimeOfShop({ speed: 2_500, paused: true }) });

/** Its clock is slower than it was asked to go. */
export const slowedShop = () => shop({ runtime: runtimeOfShop({ speed: 312, askedSpeed: 2_500 }) });

/** Parts of its payloads are hidden, and where the module that hides them fails, all of it. */
export const redactedShop = () =>
  shop({
    redact: (payload, { id }) => {
      if (id === 'order-0960') throw new TypeError('no such payload');
      return { ...(payload as object), shipTo: '[hidden]' };
    },
  });

/** It has stored jobs in each state. */
export async function shopWithJobs(): Promise<Console> {
  const console = await shop();
  await fillJobs(console);
  return console;
}

/** It has recurring records in each state, and those of someone who wants to harm its operator. */
export async function shopWithRecurring(): Promise<Console> {
  const console = await shop();
  fillRecurring(console.store);
  HOSTILE_TEXTS.forEach((text, i) => {
    const paused = { since: iso(-HOUR), reason: text, by: text };
    const definition = { schedule: 'rate(1 hour)', task: text || 'x', payload: { text } };
    console.store.put(schedule(`hostile-${i}`, { ...definition, paused }));
    console.store.put({ ...schedule('', { schedule: text, timeZone: text }), id: `recurring:${i}${text}` });
  });
  return console;
}

/** It has groups in each state, and those of someone who wants to harm its operator. */
export async function shopWithGroups(changes: Parameters<typeof shop>[0] = {}) {
  const console = await shop({ countsGroups: () => true, ...changes });
  const groups = await fillGroups(console);
  for (const id of HOSTILE_GROUPS) await groups.begin(id, 2, { onFirstDeath: { queue: 'mails' } });
  for (const id of HOSTILE_GROUPS) groups.end(id, { status: 'DEAD', lane: 'orders/dead' }, 0);
  await groups.count();
  return { ...console, groups };
}

/** It has lines in each state, and those of keys of someone who wants to harm its operator. */
export async function shopWithLines(): Promise<Console> {
  const console = await shop();
  await fillLines(console.store, HELD_KEYS);
  return console;
}

/** The same, deployed and read-only: the process of one job is lost. */
export async function deployedWithJobs(): Promise<Console> {
  const console = await deployedShop();
  await fillJobs(console, { lost: true });
  return console;
}

/** Nothing has been put into it yet. */
export const emptyShop = async () => consoleUnderTest({ name: 'shop', where: 'table Records' });

/** Its tables cannot be read. */
export async function brokenShop(): Promise<Console> {
  const console = await shop();
  const fail = async () => {
    throw Object.assign(new Error('User is not authorized to perform: dynamodb:Query'), {
      name: 'AccessDeniedException',
    });
  };
  const { control, records, pages } = console.store;
  Object.assign(control, { read: fail });
  Object.assign(records, { get: fail });
  Object.assign(pages, { query: fail });
  return console;
}

async function fillShop({ store, time }: Console): Promise<void> {
  for (const { name } of QUEUES) {
    const mode = name === 'catalog' ? 'progressive' : 'perRecord';
    await store.queues.setRetryMode(name, { mode, since: 0 }, undefined);
  }
  const open = { until: NOW + 4 * MINUTE, since: NOW - OUTAGE, token: 'open' };
  await store.breakers.set('orders', 'https://erp.example/orders', open, undefined);
  time.now = NOW - 52 * MINUTE;
  await store.queues.setPaused('invoices', true);
  time.now = NOW;
  const lane = { shard: 31, hash: hashOfKey('partner.example'), until: NOW + 52 * MINUTE };
  await store.queues.noteBusyKeys('webhooks', busyKeysText([lane]), undefined);
  await store.leases.hold('webhooks', { holder: 'run-7f3a', until: NOW + 42_000, ids: ['hook-2'], rev: 'x' });
  for (const [tier, ago] of [3, 9, 20].entries()) {
    await store.queues.recordTierRun('catalog', String(tier + 2), {
      at: NOW - ago * HOUR,
      complete: tier !== 1,
    });
  }
  fillOrders(store);
  fillOthers(store);
}

const CITIES = ['Lisboa', 'Łódź', 'Malmö', 'Nantes', 'Zürich'];
const ARTICLES = ['TEA-EARL-GREY', 'TEA-SENCHA', 'MUG-BLUE', 'KETTLE-1L', 'HONEY-250G'];
const CUSTOMERS = ['acme', 'acme', 'acme', 'northwind', 'lakeside-tea', 'bistro-42', 'fjord'];
const customer = (i: number) => CUSTOMERS[i % CUSTOMERS.length] ?? '';
const order = (i: number) => ({
  order: 1000 + i,
  shipTo: CITIES[i % CITIES.length],
  lines: [{ article: ARTICLES[(i * 3) % ARTICLES.length], quantity: 1 + (i % 3) }],
  total: 9.5 * (1 + (i % 3)),
  currency: 'EUR',
});

const DOWN = {
  name: 'HttpError',
  message: 'HTTP 503 from https://erp.example: down for maintenance',
  stack:
    'HttpError: HTTP 503 from https://erp.example: down for maintenance\n    at send (orders.ts:48:11)\n    at deliver (orders.ts:31:9)',
};
const SLOW = { name: 'AttemptTimeout', message: 'no answer within 10 s' };

function fillOrders(store: Store): void {
  for (let i = 0; i < 46; i++) {
    const failures = 3 + (i % 5);
    store.put(
      failed(`order-${1000 + i}`, {
        key: customer(i),
        payload: order(i),
        insertedAt: iso(-OUTAGE + i * 20_000),
        error: i % 7 === 3 ? SLOW : DOWN,
        failures,
        last: -(i % 9) * MINUTE - 20_000,
        dueAt: iso((i % 13) * MINUTE + 70_000),
      }),
    );
  }
  for (let i = 46; i < 78; i++) {
    const insertedAt = iso(-2 * MINUTE + i * 1_000);
    const dueAt = iso(-(i % 4) * 9_000);
    store.put(waiting(`order-${1000 + i}`, { key: customer(i), payload: order(i), insertedAt, dueAt }));
  }
  // Eight attempts: enough to see the curve of its policy.
  store.put({
    ...failed('order-0987', {
      payload: order(87),
      insertedAt: iso(-62 * MINUTE),
      error: DOWN,
      failures: 8,
      last: -7 * MINUTE,
      dueAt: iso(27 * MINUTE),
    }),
    ...fibonacciHistory(),
  });
  for (let i = 0; i < 5; i++) {
    const { error, ...rest } = {
      error: {
        name: 'HttpError',
        message: `HTTP 422 from https://erp.example: unknown article MUG-${7790 + i}-DISCONTINUED`,
      },
      payload: { ...order(i), lines: [{ article: `MUG-${7790 + i}-DISCONTINUED`, quantity: 1 }] },
    };
    const last = -(i < 3 ? 22 + i : 400 + 90 * i) * MINUTE;
    store.put(
      dead(`order-09${60 + i}`, {
        ...failed(`order-09${60 + i}`, {
          ...rest,
          error,
          insertedAt: iso(last - MINUTE),
          failures: 1,
          last,
          dueAt: iso(last),
        }),
        status: 'DEAD',
        lane: 'orders/dead',
        deadReason: 'permanent: HTTP 422',
      }),
    );
  }
  for (let i = 0; i < 6; i++) {
    const { status, ...rest } = waiting(`order-09${70 + i}`, { payload: order(i), attempts: 1 + (i % 2) });
    const { lane, dueAt, ...finished } = rest as Record<string, unknown> & { id: string };
    store.put({ ...finished, status: 'SUCCESS', lastAttemptAt: iso(-50 * MINUTE) });
  }
}

function fillOthers(store: Store): void {
  for (let i = 0; i < 9; i++) {
    store.put(
      failed(`hook-${i}`, {
        queue: 'webhooks',
        key: 'partner.example',
        payload: { event: 'order.paid', order: 1000 + i, callback: 'https://partner.example/hooks' },
        insertedAt: iso(-3 * HOUR + i * MINUTE),
        error: {
          name: 'HttpError',
          message: `HTTP 429 from https://partner.example: too many calls of account ${4711 + i}`,
        },
        failures: 1 + (i % 4),
        last: -(70 + 13 * i) * MINUTE,
        dueAt: iso((3 + 4 * i) * MINUTE),
      }),
    );
  }
  for (let i = 0; i < 14; i++) {
    const insertedAt = iso(-50 * MINUTE + i * 3 * MINUTE);
    const payload = { invoice: `R-2026-${500 + i}` };
    store.put(
      waiting(`invoice-${500 + i}`, {
        queue: 'invoices',
        lane: 'invoices',
        payload,
        insertedAt,
        dueAt: insertedAt,
      }),
    );
  }
  for (const [i, ageMs] of [
    HOUR,
    5 * HOUR,
    20 * HOUR,
    2 * DAY,
    3 * DAY,
    6 * DAY,
    9 * DAY,
    40 * DAY,
  ].entries()) {
    for (let copy = 0; copy < 12 - i; copy++) {
      const insertedAt = iso(-ageMs - copy * MINUTE);
      store.put(
        failed(`product-${i}-${copy}`, {
          queue: 'catalog',
          payload: { article: ARTICLES[copy % ARTICLES.length], stock: 7 * copy },
          insertedAt,
          error: { name: 'PriceMissing', message: `no price for article ${30_400 + copy}` },
          failures: 2 + i,
          last: -Math.min(ageMs / 2, 7 * HOUR),
          dueAt: insertedAt,
        }),
      );
    }
  }
}

interface Failed {
  readonly queue?: string;
  readonly key?: string;
  readonly payload: unknown;
  readonly insertedAt: string;
  readonly error: { readonly name: string; readonly message: string; readonly stack?: string };
  readonly failures: number;
  /** When it failed last, from now. */
  readonly last: number;
  readonly dueAt: string;
}

/** A record that has failed some times, the gaps growing towards the past. */
function failed(id: string, { queue = 'orders', error, failures, last, dueAt, ...rest }: Failed) {
  const { name, message, stack } = error;
  const at = (attempt: number) => iso(last - (failures - attempt) * 90_000);
  const history = Array.from({ length: failures }, (_, i) => ({
    name,
    message,
    ...(stack === undefined || i < failures - 1 ? {} : { stack }),
    at: at(i + 1),
    attempt: i + 1,
    ms: name === 'AttemptTimeout' ? 10_000 : 180 + 7 * i,
    next: i === failures - 1 ? dueAt : at(i + 2),
  }));
  return inRetry(id, {
    queue,
    lane: queue,
    ...rest,
    attempts: failures,
    failures,
    firstFailureAt: at(1),
    lastFailureAt: at(failures),
    lastAttemptAt: at(failures),
    lastError: { name, message, at: at(failures), attempt: failures },
    history,
    dueAt,
  });
}

function fibonacciHistory() {
  const gaps = [0, 1, 2, 3, 5, 8, 13, 21].map((minutes) => minutes * MINUTE);
  const start = -7 * MINUTE - gaps.reduce((sum, gap) => sum + gap, 0);
  let at = start;
  const times = gaps.map((gap) => (at += gap));
  const history = times.map((time, i) => ({
    ...(i === 4 ? SLOW : { name: DOWN.name, message: DOWN.message }),
    ...(i === 7 ? { stack: DOWN.stack } : {}),
    at: iso(time),
    attempt: i + 1,
    ms: i === 4 ? 10_000 : 190 + i,
    next: iso(times[i + 1] ?? 27 * MINUTE),
  }));
  const first = iso(times[0]);
  return { history, insertedAt: iso((times[0] ?? 0) - 3_000), firstFailureAt: first };
}

function fillHostile(store: Store): void {
  HOSTILE_IDS.forEach((id, i) => {
    const payload = HOSTILE_PAYLOADS[i % HOSTILE_PAYLOADS.length];
    const error = { name: HOSTILE_ERROR.name, message: HOSTILE_ERROR.message, at: iso(-MINUTE), attempt: 2 };
    const history = [{ ...HOSTILE_ERROR, at: iso(-MINUTE), attempt: 2, ms: 5, next: iso(MINUTE) }];
    const attributes = {
      payload,
      lastError: error,
      history,
      task: HOSTILE_TEXTS[i % HOSTILE_TEXTS.length],
      [HOSTILE_TEXTS[0]]: HOSTILE_TEXTS[1],
      correlationId: HOSTILE_TEXTS.join(''),
      // The first in each list.
      dueAt: iso(-DAY),
    };
    store.put(
      i % 3 === 0
        ? dead(id, { ...attributes, deadReason: HOSTILE_TEXTS.join(' ') })
        : i % 3 === 1
          ? inRetry(id, attributes)
          : waiting(id, attributes),
    );
  });
}

/** Attempts of the last two hours. A little noise that is the same each time. */
function minutesOf(queue: string): MinuteCount[] {
  const pace = { orders: 42, webhooks: 11, mails: 6 }[queue];
  if (pace === undefined) return [];
  let seed = pace;
  const random = () => {
    seed = (seed * 16807) % 2147483647;
    return seed / 2147483647;
  };
  const thisMinute = Math.floor(NOW / MINUTE) * MINUTE;
  return Array.from({ length: 120 }, (_, i) => {
    const at = thisMinute - (119 - i) * MINUTE;
    const isDown = queue === 'orders' && at > NOW - OUTAGE;
    const tried = Math.round(pace * (0.6 + 0.8 * random()));
    if (isDown) return { at, succeeded: 0, failed: Math.max(1, Math.round(tried / 5)) };
    return { at, succeeded: tried, failed: random() < 0.12 ? 1 : 0 };
  });
}

const rule = (queue: string, label: string, changes: Partial<RuleStatus> = {}): RuleStatus => ({
  id: label,
  label,
  expression: 'rate(1 minute)',
  queues: [queue],
  enabled: true,
  nextAt: iso(42_000),
  fired: 60,
  late: 0,
  failed: 0,
  givenUp: 0,
  ...changes,
});
const RULES = [
  rule('orders', 'orders, every minute'),
  rule('webhooks', 'webhooks, every minute'),
  rule('invoices', 'invoices, every minute'),
  rule('mails', 'mails, every minute'),
  rule('catalog', 'catalog, tier 1', { tier: 1 }),
  rule('catalog', 'catalog, tier 2', { tier: 2, expression: 'rate(1 hour)', nextAt: iso(12 * MINUTE) }),
  rule('catalog', 'catalog, tier 3', { tier: 3, expression: 'rate(12 hours)', nextAt: iso(3 * HOUR) }),
];

function run(label: string, queue: string, agoMs: number, changes: Partial<RunSummary>): RunReport {
  const { attempted = 0, ended = 'drained' } = changes;
  const summary = {
    queue,
    lane: queue,
    succeeded: 0,
    failed: 0,
    dead: 0,
    snoozed: 0,
    ...changes,
    attempted,
    ended,
  };
  return {
    at: iso(-agoMs),
    rule: label,
    label,
    outcome: 'ok',
    text: ended === 'drained' ? '' : 'the circuit breaker is open: too many attempts have failed, 31 ms',
    idle: false,
    coalesced: 0,
    durationMs: 31 + attempted * 4,
    summary: summary as RunSummary,
  };
}
const ALARMS = {
  since: iso(-200 * MINUTE),
  watched: 24,
  unknown: ['IntakeAge'],
  episodes: [
    {
      name: 'Dead-orders',
      description:
        '[ticket] Records of the queue orders were given up: they have status DEAD, and lastError says why.',
      from: iso(-150 * MINUTE),
      until: iso(-130 * MINUTE),
    },
    {
      name: 'Failures-orders',
      description: '[page] Records of the queue orders have failed for minutes, and none of them succeeds.',
      from: iso(-14 * MINUTE),
    },
  ],
};

const RUNS = [
  run('mails, every minute', 'mails', 3 * MINUTE + 18_000, { attempted: 5, succeeded: 5 }),
  run('orders, every minute', 'orders', 2 * MINUTE + 18_000, { attempted: 9, failed: 9 }),
  run('webhooks, every minute', 'webhooks', 2 * MINUTE + 17_000, { attempted: 12, succeeded: 11, failed: 1 }),
  run('catalog, tier 1', 'catalog', 2 * MINUTE + 16_000, { attempted: 12, failed: 12 }),
  run('mails, every minute', 'mails', MINUTE + 18_000, { attempted: 7, succeeded: 7 }),
  run('webhooks, every minute', 'webhooks', MINUTE + 17_000, { attempted: 9, succeeded: 9 }),
  run('orders, every minute', 'orders', MINUTE + 16_000, { attempted: 1, failed: 1, ended: 'breakerOpen' }),
  run('mails, every minute', 'mails', 18_000, { attempted: 6, succeeded: 6 }),
];

/** The knowledge of the shop's runtime, and the calls that it has got. */
function runtimeOfShop(clock: Partial<Pick<RuntimeStatus, 'speed' | 'askedSpeed' | 'paused'>> = {}) {
  const erp = { up: false, taken: 4_211, making: 0, rejected: 5, unavailable: 198 };
  const queue = (name: string, counts: Partial<QueueStatus>): QueueStatus => ({
    name,
    table: 'Records',
    NEW: 0,
    ERROR: 0,
    SUCCESS: 0,
    DEAD: 0,
    nextRunAt: iso(42_000),
    ...counts,
  });
  const status = (): Partial<RuntimeStatus> => ({
    queues: [
      queue('orders', { NEW: 32, ERROR: 47, SUCCESS: 4_211, DEAD: 5 }),
      queue('webhooks', { ERROR: 9, SUCCESS: 1_180 }),
      queue('invoices', { NEW: 14, nextRunAt: undefined }),
      queue('catalog', { ERROR: 68 }),
      queue('mails', { SUCCESS: 702 }),
    ],
    rules: RULES,
    runs: RUNS,
    notices: [
      {
        ...{ functionName: 'OrdersFunction', level: 'WARN', text: 'the breaker of erp.example has opened' },
        ...{ at: new Date(NOW - 4 * MINUTE).toISOString(), count: 3 },
      },
    ],
    alarms: ALARMS,
    deliverTo: 'http://127.0.0.1:45123/',
    logs: '/tmp/backlog/logs',
    sample: { inserted: 4_300, erp },
  });
  const runtime = runtimeUnderTest(
    {},
    {
      minutesOf,
      lastRunOf: (id) => RUNS.findLast(({ rule: ran }) => ran === id),
      setErp: (up) => {
        erp.up = up;
      },
    },
  );
  const { status: idle } = runtime;
  return { ...runtime, status: () => ({ ...idle(), ...status(), ...clock }) };
}
