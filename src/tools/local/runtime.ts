import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { toIso } from '../../clock.js';
import type { ConfigurationError } from '../../errors.js';
import { systemRandom } from '../../random.js';
import { countRecords } from '../../store/dynamodb/emulator.js';
import { createDynamoDbClient } from '../../store/index.js';
import { functionsAtWork, queuesOf, recordTables } from './app-queues.js';
import { Closers } from './closers.js';
import { openDatabase } from './database/open-database.js';
import { announce } from './discovery.js';
import { Failure } from './failure.js';
import { startFunctions } from './functions.js';
import { endFormerRuns, itemsLeftBehind } from './left-behind.js';
import { packageRoot } from './package-root.js';
import { CONSOLE_PORT, onWantedPort } from './ports.js';
import type { RuntimeOptions } from './runtime-options.js';
import { createShop } from './sample/create-shop.js';
import { SampleErp } from './sample/sample-erp.js';
import { FunctionLogs, type Notice } from './sandbox/function-logs.js';
import { Alarm } from './schedule/alarm.js';
import { ClockControl } from './schedule/clock-control.js';
import { Scheduler } from './schedule/scheduler.js';
import { Timekeeper } from './schedule/timekeeper.js';
import { openScratch } from './scratch.js';
import { secretsFile } from './secrets-file.js';
import { Counter } from './status/counter.js';
import { RunLog } from './status/run-log.js';
import { detailsOf, type RunDetails, type RunReport, reportRun } from './status/run-report.js';
import { RuntimeActions } from './status/runtime-actions.js';
import { runtimeConsole } from './status/runtime-console.js';
import { RuntimeStatusView } from './status/runtime-status.js';
import type { RuntimeStatus, TakenPort } from './status/status.js';
import { type StatusPageParts, startStatusPage } from './status/status-page.js';
import { Beginning } from './streams/beginning.js';
import type { LocalApp, LocalRule } from './template/local-app.js';
import { synthesize } from './template/synth.js';
import { readApp } from './template/template.js';

const REGION = 'us-east-1';
const STOP_GRACE_MS = 5_000;

/** A local runtime that is at work. */
export interface LocalRuntime {
  status(): RuntimeStatus;
  /** Resolves when so many milliseconds of the backlog's time have passed. */
  passed(milliseconds: number): Promise<void>;
  /** Lets running handlers finish for 5 seconds, saves the clock and closes everything. */
  stop(): Promise<void>;
  /** Ends running handlers at once; `stop` then has nothing to wait for. */
  hurry(): void;
  /** Resolves when it can go on no longer, with what is wrong and what to do; `stop` it then. */
  readonly failure: Promise<ConfigurationError>;
}

/**
 * Runs a CDK app on this machine: its tables on an embedded DynamoDB, its scheduled rules on a clock that may be
 * faster than the real one, its functions in child processes.
 *
 * @throws ConfigurationError if a port is taken, the app cannot be synthesized, or holds what cannot be run here
 */
export async function startRuntime(options: RuntimeOptions): Promise<LocalRuntime> {
  const closers = new Closers();
  const failure = new Failure();
  try {
    return await start(options, closers, failure);
  } catch (error) {
    await closers.close().catch(() => {});
    // What follows from it says less.
    throw failure.first ?? error;
  }
}

