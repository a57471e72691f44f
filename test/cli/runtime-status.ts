import type { RunReport } from '../../src/overview/runtime.js';
import type { RuntimeStatus } from '../../tools/src/local/status/status.js';

/** A run that started in that minute. */
export const run = (minute: number, text: string): RunReport => ({
  at: `2026-01-01T00:0${minute}:00.000Z`,
  rule: 'poll',
  label: 'default, every minute',
  outcome: 'ok',
  text,
  idle: false,
  coalesced: 0,
  durationMs: 5,
});

/** The status of a runtime with the sample after five minutes. */
export const status: RuntimeStatus = {
  startedAt: '2026-01-01T00:00:00.000Z',
  now: '2026-01-01T00:05:30.000Z',
  speed: 60,
  paused: false,
  endpoint: 'http://127.0.0.1:8000',
  statusPage: 'http://127.0.0.1:8080/',
  app: "this package's own CDK app",
  logs: '/tmp/logs',
  tables: ['BacklogRecords'],
  deliverTo: 'http://127.0.0.1:1/',
  queues: [
    {
      name: 'default',
      retryMode: 'perRecord',
      policy: 'fibonacci',
      table: 'BacklogRecords',
      NEW: 1,
      ERROR: 2,
      SUCCESS: 30,
      DEAD: 4,
      nextRunAt: '2026-01-01T00:06:00.000Z',
    },
    { name: 'misspelt', table: 'BacklogRecords', NEW: 7, ERROR: 0, SUCCESS: 0, DEAD: 0 },
  ],
  countedAt: '2026-01-01T00:05:29.000Z',
  countsBehind: false,
  running: [],
  errors: [],
  rules: [
    {
      id: 'poll',
      label: 'default, every minute',
      expression: 'rate(1 minute)',
      queues: ['default'],
      enabled: true,
      fired: 5,
      late: 0,
      failed: 0,
      givenUp: 0,
    },
  ],
  runs: [run(1, 'attempted 3: 3 ok'), run(2, 'attempted 2: 1 ok\u001b[2J')],
  notices: [],
  totals: {
    runs: 5,
    attempted: 5,
    succeeded: 4,
    failed: 1,
    dead: 0,
    snoozed: 0,
    pending: 0,
    cancelled: 0,
    unsettled: 0,
    broken: 1,
    late: 2,
    givenUp: 0,
  },
  sample: {
    inserted: 37,
    erp: { up: false, changesInSeconds: 9, taken: 30, making: 2, rejected: 4, unavailable: 5 },
  },
};
