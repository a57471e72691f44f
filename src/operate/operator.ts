import {
  type CompletionResult,
  doneWith,
  endOutside,
  failedWith,
  type OutsideEnd,
} from '../client/complete.js';
import type { Item } from '../record/index.js';
import { isServed } from '../registry/serving.js';
import type { PauseNote } from '../store/operator-store.js';
import type { QueueState } from '../store/store.js';
import { toIso } from '../support/clock.js';
import { ConfigurationError } from '../support/errors.js';
import { parseOptions } from '../support/validation.js';
import { type ActionName, actionOf } from './action-of.js';
import { exportAction } from './actions.js';
import { endKeyPause, parseKey, pauseKey } from './key-pauses.js';
import { Operation } from './operation.js';
import {
  completeSchema,
  exportSchema,
  failSchema,
  heartbeatSchema,
  operationSchema,
  recordId,
  statsSchema,
} from './option-schemas.js';
import type {
  ChangePolicyOptions,
  CompleteOptions,
  DiscardOptions,
  EditOptions,
  ExportOptions,
  FailOptions,
  MoveOptions,
  OperationOptions,
  PauseOptions,
  ProlongOptions,
  RedriveOptions,
  SnoozeOptions,
  StatsOptions,
  Which,
} from './options.js';
import { pagesOf } from './pages.js';
import { parsePause } from './parse-pause.js';
import type { QueueStats, Stats } from './queue-stats.js';
import type { ActionResult } from './result.js';
import { queueName } from './selection.js';
import { statsOf } from './stats.js';
import { type BacklogOperatorOptions, Tables } from './tables.js';
import { wantedOf } from './wanted.js';

/**
 * The client of operators. It changes records that wait or were given up: one, a list of ids, or all that match. Every
 * write is fenced: of an action and an attempt at the same time, the first write wins. Every action may be interrupted
 * and repeated; one bad record never stops the others. See docs/operate.md.
 *
 *     const operator = new BacklogOperator({ table: 'Backlog-Records', controlTable: 'Backlog-Control' });
 *     await operator.redrive({ queue: 'orders', errorName: 'HttpError', youngerThan: '2d' }, { perSecond: 50 });
 */
export class BacklogOperator {
  private readonly tables: Tables;

  /** @throws ConfigurationError for an option that is missing, unknown or invalid */
  constructor(options: BacklogOperatorOptions) {
    this.tables = new Tables(options);
  }

  /**
   * Makes dead records wait again, due now: failures back to 0, history kept. A selection leaves out those that
   * are not wanted any more.
   *
   * @throws ConfigurationError for wrong options, or a selection of nothing; OperationInterruptedError if the tables cannot
   *   be used or reached, with what was done by then
   */
  async redrive(which: Which, options: RedriveOptions = {}): Promise<ActionResult> {
    return this.act('redrive', which, options);
  }

  /**
   * Gives records up, as they are not wanted any more: they are dead with the reason, or removed, with `delete`. Of a
   * selection that names no status: dead ones.
   *
   * @throws ConfigurationError for wrong options, or a selection of nothing; OperationInterruptedError if the tables cannot
   *   be used or reached, with what was done by then
   */
  async discard(which: Which, options: DiscardOptions = {}): Promise<ActionResult> {
    return this.act('discard', which, options);
  }

  /**
   * Waiting records are not attempted before `delay` is over, or `at` has come: one of the two is required.
   *
   * @throws ConfigurationError for wrong options, or a selection of nothing; OperationInterruptedError if the tables cannot
   *   be used or reached, with what was done by then
   */
  async snooze(which: Which, options: SnoozeOptions): Promise<ActionResult> {
    return this.act('snooze', which, options);
  }

  /**
   * Waiting records are due now; on a progressive queue when their tier runs next.
   *
   * @throws ConfigurationError for wrong options, or a selection of nothing; OperationInterruptedError if the tables cannot
   *   be used or reached, with what was done by then
   */
  async runNow(which: Which, options: OperationOptions = {}): Promise<ActionResult> {
    return this.act('runNow', which, options);
  }

  /**
   * Waiting or dead records get another payload: `payload`, or what `merge` makes of the present one. A record whose
   * payload is no object cannot be merged into: it counts as failed.
   *
   * @throws ConfigurationError for wrong options, or a selection of nothing; OperationInterruptedError if the tables cannot
   *   be used or reached, with what was done by then
   */
  async editPayload(which: Which, options: EditOptions): Promise<ActionResult> {
    return this.act('editPayload', which, options);
  }

