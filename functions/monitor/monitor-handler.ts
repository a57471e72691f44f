import type { Logger } from '@aws-lambda-powertools/logger';
import {
  gaugesOf,
  type LastAges,
  lookAtQueue,
  type MonitoredQueue,
  RateLimitedCounter,
  type RateLimitedCounts,
  type Reading,
  readingItem,
  registeredMeterProvider,
  reportedAge,
} from '../../src/monitor/index.js';
import { isPassive } from '../../src/registry/regions.js';
import { overviewStore } from '../../src/store/dynamodb/overview-store.js';
import { createDynamoDbClient, type OperatorStore } from '../../src/store/index.js';
import type { OperatorSharedItems } from '../../src/store/shared-items.js';
import { ownValue } from '../../src/support/own-names.js';
import { clockOf } from '../clock.js';
import type { HandlerDeps } from '../deps.js';
import type { LambdaContext, LambdaHandler } from '../lambda-context.js';
import { lambdaHandler, logFailure, once } from '../lambda-handler.js';
import { createLogger } from '../logger.js';
import {
  emitAge,
  emitGauges,
  emitKeyGauges,
  emitRemovedQueues,
  emitSourcesStopped,
  emitTableGauges,
} from '../metrics.js';
import { type SourceTrouble, sourceTrouble } from './event-sources.js';
import { GaugeExport } from './gauge-export.js';
import type { PutEvents } from './incident-events.js';
import { monitoredQueues, type RemovedQueue, registeredQueues } from './registered.js';
import { type MonitorSettings, readMonitorSettings } from './settings.js';

/** The parts of the monitor that tests replace. */
export interface MonitorSeams {
  readonly logger?: Logger | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly store?: OperatorStore | undefined;
  readonly clock?: HandlerDeps['clock'] | undefined;
  readonly trouble?: SourceTrouble | undefined;
  readonly putEvents?: PutEvents | undefined;
  /** The items of lines, beside `store`. */
  readonly lines?: OperatorSharedItems | undefined;
}

/** Values that the monitor has read of one queue. */
export interface QueueReading {
  readonly queue: string;
  /** The lateness of the record that is due for longest, in seconds; 0 if none is due. */
  readonly oldestDueAge: number;
  /** Records that wait for an attempt, now or later. Undefined: there was no time to count them. */
  readonly waiting?: number | undefined;
  /** Records that are due by now; only where each has a due time of its own. */
  readonly due?: number | undefined;
  /** The number of waiting records that have failed, about. */
  readonly inRetry?: number | undefined;
  /** Records that were given up, and are still in the index. */
  readonly dead?: number | undefined;
  /** The records of each tier of a progressive queue, the youngest first. */
  readonly tiers?: readonly number[] | undefined;
  /** The time of the count, ISO-8601; missing if it was at this reading. */
  readonly countedAt?: string | undefined;
  /** Time for which records have failed without recovery; 0: they have recovered lately. Absent: nothing to say. */
  readonly failingSeconds?: number | undefined;
  readonly paused?: true | undefined;
  readonly openBreakers?: number | undefined;
}

class SourcesStoppedError extends Error {
  override readonly name = 'SourcesStoppedError';
  override readonly message = 'an event source of the intake does not work';
}

/** Time before the deadline that is left for the metrics. */
const SPARE_MS = 10_000;

/**
 * Reads, every five minutes, how much waits in each queue and for how long, and whether the intake is still handed what
 * was put. What it finds are metrics, and a log line for each queue in which there is anything. New counts are noted in
 * the control table, for the console and the dashboard. Of queues that ask for it, a sample says which keys wait most.
 *
 * A queue that cannot be read does not keep the others from it: the invocation fails when all have been tried.
 */
