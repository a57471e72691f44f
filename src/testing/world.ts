import type { Logger } from '@aws-lambda-powertools/logger';
import { invokeWith, type ReplaceSeams } from '../../functions/seams.js';
import { type QueuesSettings, readSettings } from '../../functions/settings.js';
import type { BacklogRecord } from '../record/index.js';
import { isNumbered } from '../record/seq.js';
import { templateItems } from '../recurring/index.js';
import { ConfigurationError } from '../support/errors.js';
import { frozenLogger } from '../support/logger.js';
import { ownValue } from '../support/own-names.js';
import { seededRandom } from '../support/seeded-random.js';
import { VirtualTime } from '../support/virtual-time.js';
import { type RunSummary, run } from '../worker/index.js';
import { AttemptWatch } from './attempts.js';
import { GroupCounter } from './group-counter.js';
import { keepingLogger, type LogEntry } from './logs.js';
import { ObservedStore } from './observed-store.js';
import { parseTestOptions, type TestBacklogOptions } from './options.js';
import { type Queue, readQueues } from './queues.js';
import { readRecurring } from './recurring.js';
import { type Rule, RuleClock, rulesOf } from './rules.js';
import { Stream } from './stream.js';
import { type AttemptSummary, NO_ATTEMPTS } from './summary.js';

/** Time until the sweep finds records: its rule fires hourly. */
const SWEPT_AFTER_MS = 3_600_000;
const TABLES = { records: 'test-records', control: 'test-control' };

/** The tables, the stream, the rules and the functions of a backlog, in this process and on virtual time. */
export class World {
  readonly time: VirtualTime;
  readonly store: ObservedStore;
  readonly random: () => number;
  readonly watch: AttemptWatch;
  readonly logs: LogEntry[] = [];
  readonly queues: readonly Queue[];
  readonly rules: readonly Rule[];
  readonly ruleClock: RuleClock;
  private readonly stream: Stream;
  private readonly replace: ReplaceSeams;
  private readonly timeoutMs: number;
  private readonly troubles: unknown[] = [];
  private counted = { ...NO_ATTEMPTS };

  constructor(input: TestBacklogOptions) {
    const options = parseTestOptions(input);
    const { now, grace, attemptEachTwice, seed, timeout } = options;
    this.watch = new AttemptWatch({ graceMs: grace * 1000, attemptEachTwice });
    this.time = new VirtualTime(now, this.watch.settled);
    this.timeoutMs = timeout * 1000;
    this.store = new ObservedStore({ clock: this.time.clock() });
    this.random = seededRandom(seed);
    const recurring = readRecurring(options.recurring, options.queues);
    this.store.schedules = recurring?.queue.name;
    this.queues = [...readQueues(options.queues), ...(recurring ? [recurring.queue] : [])];
    const settings = Object.fromEntries(this.queues.map((queue) => [queue.name, queue.settings]));
    this.replace = this.seams(this.environment(settings));
    this.rules = rulesOf(this.queues, timeout);
    this.ruleClock = new RuleClock(this.store, now);
    this.stream = this.createStream(settings);
    this.store.onInserted = (item, kind) => this.stream.changed(item, kind);
    this.store.onSettled = (how) => {
      this.counted[how]++;
    };
    const { random, store, time } = this;
    const logger = keepingLogger(this.logs, undefined);
    const groups = new GroupCounter({
      time,
      store,
      random,
      logger,
      onTrouble: (error) => this.troubles.push(error),
    });
    store.watch((before, after) => {
      groups.changed(before, after);
      this.stream.wrote(before, after);
    });
    for (const item of templateItems(recurring?.template ?? new Map(), { now, random })) this.store.put(item);
  }

  /** Counts of all attempts so far. */
  get summary(): AttemptSummary {
    return { ...this.counted, attempted: this.watch.begun };
  }

