import type { MinuteCount, RunReport } from '../../src/overview/runtime.js';
import {
  consoleUnderTest,
  dead,
  inRetry,
  iso,
  MINUTE,
  NOW,
  runtimeUnderTest,
  waiting,
} from '../console/console-under-test.js';

const KINDS = [
  'orders',
  'invoices',
  'stock',
  'prices',
  'mails',
  'webhooks',
  'refunds',
  'labels',
  'exports',
  'audit',
];
const SHOPS = ['nl', 'de', 'fr', 'pt', 'se'];
/** 50 of them. */
const NAMES = SHOPS.flatMap((shop) => KINDS.map((kind) => `${kind}-${shop}`));

/**
 * A shop of fifty queues, seven of which have something wrong. The same at each start.
 *
 * @param hasBadRules one rule of fifty is late, and one fails
 */
export async function manyQueues({ hasBadRules = false } = {}) {
  const rule = { expression: 'rate(1 minute)', enabled: true, fired: 60, late: 0, failed: 0, givenUp: 0 };
  const rules = NAMES.map((queue) => ({
    ...rule,
    id: queue,
    label: `${queue}, every minute`,
    queues: [queue],
    nextAt: iso(hasBadRules && queue === 'exports-se' ? -16 * MINUTE : 42_000),
    ...(hasBadRules && queue === 'labels-fr' ? { failed: 3, failedInARow: 3 } : {}),
  }));
  const queues = NAMES.map((name, i) => ({
    name,
    table: 'Records',
    NEW: 0,
    ERROR: i % 9 === 4 ? 2 : 0,
    SUCCESS: 100,
    DEAD: 0,
    nextRunAt: iso(42_000),
  }));
  const console = consoleUnderTest({
    queues: () => NAMES.map((name) => ({ name })),
    runtime: runtimeUnderTest(
      { queues, rules, running: RUNNING, notices: NOTICES, troubles: hasBadRules ? TROUBLES : [] },
      { minutesOf, ...(hasBadRules ? { lastRunOf } : {}) },
    ),
  });
  const { store, time } = console;
  for (const [i, queue] of NAMES.entries()) {
    await store.queues.setRetryMode(queue, { mode: 'perRecord', since: 0 }, undefined);
    if (i % 3 === 0) store.put(waiting(`new-${queue}`, { queue, lane: queue, dueAt: iso(i * MINUTE) }));
    if (i % 9 === 4) {
      for (const n of [1, 2]) store.put(inRetry(`retry-${queue}-${n}`, { queue, lane: queue }));
    }
  }
  for (const queue of ['orders-nl', 'orders-de']) {
    const open = { until: NOW + 4 * MINUTE, since: NOW - 34 * MINUTE, token: 'open' };
    await store.breakers.set(queue, 'https://erp.example/orders', open, undefined);
    for (let i = 0; i < 20; i++) store.put(inRetry(`${queue}-${i}`, { queue, lane: queue }));
  }
  store.put(waiting('late', { queue: 'exports-se', lane: 'exports-se', dueAt: iso(-16 * MINUTE) }));
  time.now = NOW - 52 * MINUTE;
  await store.queues.setPaused('invoices-fr', true);
  time.now = NOW;
  for (const queue of ['mails-pt', 'labels-se'])
    store.put(dead(`dead-${queue}`, { queue, lane: `${queue}/dead` }));
  await store.leases.hold('audit-nl', { holder: 'run-7f3a', until: NOW + 42_000, ids: [], rev: 'x' });
  return console;
}

const RUNNING = [
  {
    at: iso(-11 * MINUTE),
    rule: 'audit-nl',
    label: 'audit-nl, every minute',
    runningMs: 660_000,
    timeoutMs: 900_000,
  },
];
const NOTICES = [
  {
    ...({
      functionName: 'StockFunction',
      level: 'WARN',
      text: 'a hold could not be renewed hold=lease',
    } as const),
    ...{ at: iso(-2 * MINUTE), count: 214 },
  },
];

const TROUBLES = [
  {
    text: 'labels-fr, every minute: its last 3 runs failed: TypeError: labels is not iterable.',
    ...{ isRepeated: true, queues: ['labels-fr'] },
  },
];

/** The runs of `labels-fr` fail. */
function lastRunOf(rule: string): RunReport | undefined {
  if (rule !== 'labels-fr') return undefined;
  return {
    ...{ at: iso(-18_000), rule, label: `${rule}, every minute`, outcome: 'error', idle: false },
    ...{ text: 'failed: TypeError: labels is not iterable', coalesced: 0, durationMs: 40 },
  };
}

/** `stock-fr` fails; some others fail a little. */
function minutesOf(queue: string): MinuteCount[] {
  const i = NAMES.indexOf(queue);
  if (i % 4 === 1) return [];
  const thisMinute = Math.floor(NOW / MINUTE) * MINUTE;
  return Array.from({ length: 120 }, (_, minute) => {
    const at = thisMinute - (119 - minute) * MINUTE;
    if (queue === 'stock-fr' && minute > 100) return { at, succeeded: 0, failed: 3 };
    return { at, succeeded: 4 + ((minute * 7 + i * 5) % 9), failed: (minute + i) % 37 === 0 ? 1 : 0 };
  });
}