export function monitorHandler(overrides: MonitorSeams = {}): LambdaHandler<readonly QueueReading[]> {
  const { logger = createLogger(), env = process.env, trouble = sourceTrouble() } = overrides;
  const start = once(() => {
    const settings = readMonitorSettings(env);
    const clock = overrides.clock ?? clockOf(settings);
    const { tables } = settings;
    const given = overrides.store ? { store: overrides.store } : { client: createDynamoDbClient() };
    const store = given.store ?? overviewStore({ client: given.client, tables, clock });
    // Times of the counts in the control table, by queue: a count that could not be noted is noted next time.
    const noted = new Map<string, string>();
    return {
      settings,
      clock,
      store,
      given,
      noted,
      ages: new Map() as LastAges,
      counter: new RateLimitedCounter(clock),
    };
  });

  let exported: GaugeExport | undefined;

  const handle = async (_: unknown, context: LambdaContext) => {
    const { settings, clock, store, given, noted, ages, counter } = start();
    const { metrics } = settings;
    const table = settings.tables.records;
    let oldest = 0;
    let longestHeld = 0;
    let longestFailing: number | undefined;
    const registered = await registeredQueues(settings, store, clock.now()).catch(asFailed);
    // The counts are the same in all regions: the active one's monitor notes them.
    const passive = await isPassive(settings, store, clock.now()).catch(() => undefined);
    const isQuiet = passive !== false;
    const { queues, removed } =
      'error' in registered ? { queues: monitoredQueues(settings), removed: NONE } : registered;
    const deadline = clock.wall() + context.getRemainingTimeInMillis() - SPARE_MS;
    const provider = registeredMeterProvider();
    if (provider) exported ??= new GaugeExport(provider, table);
    // Queues of other owners are not read without the registry: what they had would seem to be over.
    const incidents =
      isQuiet || 'error' in registered
        ? undefined
        : await incidentEventsOf(settings, { store, logger }, overrides.putEvents);
    const read = async (queue: MonitoredQueue): Promise<QueueReading> => {
      const deps = { store, now: clock.now() };
      const count = (seen: MonitoredQueue) => counter.count(seen, deps, () => clock.wall() < deadline);
      const look = await lookAtQueue(queue, { ...deps, count, isPassive: passive }).catch((error) => {
        exported?.noteUnread(queue.name, deps.now);
        incidents?.noteUnread(queue.name);
        throw error;
      });
      const { age, state, counted, failingSeconds } = look;
      exported?.note(queue.name, gaugesOf(look, deps.now), deps.now);
      incidents?.note(queue.name, look, deps.now);
      const reading = {
        queue: queue.name,
        oldestDueAge: Math.round(age),
        ...(counted ? countsForLog(counted) : {}),
        ...(failingSeconds === undefined ? {} : { failingSeconds }),
        ...(state.paused ? { paused: true as const } : {}),
        ...(state.breakers.size > 0 ? { openBreakers: state.breakers.size } : {}),
      };
      const own = ownValue(settings.queues, queue.name);
      // Other stacks have their own alarms; what no stack serves any more has none.
      const hasNoOther = (alarm: string) => (own ? !own.ownAlarms?.includes(alarm) : removed.has(queue.name));
      const lateness = reportedAge(queue.name, reading.oldestDueAge, state, { now: deps.now, last: ages });
      if (hasNoOther('lag')) oldest = Math.max(oldest, lateness);
      if (failingSeconds !== undefined && hasNoOther('failures'))
        longestFailing = Math.max(longestFailing ?? 0, failingSeconds);
      if (reading.waiting === undefined)
        logger.warn('too many records to count in time', { queue: queue.name });
      emitGauges({ ...reading, oldestDueAge: lateness }, { table, queue: queue.name }, metrics);
      if (isNotable(reading)) logger.info('queue', forLog(reading));
      if (counted && !isQuiet && noted.get(queue.name) !== counted.at) {
        await store.readings.write(queue.name, readingItem(noteOf(queue, counted)));
        noted.set(queue.name, counted.at);
      }
      if (counted && settings.keyMetrics.has(queue.name))
        await readKeys({ ...queue, busyKeys: state.busyKeys }, counted);
      if (settings.pendingAges.has(queue.name)) await readPending({ ...queue, busyKeys: state.busyKeys });
      if (!isQuiet && settings.orderedQueues.has(queue.name)) {
        const age = await readHeld(queue.name);
        if (hasNoOther('held')) longestHeld = Math.max(longestHeld, age);
      }
      return reading;
    };
    const readPending = async (queue: MonitoredQueue) => {
      if (clock.wall() >= deadline) throw new Error(`no time was left to read what waits in ${queue.name}`);
      // Loaded only where a queue has the alarm.
      const { oldestPendingAge } = await import('./oldest-pending.js');
      const age = await oldestPendingAge(queue, { store, now: clock.now() });
      emitAge('OldestPending', Math.round(age), { table, queue: queue.name }, metrics);
    };
    const readHeld = async (queue: string): Promise<number> => {
      const hasTime = () => clock.wall() < deadline;
      if (!hasTime()) throw new Error(`no time was left to look for what is held in ${queue}`);
      // Loaded only where a queue has order.
      const { lineItemsOf, oldestHeldAge } = await import('./oldest-held.js');
      const lines = overrides.lines ?? lineItemsOf(given.client ?? createDynamoDbClient(), settings, clock);
      const deps = { lines, records: store.records, now: clock.now(), hasTime, logger };
      const age = Math.round(await oldestHeldAge(queue, deps));
      emitAge('OldestHeldAge', age, { table, queue }, metrics);
      return age;
    };
    const readKeys = async (queue: MonitoredQueue, counted: RateLimitedCounts) => {
      if (clock.wall() >= deadline) throw new Error(`no time was left to read the keys of ${queue.name}`);
      // Loaded only where a queue asks for it.
      const { sampleKeys } = await import('./key-gauges.js');
      const tables = { table, controlTable: settings.tables.control, clock, ...given };
      const { worst, most } = await sampleKeys(tables, queue, counted);
      emitKeyGauges({ worst, most }, { table, queue: queue.name }, metrics);
      exported?.noteKeys(
        queue.name,
        worst.map(({ key, waiting, inRetry }) => ({ key, values: { waiting, inRetry } })),
      );
    };
    const lookAtSources = async () => {
      const stopped: { mapping: string; why: string }[] = [];
      for (const mapping of settings.eventSources) {
        const why = await trouble(mapping);
        if (why !== undefined) stopped.push({ mapping, why });
      }
      for (const one of stopped) logger.error('an event source of the intake does not work', one);
      emitSourcesStopped(stopped.length, table, metrics);
      // The alarm on the monitor's errors says this as well, which saves an alarm.
      if (stopped.length > 0 && settings.tableAlarms) throw new SourcesStoppedError();
    };
    const [, ...readings] = (await allOrThrow([
      lookAtSources,
      ...queues.map((queue) => () => read(queue)),
    ]).finally(async () => {
      const gauges = { oldestDueAge: oldest, failingSeconds: longestFailing, oldestHeldAge: longestHeld };
      if (settings.tableAlarms) emitTableGauges(gauges, table, metrics);
      await incidents?.emit(clock.now());
      await exported?.flush(clock, logger);
    })) as QueueReading[];
    if ('error' in registered) throw registered.error;
    reportRemoved(readings, removed, logger, (count) => emitRemovedQueues(count, table, metrics));
    if (!isQuiet)
      await registered.tidy((queue) => readings.some((one) => one.queue === queue && one.waiting === 0));
    return readings;
  };
  return lambdaHandler(logger, handle, [logFailure(logger, 'monitor failed')]);
}

