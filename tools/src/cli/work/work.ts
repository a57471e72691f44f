import { ConfigurationError, StoreError } from 'dynamo-backlog';
import {
  createDynamoDbClient,
  DynamoDbOperatorStore,
  DynamoDbSweepStore,
  type GaugeReader,
  randomToken,
  systemClock,
  systemRandom,
  VERSION,
} from 'dynamo-backlog/engine';
import type { AttemptLogger } from 'dynamo-backlog/lambda';
import { applyFlags } from '../../work/environment.js';
import { gaugesOfWorker } from '../../work/gauges.js';
import { Health, serveHealth } from '../../work/health.js';
import { errorLine, jsonLogger, watchingText } from '../../work/log.js';
import { serveMetrics } from '../../work/metrics-server.js';
import { type MetricsApi, metricsApi, openTelemetryGauges, openTelemetryMetrics } from '../../work/otel.js';
import { prepare } from '../../work/prepare.js';
import { sweepDaily } from '../../work/sweep.js';
import { FirstRunError, workOn } from '../../work/worker.js';
import { explain } from '../explain.js';
import { listenForInterrupt } from '../interrupt.js';
import { EXIT, type ExitCode, type Output } from '../output.js';
import { serverAt } from './server-at.js';
import type { WorkCommandFlags } from './work-flags.js';

/** Time after the grace, to write outcomes and to give leases back. */
const LAST_WORDS_MS = 10_000;
const EVERY_MS = 5_000;
const GRACE_MS = 20_000;

/** `backlog work`: runs until SIGTERM or SIGINT; a second one ends it at once. */
export async function work(given: WorkCommandFlags, output: Output): Promise<never> {
  const log = jsonLogger(output.data, `worker-${randomToken(systemRandom)}`);
  const { grace = GRACE_MS } = given;
  const { signal: stop } = listenForInterrupt(() => {
    log.info('stopping: no attempt begins any more', { graceSeconds: grace / 1000 });
    const overdue = () => {
      log.error('what is under way does not come to its end: the process ends without it');
      process.exit(EXIT.failed);
    };
    setTimeout(overdue, grace + LAST_WORDS_MS).unref();
  });
  let code: ExitCode = EXIT.ok;
  try {
    await workUntil(stop, given, log);
  } catch (error) {
    // Whatever it waited for, it was told to end.
    if (!(stop.aborted && (error instanceof StoreError || error === stop.reason))) {
      output.message(explain(error));
      code = EXIT.failed;
    }
  }
  if (code === EXIT.ok) log.info('stopped');
  // What the user's module keeps open would keep the process.
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  return process.exit(code);
}

async function workUntil(stop: AbortSignal, given: WorkCommandFlags, log: AttemptLogger): Promise<void> {
  const { env } = process;
  const { every = EVERY_MS, grace = GRACE_MS } = given;
  const tables = applyFlags(given, env);
  endOnUncaught(log);
  const [clock, random] = [systemClock, systemRandom];
  const health = new Health(clock, Number.POSITIVE_INFINITY, stop);
  // Before anything can keep it waiting.
  const server = await serverAt({ flag: '--health', port: given.healthPort, host: given.healthHost }, (at) =>
    serveHealth(health, at),
  );
  let gauges: GaugeReader | undefined;
  const scraped = await serverAt(
    { flag: '--metrics', port: given.metricsPort, host: given.metricsHost },
    (at) => serveMetrics(at, () => gauges),
  );
  const onDamaged = (key: string, attributes: readonly string[]) =>
    log.error('a control item was damaged', { key, attributes });
  const client = createDynamoDbClient();
  const store = new DynamoDbSweepStore({ client, tables, clock, random, onDamaged });
  const flags = {
    handler: given.handler,
    queues: given.queue ?? new Map(),
    everyMs: every,
    graceSeconds: grace / 1000,
    attemptTimeout: given.attemptTimeout === undefined ? undefined : given.attemptTimeout / 1000,
    concurrency: given.concurrency,
  };
  let api: MetricsApi | undefined;
  const emitFor = async (path: string) => {
    if (given.metrics === 'emf') return undefined;
    if (given.metrics === 'off') return () => {};
    api = await metricsApi(path);
    return openTelemetryMetrics(api, VERSION);
  };
  const options = await prepare(flags, { store, clock, env, log, stop, emitFor });
  health.runMs = options.timeoutSeconds * 1000;
  if (api || scraped) {
    const operator = new DynamoDbOperatorStore({ client, tables, clock });
    gauges = gaugesOfWorker(options, { store: operator, clock, log, stop, table: tables.records });
  }
  if (api && gauges) openTelemetryGauges(api, gauges);
  log.info('working', {
    watching: watchingText(options.queues),
    queues: options.queues.map(({ name }) => name),
    table: tables.records,
    everySeconds: every / 1000,
    owner: options.env.BACKLOG_OWNER,
    health: server?.url,
    metrics: scraped && `${scraped.url}/metrics`,
    version: VERSION,
  });
  const sweeping = given.sweep
    ? sweepDaily(options.queues, { store, clock, random, log, stop, health })
    : undefined;
  try {
    await workOn(options, { clock, random, stop, health, log });
  } catch (error) {
    if (!(error instanceof FirstRunError)) throw error;
    throw new ConfigurationError(error.message, { cause: error });
  }
  await sweeping;
}

/**
 * Ends the process on an error that no code caught, as Lambda does: the state of the user's code is not known. The
 * leases run out within about a minute, and what was under attempt is attempted again.
 */
function endOnUncaught(log: AttemptLogger): void {
  const end = (what: string) => (error: unknown) => {
    log.error(`${what}: the process ends`, errorLine(error));
    process.stdout.write('', () => process.exit(EXIT.failed));
  };
  process.once('uncaughtException', end('an error that no code caught'));
  process.once('unhandledRejection', end('a promise that was rejected, and no code caught'));
}