  /** Tells whether no record waits but those whose handlers do not know their tasks: no time brings these to an end. */
  isSettled(): boolean {
    const waiting = this.waiting();
    if (waiting.length === 0 || !this.watch.hasUnknownTasks) return waiting.length === 0;
    return waiting.every((id) => this.store.parsed(id).every((record) => this.watch.isUnknownTask(record)));
  }

  /** Records that wait for an attempt. */
  waiting(): readonly string[] {
    const { schedules } = this.store;
    return this.store.items().flatMap((item) => {
      const { status, queue } = item;
      const isOver = status === 'SUCCESS' || status === 'DEAD';
      const isSchedule = schedules !== undefined && queue === schedules;
      return isOver || isSchedule ? [] : String(item.id);
    });
  }

  /** Tells whether a record waits for its turn in the line of its key, or is to be given it as it has come. */
  isInLine(record: BacklogRecord): boolean {
    const own = this.queues.find(({ name }) => name === record.queue);
    return own?.settings.order !== undefined && isNumbered(record) && record.lane === undefined;
  }

  /** Attempts what is due now, and what is then due in another queue. */
  async drain(): Promise<void> {
    const { time, rules, ruleClock } = this;
    const { attempted } = this.watch;
    attempted.clear();
    await time.runUntil(time.now);
    for (let before = -1; before !== attempted.size; ) {
      before = attempted.size;
      for (const rule of rules) if (!rule.band && ruleClock.isDue(rule, time.now, attempted)) this.fire(rule);
      await time.runUntil(time.now);
    }
    this.throwTrouble();
  }

  /**
   * Lets time pass, and the rules fire on the way.
   *
   * @param isOver asked after every step
   */
  async pass(until: number, isOver: () => boolean = () => false): Promise<void> {
    const { time, rules, ruleClock } = this;
    await time.runUntil(time.now);
    while (!isOver()) {
      this.throwTrouble();
      const ticks = rules.map((rule) => ruleClock.next(rule, time.now) ?? Number.POSITIVE_INFINITY);
      const at = Math.min(...ticks, time.nextAt ?? Number.POSITIVE_INFINITY);
      if (at > until) {
        if (until !== Number.POSITIVE_INFINITY) await time.runUntil(until);
        break;
      }
      await time.runUntil(at);
      for (const [i, tick] of ticks.entries()) if (tick === at) this.fire(rules[i] as Rule);
      await time.runUntil(at);
    }
    this.throwTrouble();
  }

  /** Attempts a record again, as if the outcome of its last attempt could not be written. False: it had none. */
  async redeliver(id: string): Promise<boolean> {
    const { store, time } = this;
    if (!store.unsettle(id)) return false;
    const queue = store.item(id)?.queue ?? 'default';
    await time.runUntil(time.now);
    if (store.item(id)?.lane !== undefined)
      for (const rule of this.rules) if (rule.queues.includes(String(queue))) this.fire(rule);
    await time.runUntil(time.now);
    this.throwTrouble();
    return true;
  }

  private fire({ handler, event, queues, catchUp }: Rule): void {
    const { store, ruleClock, time } = this;
    // Rules that had nothing to do did not fire: none was missed.
    for (const { every, number } of catchUp)
      for (const queue of queues)
        void store.noteIdleTier(queue, number, ruleClock.tickUpTo({ everyMs: every * 1000 }, time.now));
    this.invoke(handler, event).catch((error: unknown) => this.troubles.push(error));
  }

  /** Invokes a function. False: there was no run, as a middleware ended the invocation before it. */
  private async invoke(handler: Queue['handler'], event: unknown): Promise<boolean> {
    const endsAt = this.time.now + this.timeoutMs;
    const context = { awsRequestId: 'test', getRemainingTimeInMillis: () => endsAt - this.time.now };
    let left = this.watch.enterMiddlewares();
    const enterAgain = () => {
      left = this.watch.enterMiddlewares();
    };
    const onReached = (run: Promise<RunSummary>) => {
      left();
      run.then(enterAgain, enterAgain);
    };
    const invoked = await invokeWith(handler, event, context, this.replace, { onReached }).finally(() =>
      left(),
    );
    if (invoked.summary) return true;
    if (invoked.answer === undefined) {
      throw new ConfigurationError(
        'testBacklog.queues: expected each "handler" to be what backlogHandler has returned, or what wraps it, got a ' +
          'function that ended without an answer, and without a run',
      );
    }
    keepingLogger(this.logs, undefined).warn('a middleware ended the invocation before its run', { event });
    return false;
  }