async function start(options: RuntimeOptions, closers: Closers, failure: Failure): Promise<LocalRuntime> {
  const { port, speed = 1, sample = true, signal } = options;
  const cwd = options.cwd ?? process.cwd();
  const dataDir = options.dataDir === undefined ? undefined : resolve(cwd, options.dataDir);
  const progress = options.onProgress ?? (() => {});
  const log = new RunLog();
  let now = Date.now;
  const ports: TakenPort[] = [];
  const onTaken = (taken: TakenPort) => void ports.push(taken);
  const onNotice = (notice: Notice) => {
    log.addNotice(notice, toIso(now()));
    options.onNotice?.(notice);
  };
  const findSecret = await secretsFile(options.secrets && resolve(cwd, options.secrets));
  const beginning = new Beginning();
  const database = await openDatabase(options, dataDir, {
    onChange: (change) => beginning.add(change),
    onFailure: (error) => failure.tell(error),
    onPortTaken: onTaken,
    onTrouble: (table, { message }) =>
      onNotice({ functionName: table, level: 'ERROR', text: `the stream cannot be read: ${message}` }),
  });
  closers.add(() => database.stop());
  const scratch = await openScratch();
  closers.add(() => rm(scratch, { recursive: true, force: true }));
  const view: { current?: StatusPageParts } = {};
  const consolePort = { ...CONSOLE_PORT, given: port, onTaken };
  const page = await onWantedPort(consolePort, (free) => startStatusPage(free, () => view.current));
  closers.add(() => page.stop());
  const erp =
    sample && options.deliverTo === undefined
      ? await SampleErp.start({ random: systemRandom, now: Date.now })
      : undefined;
  if (erp) closers.add(() => erp.stop());
  const deliverTo = options.deliverTo ?? erp?.url;

  progress('synthesizing the CDK app');
  const app = await readLocalApp(options, { cwd, deliverTo, outFolder: join(scratch, 'cdk.out'), signal });
  // Not before, and it goes once all is ready: the time that a start takes is none of the backlog's.
  const time = await Timekeeper.start({
    speed,
    waits: true,
    onTrouble: (error) => failure.tell(error),
    ...(dataDir ? { file: join(dataDir, 'clock.json') } : {}),
  });
  closers.add(() => time.stop());
  now = () => time.clock.now();
  const queues = queuesOf(app);
  const tables = recordTables(app);

  progress('creating its tables');
  const { endpoint } = database;
  const client = createDynamoDbClient({ endpoint, region: REGION });
  closers.add(() => client.destroy());
  await database.prepare(app, client);
  if (database.mayHoldRecords) await endFormerRuns(queues, client);

  const logs = new FunctionLogs(join(dataDir ?? scratch, 'logs'), onNotice);
  closers.add(() => logs.close());
  const addReport = (report: RunReport, details: RunDetails) => {
    log.add(report, details);
    counter.soon();
    options.onRun?.(report);
  };
  const functions = await startFunctions({
    app,
    endpoint,
    region: REGION,
    time,
    logs,
    findSecret,
    closers,
    inspect: options.inspect,
    onReport: addReport,
    onNotice,
  });
  const { host, streams, debuggers } = functions;

  const fire = async ({ id, label, functionName, event }: LocalRule, coalesced: number) => {
    const at = toIso(time.clock.now());
    const startedAt = performance.now();
    const ended = log.start({ at, rule: id, label });
    const invocation = await host.invoke(functionName, event);
    ended();
    const durationMs = performance.now() - startedAt;
    const report = reportRun({ at, rule: id, label, coalesced, durationMs, invocation });
    addReport(report, detailsOf(invocation));
  };
  const scheduler = new Scheduler({
    rules: app.rules,
    time,
    fire: ({ rule, coalesced }) => fire(rule, coalesced),
  });
  closers.add(() => scheduler.stop());
  const alarm = new Alarm(time);
  closers.add(() => alarm.stop());
  const shop = sample
    ? createShop({
        queues,
        deliverTo,
        client,
        clock: time.clock,
        indexAtOnce: app.streams.length === 0,
      })
    : undefined;
  if (shop) closers.add(() => shop.close());

  const status = new RuntimeStatusView({
    app,
    appName: options.app ?? "this package's own CDK app",
    queues,
    tables,
    deliverTo,
    dynamodb: endpoint,
    page: page.url,
    ports,
    dataDir,
    logs: logs.folder,
    time,
    scheduler,
    log,
    shop,
    erp,
    debuggers,
  });
  const startedAt = new Date(time.clock.wall()).toISOString();
  const info = () => ({
    pid: process.pid,
    cwd,
    startedAt,
    endpoint,
    statusPage: page.url,
    ...(dataDir === undefined ? {} : { dataDir }),
    tables: app.tables.map(({ name }) => ({ name, records: tables.includes(name) })),
    queues: queues.map(({ name }) => name),
    clock: time.setting,
  });
  const control = new ClockControl({
    time,
    scheduler,
    tellFunctions: (setting) => host.setClock(setting),
    onChange: () => {
      alarm.look();
      return announce(info());
    },
  });
  const runRule = async (id: string) => {
    const rule = app.rules.find((one) => one.id === id);
    if (rule) await fire(rule, 0);
  };
  const shown = { status: () => status.status(), log, clock: control, erp, runRule };
  view.current = {
    status: shown.status,
    activity: () => log.activity(),
    console: runtimeConsole({
      tables,
      allTables: app.tables.map(({ name }) => name),
      queues,
      client,
      time,
      redact: options.redact,
      folder: logs.folder,
      indexAtOnce: app.streams.length === 0,
      ...shown,
    }),
  };
  const counter = new Counter({
    count: async (abort) => {
      status.countBegins();
      const counts = await Promise.all(
        tables.map(async (table) => [table, await countRecords(client, table, abort)] as const),
      );
      return new Map(counts);
    },
    onCounts: (counts) => status.setCounts(counts),
  });
  closers.add(() => counter.stop());

  progress('loading its functions');
  await host.warm(functionsAtWork(app));
  await counter.countNow();
  await beginning.open(streams, database.mayHoldRecords ? itemsLeftBehind(app, client) : []);
  await time.begin((setting) => host.setClock(setting));
  closers.add(await announce(info()));
  closers.add(() => control.stop());
  scheduler.start();
  erp?.open();
  options.onReady?.(shown.status, new RuntimeActions(shown));
  await shop?.open();

  return {
    status: shown.status,
    hurry: () => host.kill(),
    failure: failure.happened,
    passed: (ms) => alarm.reached(time.clock.now() + ms),
    stop: async () => {
      scheduler.stop();
      shop?.close();
      await functions.stop(STOP_GRACE_MS);
      await counter.countNow();
      await closers.close();
    },
  };
}

async function readLocalApp(
  { app, signal }: RuntimeOptions,
  to: { cwd: string; deliverTo: string | undefined; outFolder: string; signal: AbortSignal | undefined },
): Promise<LocalApp> {
  const root = packageRoot();
  const own = `"${process.execPath}" "${join(root, 'dist', 'cdk', 'app.js')}"`;
  const stacks = await synthesize(
    {
      app: app ?? own,
      cwd: app === undefined ? root : to.cwd,
      context: to.deliverTo === undefined ? {} : { deliverTo: to.deliverTo },
      outFolder: to.outFolder,
    },
    signal,
  );
  return readApp(stacks);
}
