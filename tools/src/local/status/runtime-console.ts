import { appendFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { BacklogClient, type RedactPayload } from 'dynamo-backlog';
import type { createDynamoDbClient } from 'dynamo-backlog/engine';
import { consoleApp } from '../../console/app.js';
import type { ConsoleDeps, ConsoleRuntime } from '../../console/deps.js';
import type { ActionEntry } from '../../jobs/operator.js';
import { JobRunner } from '../../jobs/runner.js';
import { localAlarms } from '../alarms/alarms-on.js';
import type { AppQueue } from '../app-queues.js';
import type { SampleErp } from '../sample/sample-erp.js';
import type { Timekeeper } from '../schedule/timekeeper.js';
import type { RunLog } from './run-log.js';
import type { RuntimeStatus } from './status.js';

export interface RuntimeConsoleDeps {
  /** Tables that hold records. */
  readonly tables: readonly string[];
  /** All tables of the app. */
  readonly allTables: readonly string[];
  /** Queues of the app as it is now. */
  readonly queues: () => readonly AppQueue[];
  readonly client: ReturnType<typeof createDynamoDbClient>;
  readonly time: Timekeeper;
  readonly log: RunLog;
  /** The folder of the logs. */
  readonly folder: string;
  readonly status: () => RuntimeStatus;
  /** Default: all of a payload is shown. */
  readonly redact: RedactPayload | undefined;
  readonly runRule: ConsoleRuntime['runRule'];
  readonly clock: ConsoleRuntime['clock'];
  readonly erp: SampleErp | undefined;
  /** True if no intake looks after the app's tables. */
  readonly indexAtOnce: boolean;
  /** Tells whether a function of the app counts the members of groups. */
  readonly countsGroups: () => boolean;
}

/** The console of a local runtime, for its first table of records, and the jobs that it works on. Undefined: there is none. */
export function runtimeConsole(deps: RuntimeConsoleDeps) {
  const { tables, allTables, client, time, log, status, runRule, clock, erp } = deps;
  const [table, ...others] = tables;
  if (table === undefined) return undefined;
  const queues = () => deps.queues().filter((queue) => queue.table === table);
  const controlTable =
    queues().find((queue) => queue.controlTable !== undefined)?.controlTable ??
    allTables.find((name) => !tables.includes(name)) ??
    table;
  const also = others.length > 0 ? `; for ${others.join(', ')}: backlog console --table NAME` : '';
  const producer = new BacklogClient({ table, client, clock: time.clock, indexAtOnce: deps.indexAtOnce });
  const acting: Pick<ConsoleDeps, 'backlog' | 'access' | 'onAction'> = {
    backlog: { table, controlTable, client, clock: time.clock },
    access: { write: true, as: userInfo().username },
    onAction: (entry) => void writeDown(deps.folder, entry),
  };
  const runner = new JobRunner(acting);
  const options: ConsoleDeps = {
    ...acting,
    name: table,
    where: `table ${table} of the local runtime${also}`,
    redact: deps.redact,
    indexAtOnce: deps.indexAtOnce,
    countsGroups: deps.countsGroups,
    queues: () =>
      queues().map(({ name, retry, policy }) => ({ name, retry: retry ?? ({ type: policy } as never) })),
    countsForMs: 1_000,
    alarms: localAlarms(() => status().alarms, table),
    runtime: {
      status,
      minutesOf: (queue) => log.minutesOf(queue),
      lastRunOf: (rule) => log.lastOf(rule),
      findRun: (rule, at) => log.find(rule, at),
      runRule,
      clock,
      putRecord: (record) => producer.insert(record),
      ...(erp ? { setErp: (up: boolean) => erp.set(up) } : {}),
    },
  };
  void runner.watch();
  return { app: consoleApp(options, runner), runner };
}

/** One line of JSON for each action. A folder that cannot be written ends the runtime elsewhere. */
async function writeDown(folder: string, entry: ActionEntry): Promise<void> {
  await appendFile(join(folder, 'console.log'), `${JSON.stringify(entry)}\n`).catch(() => {});
}
