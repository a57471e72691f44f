import type { Logger } from '@aws-lambda-powertools/logger';
import { DynamoDbStore } from '../../src/store/index.js';
import { frozenLogger } from '../../src/support/logger.js';
import { ownValue } from '../../src/support/own-names.js';
import { createDeps, type HandlerDeps } from '../deps.js';
import type { LambdaHandler } from '../lambda-context.js';
import { lambdaHandler, logFailure, once } from '../lambda-handler.js';
import { createLogger } from '../logger.js';
import { type EmitIntakeMetrics, emitIntakeMetrics } from '../metrics.js';
import type { BatchKeys, KeysOfSandbox } from './batch-keys.js';
import { buryRun, lookAtIndexed } from './bury-run.js';
import { dispatchInserts } from './dispatch-inserts.js';
import { IntakeBatch, type IntakeDeps } from './intake-batch.js';
import { createInvoker, type Invoker } from './invoker.js';
import type { lineTablesOf } from './line-tables.js';
import type { Lines, LinesGiven, LineTables } from './lines.js';
import { type Message, parseQueueEvent } from './queue-event.js';
import { RegisteredQueues } from './registered-queues.js';
import { readIntakeSettings } from './settings.js';
import { sendShortWaits, startShortWaits } from './short-waits.js';
import {
  isSettled,
  parseStreamEvent,
  parseStreamPlaces,
  parseVersions,
  type StreamChange,
} from './stream-event.js';

/** The answer of a handler of a stream or a queue to Lambda: what must be delivered again. */
export interface BatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** The parts of the intake's handlers that tests replace. */
export interface IntakeSeams extends Partial<HandlerDeps> {
  readonly logger?: Logger | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly emit?: EmitIntakeMetrics | undefined;
  readonly invoker?: Invoker | undefined;
  /** The code for queues that are fair between keys. Default: it is loaded when there is one. */
  readonly batchKeys?: typeof BatchKeys | undefined;
  /** The code for queues with order. Default: it is loaded when there is one. */
  readonly lines?: typeof Lines | undefined;
  /** The tables as lines need them. Default: those of the settings. */
  readonly lineTables?: LineTables | undefined;
}

/**
 * Handles each record that was put without `lane`: has the function of its queue attempt it at once, or indexes it, so
 * that the rules find it. So any service that can put `{ id, status, payload }` is a producer. Runs no code of the
 * user's. Takes batches of the table's stream, and of the queue to which lost runs return.
 *
 * May be handed the same records again, and out of turn: it looks at the records themselves.
 */
export function intakeHandler(overrides: IntakeSeams = {}): LambdaHandler<BatchResponse> {
  const { logger = createLogger(), env = process.env } = overrides;
  const start = once(() => {
    const own = readIntakeSettings(env);
    const deps = createDeps(own, overrides, DynamoDbStore);
    const invoker = overrides.invoker ?? createInvoker(own);
    const sentWaits = new Set<string>();
    const remembered: KeysOfSandbox = { meters: new Map(), lanes: new Map() };
    const lineCode = once(() => linesCode({ settings: own, ...deps }, overrides));
    // The registry exists only where functions have owners.
    const registered = own.owner === undefined ? undefined : new RegisteredQueues(own, deps, logger);
    return async (): Promise<IntakeDeps> => {
      const settings = registered ? await registered.read() : own;
      const shardsOf = (queue: string) => ownValue(settings.queues, queue)?.shards ?? 1;
      const serves = (queue: string) => Object.hasOwn(settings.queues, queue);
      const indexing = { ...deps, logger: frozenLogger(logger), shardsOf, serves };
      const isFair = (queue: string) => ownValue(settings.queues, queue)?.fairness === true;
      const hasOrder = Object.values(settings.queues).some(({ order }) => order !== undefined);
      const lines = hasOrder && (await lineCode())({ settings, indexing, invoker, logger });
      const hasFair = Object.values(settings.queues).some(({ fairness }) => fairness);
      const common = { settings, invoker, logger, sentWaits, ...(lines && { lines }) };
      if (!hasFair) return { ...common, indexing };
      const Keys = overrides.batchKeys ?? (await import('./batch-keys.js')).BatchKeys;
      const keys = new Keys(remembered, { ...indexing, isFair });
      return { ...common, indexing: { ...indexing, keyLanes: keys }, keys };
    };
  });

  const handle = async (input: unknown) => {
    const deps = await start()();
    const run = new IntakeBatch(deps);
    const failed = await take(input, run, deps);
    const { metrics } = deps.settings;
    run.report(overrides.emit ?? ((counts, table) => emitIntakeMetrics(counts, table, metrics)));
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };
  return lambdaHandler(logger, handle, [logFailure(logger, 'intake failed')]);
}

