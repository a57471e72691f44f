import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ConfigurationError } from 'dynamo-backlog';
import { createDynamoDbClient, systemRandom, toIso } from 'dynamo-backlog/engine';
import type { RunReport } from 'dynamo-backlog/overview';
import { AlarmWatch } from './alarms/alarm-watch.js';
import { appSource } from './app-source.js';
import { Closers } from './closers.js';
import { openDatabase } from './database/open-database.js';
import { Failure } from './failure.js';
import { FunctionUrls, type UrlFunctions } from './function-urls/function-urls.js';
import { GeneratedSecrets } from './generated-secrets.js';
import { endPreviousRuns, itemsLeftBehind } from './left-behind.js';
import { CONSOLE_PORT, onWantedPort } from './ports.js';
import { Reload } from './reload/reload.js';
import { startApp } from './running-app.js';
import type { RuntimeOptions } from './runtime-options.js';
import { runtimeView } from './runtime-view.js';
import { createShop } from './sample/create-shop.js';
import { SampleErp } from './sample/sample-erp.js';
import { FunctionLogs, type Notice } from './sandbox/function-logs.js';
import type { OutputLine } from './sandbox/handler-output.js';
import { linkRuntimeSdk } from './sandbox/runtime-sdk.js';
import { Alarm } from './schedule/alarm.js';
import { LOOK_EVERY_MS, SpeedLimit } from './schedule/speed-limit.js';
import { Timekeeper } from './schedule/timekeeper.js';
import { openScratch } from './scratch.js';
import { type FindSecret, secretsFile } from './secrets-file.js';
import { slowedText } from './speed.js';
import { RunLog } from './status/run-log.js';
import type { RunDetails } from './status/run-report.js';
import { RuntimeActions } from './status/runtime-actions.js';
import type { RuntimeStatus, TakenPort } from './status/status.js';
import { type StatusPageParts, startStatusPage } from './status/status-page.js';
import { Beginning } from './streams/beginning.js';