  /**
   * Waiting records, or dead ones that are named or selected as such, go to another queue.
   *
   * @throws ConfigurationError for wrong options, or a selection of nothing; OperationInterruptedError if the tables cannot
   *   be used or reached, with what was done by then
   */
  async move(which: Which, options: MoveOptions): Promise<ActionResult> {
    return this.act('move', which, options);
  }

  /**
   * Waiting or dead records get a policy of their own, or lose it. It decides from the next failure on.
   *
   * @throws ConfigurationError for wrong options, or a selection of nothing; OperationInterruptedError if the tables cannot
   *   be used or reached, with what was done by then
   */
  async changePolicy(which: Which, options: ChangePolicyOptions): Promise<ActionResult> {
    return this.act('changePolicy', which, options);
  }

  /**
   * Completes a record that waits for its end from outside: it is `SUCCESS`. See `complete` of `BacklogClient`.
   *
   * @throws ConfigurationError for wrong options, or where another region is the active one; InvalidRecordError for a result that cannot
   *   be kept; StoreError if the tables cannot be used or reached
   */
  async complete(id: string, options: CompleteOptions = {}): Promise<CompletionResult> {
    const { token, result } = parseOptions(completeSchema, options, 'complete');
    return this.endOutside('complete', { id, token, end: doneWith(result) });
  }

  /**
   * Fails the attempt of a record that waits for its end from outside. The next run of its queue writes that, and its policy says when
   * the next attempt is. See `fail` of `BacklogClient`.
   *
   * @throws ConfigurationError for wrong options, or where another region is the active one; StoreError if the tables cannot be used or
   *   reached
   */
  async fail(id: string, options: FailOptions): Promise<CompletionResult> {
    const { token, error } = parseOptions(failSchema, options, 'fail');
    return this.endOutside('fail', { id, token, end: failedWith(error) });
  }

  /**
   * Prolongs the wait of a record for its end from outside: it is over at this time plus the timeout.
   *
   * @throws ConfigurationError for wrong options, or where another region is the active one; StoreError if the tables cannot be used or
   *   reached
   */
  async heartbeat(id: string, options: ProlongOptions = {}): Promise<CompletionResult> {
    const { token, timeout } = parseOptions(heartbeatSchema, options, 'heartbeat');
    return this.endOutside('heartbeat', { id, token, end: { type: 'heartbeat', seconds: timeout } });
  }

  /**
   * The items as they are in the table, one after the other.
   *
   * @throws ConfigurationError for wrong options, or a selection of nothing; StoreError if the tables cannot be used or
   *   reached
   */
  async *export(which: Which, options: ExportOptions = {}): AsyncGenerator<Item> {
    const {
      limit = Number.POSITIVE_INFINITY,
      signal,
      onTrouble,
    } = parseOptions(exportSchema, options, 'export');
    const wanted = wantedOf(which, exportAction(), 'export');
    const { store } = this.tables.open();
    const pages = pagesOf(wanted, {
      store,
      size: 100,
      now: () => this.tables.clock.now(),
      patiently: this.tables.patiently(signal, onTrouble),
    });
    let count = 0;
    for await (const { found } of pages) {
      for (const { item, record } of found) {
        if (signal?.aborted || count >= limit) return;
        if ('selected' in wanted && !wanted.selected.matches(record, this.tables.clock.now())) continue;
        count++;
        yield item;
      }
    }
  }

  /**
   * Counts the records of queues in the index, at a cost that grows with what waits and what is dead, not with history.
   *
   * The index is eventually consistent, and records that are not indexed yet are not counted.
   *
   * @throws ConfigurationError for wrong options, StoreError if the tables cannot be used or reached
   */
  async stats(options: StatsOptions = {}): Promise<Stats> {
    const { queues: names, alsoQueues = [], signal } = parseOptions(statsSchema, options, 'stats');
    const { store, units } = this.tables.open();
    const deps = { store, patiently: this.tables.patiently(signal) };
    const { queues: known, registry } = await deps.patiently(() => store.control.read('strong'));
    const listed = names ?? [...known.keys(), ...registry.queues.keys()];
    const wanted = [...new Set([...listed, ...alsoQueues])].sort();
    const now = this.tables.clock.now();
    const queues: QueueStats[] = [];
    for (const queue of wanted) {
      const mode = registry.queues.get(queue)?.retryMode;
      const retryMode = mode && { mode, since: 0 };
      const unknown = { paused: false, tiers: new Map(), breakers: new Map(), retryMode };
      const state: QueueState = known.get(queue) ?? unknown;
      const counted = await statsOf(queue, state, now, deps);
      const unserved = counted.pending > 0 && isServed(queue, registry, state, now) === false;
      queues.push(unserved ? { ...counted, unserved } : counted);
    }
    return { at: toIso(now), queues, readUnits: units().readUnits };
  }