  private seams(env: Readonly<Record<string, string>>): ReplaceSeams {
    const { time, store, random, logs, watch } = this;
    const { signal: stop } = new AbortController();
    return ({ logger, run: given = run }) => ({
      store,
      clock: time.clock(),
      random,
      env,
      logger: keepingLogger(logs, logger),
      emit: () => {},
      stop,
      adjust: (options) => ({ ...options, process: watch.preparing(options.process) }),
      run: (options, deps) =>
        given({ ...options, process: watch.watched(options.process), knows: watch.knowing(options) }, deps),
    });
  }

  private environment(queues: QueuesSettings): Record<string, string> {
    return {
      BACKLOG_TABLE: TABLES.records,
      BACKLOG_CONTROL_TABLE: TABLES.control,
      BACKLOG_FUNCTION_TIMEOUT_SECONDS: String(Math.round(this.timeoutMs / 1000)),
      BACKLOG_QUEUES: JSON.stringify(queues),
    };
  }

  private createStream(queues: QueuesSettings): Stream {
    const { time, store, random, logs } = this;
    const logger = keepingLogger(logs, undefined) as Logger;
    const onInsert = this.queues.filter(({ isOnInsert }) => isOnInsert);
    const settings = {
      ...readSettings(this.environment(queues)),
      arrivalFunctions: new Map(onInsert.map(({ name }) => [name, name])),
      functions: new Map(this.queues.map(({ name }) => [name, name])),
      redeliveryUrl: undefined,
      eventDlqUrl: undefined,
    };
    const shardsOf = (queue: string) => ownValue(queues, queue)?.shards ?? 1;
    const serves = (queue: string) => Object.hasOwn(queues, queue);
    const clock = time.clock();
    const indexing = { store, clock, random, logger: frozenLogger(logger), shardsOf, serves };
    const hasOrder = this.queues.some(({ settings }) => settings.order !== undefined);
    return new Stream({
      time,
      intake: { indexing, settings, logger },
      lineTables: hasOrder ? { lines: store.lines, control: store.control } : undefined,
      invoke: (name, event) => this.invokeForArrivals(name, event),
      fire: (name, event) => this.retry(name, event),
      onTrouble: (error) => this.troubles.push(error),
    });
  }

  private invokeForArrivals(
    name: string,
    event: { readonly arrivals: { readonly ids: readonly string[] } },
  ): void {
    const handler = this.queues.find((queue) => queue.name === name)?.handler;
    if (!handler) return;
    const { ids } = event.arrivals;
    this.invoke(handler, event).then(
      (hasRun) => {
        // It has succeeded, so nothing brings its event back: the sweep finds the records.
        if (!hasRun) this.time.after(SWEPT_AFTER_MS, () => this.stream.lost(ids));
      },
      (error: unknown) => {
        // As with its on-failure destination, which brings the event back.
        this.stream.lost(ids);
        if (!isLostRun(error)) this.troubles.push(error);
      },
    );
  }

  private retry(name: string, event: object): void {
    const handler = this.queues.find((queue) => queue.name === name)?.handler;
    if (handler) this.invoke(handler, event).catch((error: unknown) => this.troubles.push(error));
  }

  private throwTrouble(): void {
    const [trouble] = this.troubles.splice(0);
    if (trouble !== undefined) throw trouble;
  }
}

/** Tells whether an invocation failed only because it met another run: that is no error of what is tested. */
function isLostRun(error: unknown): boolean {
  return (error as { readonly summary?: RunSummary }).summary?.comesBack === true;
}