const REGION = 'us-east-1';
const STOP_GRACE_MS = 5_000;
/** Real time between two looks at the minutes of alarms. */
const ALARMS_EVERY_MS = 1_000;

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
 * @throws ConfigurationError if a port is taken, the app cannot be synthesized, or holds what cannot be run here; the
 *   signal's reason once that is aborted, at the next step of the start
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
  const progress = (step: string) => {
    signal?.throwIfAborted();
    options.onProgress?.(step);
  };

  // What the process has, whatever app it runs.
  const log = new RunLog();
  let now = Date.now;
  const ports: TakenPort[] = [];
  const onTaken = (taken: TakenPort) => void ports.push(taken);
  const onNotice = (notice: Notice) => {
    log.addNotice(notice, toIso(now()));
    options.onNotice?.(notice);
  };
  const given = await secretsFile(options.secrets && resolve(cwd, options.secrets));
  const beginning = new Beginning();
  const database = await openDatabase(options, dataDir, {
    onChange: (change) => beginning.add(change),
    onFailure: (error) => failure.tell(error),
    onPortTaken: onTaken,
    onTrouble: (table, { message }) =>
      onNotice({ functionName: table, level: 'ERROR', text: `the stream cannot be read: ${message}` }),
  });
  closers.add(() => database.stop());
  // The database makes the data folder, and no other runtime uses it from then on.
  const secrets = await GeneratedSecrets.open(dataDir);
  const findSecret: FindSecret = async (name) => (await given(name)) ?? secrets.find(name);
  const scratch = await openScratch();
  closers.add(() => rm(scratch, { recursive: true, force: true }));
  const sdkFolder = await linkRuntimeSdk(scratch);
  const shown: { page?: StatusPageParts } = {};
  const consolePort = { ...CONSOLE_PORT, given: port, onTaken };
  const page = await onWantedPort(consolePort, (free) => startStatusPage(free, () => shown.page));
  closers.add(() => page.stop());
  const served: { functions?: UrlFunctions } = {};
  const urlPort = { given: options.functionUrlPort, onTaken };
  const functionUrls = new FunctionUrls({ ...urlPort, functions: () => served.functions });
  closers.add(() => functionUrls.stop());
  const erp =
    sample && options.deliverTo === undefined
      ? await SampleErp.start({ random: systemRandom, now: Date.now })
      : undefined;
  if (erp) closers.add(() => erp.stop());
  const deliverTo = options.deliverTo ?? erp?.url;
  // Another app may take a URL only.
  const delivery = options.app === undefined && erp ? erp.delivery : deliverTo;

  progress('synthesizing the CDK app');
  const source = appSource(options, {
    cwd,
    deliverTo: delivery,
    scratch,
    functionUrls: () => functionUrls.open(),
  });
  const synthesizedAt = Date.now();
  const first = await source.read(signal);
  // Not before, and it goes once all is ready: the time that a start takes is none of the backlog's.
  const time = await Timekeeper.start({
    speed,
    waits: true,
    onTrouble: (error) => failure.tell(error),
    ...(dataDir ? { file: join(dataDir, 'clock.json') } : {}),
  });
  closers.add(() => time.stop());
  now = () => time.clock.now();

  progress('creating its tables');
  const { endpoint } = database;
  const client = createDynamoDbClient({ endpoint, region: REGION });
  closers.add(() => client.destroy());
  await database.prepare(first.app, client);
  await secrets.prepare(first.app.secrets);
  const alarms = new AlarmWatch({
    alarms: first.app.alarms,
    now,
    onChange: (episode) => options.onAlarm?.(episode),
  });
  const looking = setInterval(() => alarms.look(), ALARMS_EVERY_MS);
  closers.add(() => clearInterval(looking));
  const onOutput = (line: OutputLine) => {
    log.addOutput(line);
    options.onOutput?.(line);
  };
  const logFolder = join(dataDir ?? scratch, 'logs');
  const logs = new FunctionLogs(logFolder, onNotice, onOutput, (line) => alarms.addLine(line));
  closers.add(() => logs.close());

  // What follows the app.
  const onReport = (report: RunReport, details: RunDetails) => {
    log.add(report, details);
    view.counter.soon();
    options.onRun?.(report);
  };
  const { inspect } = options;
  const services = { inspect, endpoint, region: REGION, sdkFolder, time, logs, findSecret };
  const app = await startApp({ app: first.app, ...services, closers, log, alarms, onReport, onNotice });
  const { current } = app;
  if (database.mayHoldRecords) await endPreviousRuns(current.queues, client);
  const alarm = new Alarm(time);
  closers.add(() => alarm.stop());
  const { queues, indexAtOnce } = current;
  const shop = sample ? createShop({ queues, deliverTo, client, clock: time.clock, indexAtOnce }) : undefined;
  if (shop) closers.add(() => shop.close());

  const places = { endpoint, pageUrl: page.url, ports, cwd, dataDir, deliverTo, logFolder: logs.folder };
  const view = runtimeView({ options, app, time, alarm, alarms, client, log, shop, erp, ...places });
  shown.page = view.page;
  closers.add(() => view.counter.stop());
  closers.add(() => view.leaveJobs());
  const reload = new Reload({
    source,
    first,
    synthesizedAt,
    scratch,
    dataDir,
    current: () => current.app,
    prepare: async (next) => {
      await database.prepare(next, client);
      await secrets.prepare(next.secrets);
      await app.prepare(next);
    },
    run: (next) => {
      app.run(next);
      view.announce().catch(({ message }: Error) => {
        const text = `other commands do not know of the change: ${message}`;
        onNotice({ functionName: 'the app', level: 'WARN', text });
      });
    },
    working: () => app.host.working,
    describe: options.describeChanges ?? (() => []),
    onNews: (news) => {
      view.setNews(news);
      options.onReload?.(news);
    },
  });

  progress('loading its functions');
  served.functions = {
    urls: () => current.app.functionUrls,
    invoke: app.call,
    onError: (name, message, error) =>
      logs.write(name, JSON.stringify({ level: 'ERROR', message, timestamp: toIso(now()), error }), 'stderr'),
  };
  await app.warm();
  await view.counter.countNow();
  await beginning.open(app.streams, database.mayHoldRecords ? itemsLeftBehind(current.app, client) : []);
  signal?.throwIfAborted();
  await time.begin((setting) => app.host.setClock(setting));
  closers.add(await view.announce());
  closers.add(() => view.control.stop());
  app.scheduler.start();
  const onSlowed = () => {
    const text = slowedText(view.status());
    if (text !== undefined) onNotice({ functionName: 'the clock', level: 'WARN', text });
  };
  const speedLimit = new SpeedLimit({ time, scheduler: app.scheduler, control: view.control, onSlowed });
  const watching = setInterval(() => void speedLimit.look(), LOOK_EVERY_MS);
  closers.add(() => clearInterval(watching));
  // Jobs that the console had left go on, also if no page is opened.
  if (database.mayHoldRecords) view.openConsole();
  erp?.open();
  options.onReady?.(view.status, new RuntimeActions(view.actions));
  await shop?.open();
  if (options.watch) void reload.start();

  return {
    status: view.status,
    hurry: () => app.host.kill(),
    failure: failure.happened,
    passed: (ms) => alarm.reached(time.clock.now() + ms),
    stop: async () => {
      await reload.stop();
      shop?.close();
      await app.stop(STOP_GRACE_MS);
      await view.counter.countNow();
      await closers.close();
    },
  };
}
