import type { Hono } from 'hono';
import { MemoryStore } from '../../src/store/index.js';
import { consoleApp } from '../../tools/src/console/app.js';
import type { ConsoleDeps, ConsoleRuntime } from '../../tools/src/console/deps.js';
import type { ActionEntry } from '../../tools/src/jobs/operator.js';
import { JobRunner } from '../../tools/src/jobs/runner.js';
import type { RuntimeStatus } from '../../tools/src/local/status/status.js';

/** The backlog's time in these tests. */
export const NOW = Date.parse('2026-11-23T14:47:18.000Z');
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const iso = (offsetMs = 0) => new Date(NOW + offsetMs).toISOString();

/** A console over a store in memory, on a clock that only the test moves. */
export function consoleUnderTest(changes: Partial<ConsoleDeps> = {}) {
  const time = { now: NOW };
  const clock = {
    now: () => time.now,
    wall: () => time.now,
    sleep: () => new Promise<void>((resolve) => setImmediate(resolve)),
    speed: 1,
  };
  const store = new MemoryStore({ clock });
  const log: ActionEntry[] = [];
  const deps: ConsoleDeps = {
    backlog: { table: 'Records', controlTable: 'Control', store, clock },
    name: 'shop',
    where: 'table Records in memory',
    access: { write: true, as: 'ops' },
    onAction: (entry) => void log.push(entry),
    countsForMs: 0,
    ...changes,
  };
  const runner = new JobRunner(deps);
  return { app: consoleApp(deps, runner), store, log, time, clock, runner };
}

/** A record that waits in `orders`, due in an hour. */
export const waiting = (id: string, attributes: Record<string, unknown> = {}) => ({
  id,
  status: 'NEW',
  queue: 'orders',
  payload: { customer: { id: 7 } },
  insertedAt: iso(-HOUR),
  lane: 'orders',
  dueAt: iso(HOUR),
  rev: 'r',
  ...attributes,
});

const failure = (at: string, attempt: number) => ({
  name: 'HttpError',
  message: 'the ERP answered 503',
  at,
  attempt,
});

/** A record that has failed twice, and waits for its third attempt. */
export const inRetry = (id: string, attributes: Record<string, unknown> = {}) => {
  const [first, last] = [iso(-40 * MINUTE), iso(-39 * MINUTE)];
  return waiting(id, {
    status: 'ERROR',
    attempts: 2,
    failures: 2,
    firstFailureAt: first,
    lastFailureAt: last,
    lastAttemptAt: last,
    lastError: failure(last, 2),
    history: [
      { ...failure(first, 1), ms: 200, next: last },
      { ...failure(last, 2), ms: 210, next: iso(13 * MINUTE) },
    ],
    dueAt: iso(13 * MINUTE),
    ...attributes,
  });
};

/** A record that was given up. */
export const dead = (id: string, attributes: Record<string, unknown> = {}) =>
  inRetry(id, {
    status: 'DEAD',
    lane: 'orders/dead',
    dueAt: iso(-39 * MINUTE),
    deadReason: 'maxAttempts',
    ...attributes,
  });

/** The page at a path: its status and its text. */
export async function get(app: Hono, path: string, headers: Record<string, string> = {}) {
  const answer = await app.request(path, { headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** Sends a form, with the hidden fields of the page `from` unless the test gives others. */
export async function post(
  app: Hono,
  path: string,
  fields: Record<string, string | readonly string[]> = {},
  headers: Record<string, string> = {},
  from = path.replace('/record/preview', '/record/act'),
) {
  const body = new URLSearchParams();
  const page = fields.csrf !== undefined && fields.seen !== undefined ? '' : (await get(app, from)).text;
  const hidden = { csrf: hiddenField(page, 'csrf'), seen: hiddenField(page, 'seen') };
  for (const [name, value] of Object.entries({ ...hidden, ...fields })) {
    for (const one of [value].flat()) body.append(name, one as string);
  }
  const answer = await app.request(path, { method: 'POST', body, headers });
  return {
    status: answer.status,
    location: answer.headers.get('location') ?? '',
    text: await answer.text(),
  };
}

/** The value of a hidden field. */
export function hiddenField(text: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';
}

const IDLE_STATUS: RuntimeStatus = {
  startedAt: iso(-HOUR),
  now: iso(),
  speed: 1,
  paused: false,
  endpoint: 'http://127.0.0.1:8000',
  statusPage: 'http://127.0.0.1:8080/',
  app: 'an app',
  logs: '/logs',
  tables: ['Records'],
  queues: [],
  rules: [],
  runs: [],
  running: [],
  errors: [],
  countsBehind: false,
  notices: [],
  totals: {
    runs: 0,
    attempted: 0,
    succeeded: 0,
    failed: 0,
    dead: 0,
    snoozed: 0,
    pending: 0,
    cancelled: 0,
    unsettled: 0,
    broken: 0,
    late: 0,
    givenUp: 0,
  },
};

/** A local runtime of which nothing is known but what the test says. */
export function runtimeUnderTest(
  status: Partial<RuntimeStatus> = {},
  parts: Partial<ConsoleRuntime> = {},
): ConsoleRuntime {
  return {
    status: () => ({ ...IDLE_STATUS, ...status }),
    minutesOf: () => [],
    lastRunOf: () => undefined,
    findRun: () => undefined,
    runRule: async () => {},
    clock: { change: async () => {}, advance: async () => undefined },
    putRecord: async ({ id = 'made' }) => ({ id, inserted: true }),
    ...parts,
  };
}
