import type { createDynamoDbClient } from 'dynamo-backlog/engine';
import type { AlarmWatch } from './alarms/alarm-watch.js';
import { announce } from './discovery.js';
import { countRecords } from './emulator.js';
import type { ReloadNews } from './reload/news.js';
import type { RunningApp } from './running-app.js';
import type { RuntimeOptions } from './runtime-options.js';
import type { SampleErp } from './sample/sample-erp.js';
import type { SampleShop } from './sample/sample-shop.js';
import type { Alarm } from './schedule/alarm.js';
import { ClockControl } from './schedule/clock-control.js';
import type { Timekeeper } from './schedule/timekeeper.js';
import { Counter } from './status/counter.js';
import type { RunLog } from './status/run-log.js';
import type { RuntimeActionsDeps } from './status/runtime-actions.js';
import { runtimeConsole } from './status/runtime-console.js';
import { RuntimeStatusView } from './status/runtime-status.js';
import type { RuntimeStatus, TakenPort } from './status/status.js';
import type { StatusPageParts } from './status/status-page.js';

export interface RuntimeViewDeps {
  readonly options: RuntimeOptions;
  readonly app: RunningApp;
  readonly time: Timekeeper;
  readonly alarm: Alarm;
  readonly alarms: AlarmWatch;
  readonly client: ReturnType<typeof createDynamoDbClient>;
  /** The URL of DynamoDB. */
  readonly endpoint: string;
  /** The URL of the console. */
  readonly pageUrl: string;
  /** Ports that were taken. */
  readonly ports: readonly TakenPort[];
  readonly cwd: string;
  readonly dataDir: string | undefined;
  readonly deliverTo: string | undefined;
  readonly log: RunLog;
  /** The folder of the logs. */
  readonly logFolder: string;
  readonly shop: SampleShop | undefined;
  readonly erp: SampleErp | undefined;
}

export interface RuntimeView {
  readonly page: StatusPageParts;
  readonly control: ClockControl;
  readonly counter: Pick<Counter<unknown>, 'soon' | 'stop' | 'countNow'>;
  /** Dependencies of what the keys of a terminal do. */
  readonly actions: RuntimeActionsDeps;
  status(): RuntimeStatus;
  /** Tells other commands what runs here. Gives the function that takes it back. */
  announce(): Promise<() => Promise<void>>;
  /** Opens the console before a page is asked for. It goes on with jobs whose process is lost. */
  openConsole(): void;
  /** Ends the work on the jobs of the console, after the writes at hand. */
  leaveJobs(): Promise<void>;
  setNews(news: ReloadNews): void;
}

/**
 * Builds what users and other commands see of a runtime, and the clock that they change. It shows the app that runs at
 * the moment.
 */
export function runtimeView(deps: RuntimeViewDeps): RuntimeView {
  const { options, app, time, alarm, alarms, client, endpoint, pageUrl, cwd, dataDir, deliverTo, log } = deps;
  const { current, scheduler, host } = app;
  const shown: { news?: ReloadNews; console?: ReturnType<typeof runtimeConsole> } = {};
  const view = new RuntimeStatusView({
    get app() {
      return current.app;
    },
    get queues() {
      return current.queues;
    },
    get tables() {
      return current.tables;
    },
    appName: options.app ?? "this package's own CDK app",
    deliverTo,
    dynamodb: endpoint,
    page: pageUrl,
    ports: deps.ports,
    dataDir,
    logs: deps.logFolder,
    time,
    scheduler,
    alarms,
    log,
    shop: deps.shop,
    erp: deps.erp,
    get debuggers() {
      return app.debuggers;
    },
  });
  const status = (): RuntimeStatus => ({
    ...view.status(),
    ...(control.askedSpeed > time.setting.speed ? { askedSpeed: control.askedSpeed } : {}),
    ...(shown.news ? { reload: shown.news } : {}),
  });
  const startedAt = new Date(time.clock.wall()).toISOString();
  const announceOnce = () =>
    announce({
      pid: process.pid,
      cwd,
      startedAt,
      endpoint,
      statusPage: pageUrl,
      ...(dataDir === undefined ? {} : { dataDir }),
      tables: current.allTables.map((name) => ({
        name,
        records: current.tables.includes(name),
        hasIntake: current.hasIntake(name),
      })),
      queues: current.queues.map(({ name }) => name),
      clock: time.setting,
    });
  let announced: ReturnType<typeof announce> | undefined;
  // A key may change the clock while a save changes the app: both write the same file.
  const announceNow = () => {
    announced = announced ? announced.then(announceOnce, announceOnce) : announceOnce();
    return announced;
  };
  const control = new ClockControl({
    time,
    scheduler,
    tellFunctions: (setting) => host.setClock(setting),
    onChange: () => {
      alarm.look();
      return announceNow();
    },
  });
  const runRule = (id: string) => app.fireRule(id);
  const actions = { status, log, clock: control, erp: deps.erp, runRule };
  const openConsole = () =>
    runtimeConsole({
      ...actions,
      tables: current.tables,
      allTables: current.allTables,
      queues: () => current.queues,
      client,
      time,
      redact: options.redact,
      folder: deps.logFolder,
      indexAtOnce: current.indexAtOnce,
      countsGroups: () => current.countsGroups,
    });
  const opened = () => {
    shown.console ??= openConsole();
    return shown.console;
  };
  const counter = new Counter({
    count: async (abort) => {
      view.countBegins();
      const counts = await Promise.all(
        current.tables.map(async (table) => [table, await countRecords(client, table, abort)] as const),
      );
      return new Map(counts);
    },
    onCounts: (counts) => view.setCounts(counts),
  });
  return {
    page: {
      status,
      activity: () => log.activity(),
      /** An app may get its first table while it runs. */
      get console() {
        return opened()?.app;
      },
    },
    control,
    counter,
    actions,
    status,
    announce: announceNow,
    openConsole: () => void opened(),
    leaveJobs: async () => shown.console?.runner.leave(),
    setNews: (news) => {
      shown.news = news;
    },
  };
}