/** The code is loaded only where there is a bus. */
async function incidentEventsOf(
  { incidentBus, runbookUrl: runbook, tables }: MonitorSettings,
  deps: { readonly store: Pick<OperatorStore, 'readings'>; readonly logger: Logger },
  putEvents: PutEvents | undefined,
) {
  if (incidentBus === undefined) return undefined;
  const [{ IncidentEvents, putOn }, { eventBus }] = await Promise.all([
    import('./incident-events.js'),
    import('../events/event-bus.js'),
  ]);
  return new IncidentEvents({
    ...deps,
    put: putEvents ?? putOn(eventBus(incidentBus)),
    table: tables.records,
    runbook,
  });
}

function countsForLog({ counts, inRetry, at, isOld }: RateLimitedCounts) {
  const { pending: waiting, due, dead, ages } = counts;
  // Records that are older than the last tier still belong to it.
  const [last, older] = [ages?.at(-2)?.count ?? 0, ages?.at(-1)?.count ?? 0];
  const tiers = ages && [...ages.slice(0, -2).map(({ count }) => count), last + older];
  return {
    waiting,
    ...(due ? { due: due.now } : {}),
    inRetry,
    dead,
    ...(tiers ? { tiers } : {}),
    ...(isOld ? { countedAt: at } : {}),
  };
}

function noteOf(
  { bands, retry, probes }: MonitoredQueue,
  { counts, inRetry, lanes, at }: RateLimitedCounts,
): Reading {
  const retryMode = bands.length > 0 ? 'progressive' : 'perRecord';
  return { at, counts, inRetry, shards: lanes, retryMode, retry, probes };
}

const NONE: ReadonlyMap<string, RemovedQueue> = new Map();

/** Returns a failure to read the registry, instead of throwing it: the monitor's own queues are read all the same. */
function asFailed(error: unknown): { readonly error: unknown } {
  return { error };
}

function reportRemoved(
  readings: readonly QueueReading[],
  removed: ReadonlyMap<string, RemovedQueue>,
  logger: Logger,
  emit: (records: number) => void,
): void {
  let records = 0;
  for (const { queue, waiting = 0 } of readings) {
    const entry = removed.get(queue);
    if (!entry || waiting === 0) continue;
    records += waiting;
    logger.warn('records wait in a queue that no function serves any more', { queue, waiting, ...entry });
  }
  emit(records);
}

/** Most readings at a time. More would wait for connections, and a request that waits runs out of its time. */
const MAX_AT_ONCE = 20;

/**
 * Does all of the work, whatever fails, and throws the first failure at the end. A task that takes long keeps no other
 * one waiting.
 */
async function allOrThrow(work: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  const settled: PromiseSettledResult<unknown>[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < work.length; at = next++) {
      [settled[at]] = (await Promise.allSettled([work[at]?.()])) as [PromiseSettledResult<unknown>];
    }
  };
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, worker));
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : undefined));
}

/** The reading for a log line. Its tiers are a text, as Logs Insights makes an attribute of each element of a list. */
function forLog({ tiers, ...reading }: QueueReading): Record<string, unknown> {
  return { ...reading, ...(tiers ? { tiers: tiers.join(' ') } : {}) };
}

function isNotable({ waiting = 0, dead = 0, paused, openBreakers = 0 }: QueueReading): boolean {
  return waiting + dead + openBreakers > 0 || paused === true;
}