/** Loads the code for queues with order, and makes the client of its tables, which keeps its connections between invocations. */
async function linesCode(
  where: Parameters<typeof lineTablesOf>[0],
  { lineTables, lines }: IntakeSeams,
): Promise<(given: LinesGiven) => Lines> {
  const Of = lines ?? (await import('./lines.js')).Lines;
  const tables = lineTables ?? (await import('./line-tables.js')).lineTablesOf(where);
  return (given) => new Of(given, tables);
}

/**
 * Handles one event of the stream or of the redelivery queue.
 *
 * @returns what must be delivered again: messages, or the record from which on the stream must
 */
export async function take(input: unknown, run: IntakeBatch, deps: IntakeDeps): Promise<string[]> {
  if (isOfQueue(input)) return redeliver(parseQueueEvent(input), run, deps);
  const now = deps.indexing.clock.now();
  const all = parseStreamEvent(input, now);
  const settled = all.filter(isSettled);
  const sent = settled.length > 0 && sendShortWaits(settled, deps);
  const others = settled.length > 0 ? all.filter((change) => !isSettled(change)) : all;
  const { isPassive = false } = deps.settings;
  const sifted = !isPassive && (await deps.lines?.sift(parseVersions(input, now), others));
  const { changes, failed } = sifted || { changes: others };
  const from = isPassive ? await leaveInserts(changes, run) : await dispatchInserts(changes, run, deps);
  await sent;
  if (from) run.counts.unprocessed += changes.length - changes.indexOf(from);
  const places = from ? [from.sequenceNumber, failed] : [failed];
  const first =
    failed === undefined ? places[0] : parseStreamPlaces(input).find((one) => places.includes(one));
  if (first === undefined) return [];
  deps.logger.error('intake failed, the stream comes again', { from: first });
  return [first];
}

/** @returns the first change that must come again; undefined: none */
async function leaveInserts(
  changes: readonly StreamChange[],
  run: IntakeBatch,
): Promise<StreamChange | undefined> {
  const undone = new Set(await run.leaveToOtherRegion([...new Set(changes.map(({ id }) => id))]));
  return changes.find(({ id }) => undone.has(id));
}

function isOfQueue(input: unknown): boolean {
  const { Records } = (input ?? {}) as { Records?: unknown };
  const [first]: { eventSource?: unknown }[] = Array.isArray(Records) ? Records : [];
  return first?.eventSource === 'aws:sqs';
}

/**
 * Handles records that come back: of a run that was lost, or whose first attempt had to be waited for.
 *
 * @returns messages that must come again
 */
async function redeliver(
  messages: readonly Message[],
  run: IntakeBatch,
  deps: IntakeDeps,
): Promise<string[]> {
  const { invoker, logger } = deps;
  const failed: string[] = [];
  const waits = messages.flatMap((message) => (message.type === 'shortWait' ? message.wait : []));
  if (waits.length > 0) await startShortWaits(waits, deps);
  for (const message of messages) {
    if (message.type === 'shortWait') continue;
    try {
      if (message.died) await buryRun(message.died, deps);
      if (message.type === 'foreign') {
        await invoker.giveUp(message.body);
        continue;
      }
      const { messageId, ids, lost, swept, died } = message;
      if (lost) run.counts.redelivered += ids.length;
      const undone = await run.index(ids, { swept });
      if (died) await lookAtIndexed(died, deps);
      if (undone.length === 0) continue;
      run.counts.unprocessed += undone.length;
      failed.push(messageId);
    } catch (error) {
      logger.error('a message of the redelivery queue comes again', error as Error);
      run.counts.unprocessed += message.type === 'redelivered' ? message.ids.length : 1;
      failed.push(message.messageId);
    }
  }
  return failed;
}