  /**
   * Stops a queue: no further attempt begins within a page, nor on arrival. False: it was paused already. Options of a second
   * pause replace those of the first.
   *
   * @throws ConfigurationError for what is no name of a queue, or wrong options; StoreError if the table cannot be used or
   *   reached
   */
  async pause(queue: string, options: PauseOptions = {}): Promise<boolean> {
    const { until, reason, by } = parsePause(options, this.tables.clock.now(), 'pause');
    const note = {
      pausedUntil: until === undefined ? undefined : toIso(until),
      pauseReason: reason,
      pausedBy: by,
    };
    return this.setPaused('pause', queue, true, note);
  }

  /**
   * Lets a queue go on. False: it was not paused.
   *
   * @throws ConfigurationError for what is no name of a queue, StoreError if the table cannot be used or reached
   */
  async resume(queue: string): Promise<boolean> {
    return this.setPaused('resume', queue, false);
  }

  /**
   * Stops one key of a queue: no further attempt of its records begins within a page, nor on arrival. Those of other keys go on. It
   * ends at `until`. False: it was paused so already. Options of a second pause replace those of the first.
   *
   * @throws ConfigurationError for what is no queue or key, wrong options, or the 21st key of a queue; StoreError if the table cannot
   *   be used or reached
   */
  async pauseKey(queue: string, key: string, options: PauseOptions = {}): Promise<boolean> {
    const now = this.tables.clock.now();
    const note = parsePause(options, now, 'pause');
    const name = parseOptions(queueName, queue, 'pauseKey: queue');
    return pauseKey(this.tables.open().store, name, parseKey(key, 'pauseKey'), note, now);
  }

  /**
   * Lets a key go on, and makes the records due that runs have put off. `resumed` is false if the key was not paused: its records are
   * made due all the same, as a run may have put some off in the minute of the resume.
   *
   * @throws ConfigurationError for what is no queue or key, or wrong options; OperationInterruptedError if the tables cannot be used or
   *   reached, with what was done by then
   */
  async resumeKey(
    queue: string,
    key: string,
    options: OperationOptions = {},
  ): Promise<
    ActionResult & {
      /** The key was paused. */
      readonly resumed: boolean;
    }
  > {
    const name = parseOptions(queueName, queue, 'resumeKey: queue');
    const which = { queue: name, key: parseKey(key, 'resumeKey'), keyPaused: true };
    // Its options are checked before anything is changed.
    const { dryRun } = parseOptions(operationSchema, options, 'resumeKey');
    const { store } = this.tables.open();
    const resumed = dryRun ? false : await endKeyPause(store, name, key, this.tables.clock.now());
    return { ...(await this.runNow(which, options)), resumed };
  }

  private setPaused(name: string, queue: string, paused: boolean, note?: PauseNote): Promise<boolean> {
    const { store } = this.tables.open();
    return store.queues.setPaused(parseOptions(queueName, queue, `${name}: queue`), paused, note);
  }

  private async endOutside(
    name: string,
    given: { readonly id: string; readonly token: string | undefined; readonly end: OutsideEnd },
  ): Promise<CompletionResult> {
    const { clock, random } = this.tables;
    const id = parseOptions(recordId, given.id, `${name}: id`);
    const { store } = this.tables.open();
    await this.tables.checkRegion(store);
    return endOutside(id, given.token, given.end, { records: store.records, clock, random });
  }

  private async act(name: ActionName, which: Which, given: unknown): Promise<ActionResult> {
    const { clock, random } = this.tables;
    const { action, how: options } = actionOf(name, given, clock.now());
    const wanted = wantedOf(which, action, name);
    if (options.expected !== undefined && !('ids' in wanted && wanted.ids.length === 1)) {
      throw new ConfigurationError(`${name}.expected: only for one id`);
    }
    const { store, units } = this.tables.open();
    const checkRegion = () => this.tables.checkRegion(store);
    const deps = { store, clock, random, checkRegion };
    const result = await new Operation(action, wanted, options, deps).run();
    return { ...result, ...units() };
  }
}
