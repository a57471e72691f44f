import type { Item } from '../../record/index.js';
import { itemBytes } from '../../record/item-size.js';
import type { OperatorStore } from '../../store/operator-store.js';
import { type Clock, toIso } from '../../support/clock.js';
import { parseDuration } from '../../support/duration.js';
import { ConfigurationError } from '../../support/errors.js';
import { type Random, randomToken } from '../../support/random.js';
import { shortened } from '../../support/shortened.js';
import { parseOptions } from '../../support/validation.js';
import { type ActionName, actionOf } from '../action-of.js';
import { operationSchema } from '../option-schemas.js';
import type { OperationResult } from '../result.js';
import type { Selection } from '../selection.js';
import type { Tables } from '../tables.js';
import { wantedOf } from '../wanted.js';
import { type AwaitedFault, awaitedFault } from './faults.js';
import { JOB_HOLD_MS } from './hold.js';
import {
  expiryOf,
  isHeld,
  isLost,
  JOB_VERSION,
  type Job,
  type JobOrigin,
  NOTHING_COUNTED,
  parseJob,
  undoRefusal,
} from './job.js';
import { type JobOutcome, JobRun, type JobRunOptions } from './run-job.js';

/** A bulk action to store. */
export interface NewJob {
  /** The method of `BacklogOperator`. */
  readonly action: ActionName;
  /** The options of the action, without those of every action. */
  readonly options?: object | undefined;
  /** The selection, or ids. */
  readonly which: Selection | readonly string[];
  /** Records changed per second at most. Default: no limit. */
  readonly perSecond?: number | undefined;
  /** Records changed at most, each time that it goes on. Default: no limit. */
  readonly limit?: number | undefined;
  /** Records to try first, 1 to 5: the others follow if all of them succeed. Default: none. */
  readonly probe?: number | undefined;
  /** Waits until the queue of the selection works again, or the destination of its cause, for this long at most: seconds, or text such as `"1d"`. Default: begins at once. */
  readonly whenBack?: number | string | undefined;
  /** Records that match, as a dry run has counted them. */
  readonly total?: number | undefined;
  /** There may be more than `total`. */
  readonly isTotalLeast?: boolean | undefined;
}

/** Jobs as they are listed. */
export interface JobList {
  /** The newest first. */
  readonly jobs: readonly Job[];
  /** Ids of items that are damaged, or of a newer version. */
  readonly unreadable: readonly string[];
}

/** Bytes of a job's options and selection, which each write of its progress pays for. */
const MAX_BYTES = 32_000;
const MAX_TEXT = 200;
const MAX_PROBE = 5;
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';

/** The stored jobs of a backlog, and this process as one that works on them. */
export class Jobs {
  private readonly store: OperatorStore;
  private readonly clock: Clock;
  private readonly random: Random;
  /** The name of this process on the jobs that it holds. */
  readonly holder: string;
  /** The ids of the jobs that `run` works on. */
  private readonly atWork = new Set<string>();

  constructor(private readonly tables: Tables) {
    this.store = tables.open().store;
    this.clock = tables.clock;
    this.random = tables.random;
    this.holder = randomToken(tables.random);
  }

  /**
   * Stores a job that this process holds. `run` works on it.
   *
   * @throws ConfigurationError for wrong options, a selection of nothing, or more than fits into an item
   */
  async create(made: NewJob, { by, from }: JobOrigin): Promise<Job> {
    const { action: name, which, perSecond, limit, probe, whenBack, total, isTotalLeast } = made;
    const now = this.clock.now();
    const options = storable(name, made.options ?? {}, now);
    const { action } = actionOf(name, { ...options, perSecond, limit }, now);
    wantedOf(which, action, name);
    if ((probe !== undefined || whenBack !== undefined) && !action.startsAttempts) {
      throw new ConfigurationError(
        `${name}: a probe, or a wait until it is back, needs an action that starts attempts`,
      );
    }
    if (probe !== undefined && !(Number.isInteger(probe) && probe >= 1 && probe <= MAX_PROBE)) {
      throw new ConfigurationError(`${name}.probe: expected 1 to ${MAX_PROBE} records, got ${probe}`);
    }
    const until = whenBack === undefined ? undefined : now + parseDuration(whenBack, 'until') * 1000;
    if (itemBytes({ options, which }) > MAX_BYTES) {
      throw new ConfigurationError(
        `${name}: too much for a job, which holds ${MAX_BYTES} bytes of ids, filters and payload`,
      );
    }
    const armedFor = whenBack === undefined ? undefined : await this.faultOf(which, name);
    await this.tables.checkRegion(this.store);
    return this.insert({
      ...{ action: name, options, which: plain(which), perSecond, limit, probe, total, isTotalLeast },
      ...{ by: shortened(by, MAX_TEXT), from: shortened(from, MAX_TEXT) },
      ...(until === undefined ? this.running() : { state: 'armed', armedUntil: toIso(until), armedFor }),
    });
  }

  /** All jobs that have not expired. */
  async list(): Promise<JobList> {
    return listed(await this.store.jobs.list(), this.clock.now());
  }

  /** Reads a job. @throws ConfigurationError if there is none, or none that this version can read */
  async read(id: string): Promise<Job> {
    const item = await this.store.jobs.read(id);
    const job = parseJob(item);
    if (job) return job;
    throw new ConfigurationError(
      item ? `job ${id}: it is damaged, or a newer version has written it` : `there is no job "${id}"`,
    );
  }

  /** Works on a job that this process holds, to its end. `result` is what this process has done, and its cost. */
  async run(job: Job, options: JobRunOptions = {}): Promise<JobOutcome> {
    const { clock, random, tables } = this;
    const { store, units } = tables.open();
    const patiently = tables.patiently(options.signal, options.onTrouble);
    const checkRegion = () => tables.checkRegion(store);
    const deps = { store, clock, random, patiently, checkRegion };
    this.atWork.add(job.id);
    try {
      const { job: ended, result } = await new JobRun(job, options, deps).work();
      return { job: ended, result: { ...(result ?? NO_RESULT), ...units() } };
    } finally {
      this.atWork.delete(job.id);
    }
  }

  /**
   * Takes over a job that is running or armed and whose process is gone. Undefined: it is held, or has ended, or another region
   * is the active one.
   */
  async takeOver(job: Job): Promise<Job | undefined> {
    if (this.isHeld(job) || !isLost(job, this.clock.wall())) return undefined;
    return (await this.tables.isPassive(this.store)) ? undefined : this.take(job, AS_BEFORE);
  }

  /**
   * Goes on with a stopped job, or with one whose process is gone: this process holds it then.
   *
   * @param perSecond records changed per second at most from now on; `Infinity`: no limit. Default: as before
   * @throws ConfigurationError if there is no such job, it cannot go on, or for a wrong pace
   */
  async goOn(id: string, perSecond?: number): Promise<Job> {
    const pace = paceChange(perSecond, 'goOn');
    const job = await this.read(id);
    await this.tables.checkRegion(this.store);
    if (this.isHeld(job)) throw new ConfigurationError(`job ${id}: a process is at work on it`);
    const taken = isLost(job, this.clock.wall()) ? await this.take(job, pace) : undefined;
    if (taken) return taken;
    const { state, holder, until } = job;
    if (state !== 'stopped')
      throw new ConfigurationError(`job ${id}: it is ${state}, and has nothing to go on with`);
    const set = { ...this.running(), ...this.held(), startedAt: job.startedAt, ...pace.set };
    const removed = ['endedAt', 'why', ...pace.remove];
    const going = await this.change(id, set, { state, holder, until }, removed);
    if (!going) throw new ConfigurationError(`job ${id}: another process was quicker`);
    return going;
  }

  /**
   * Stops a job that is running, or cancels one that is armed. Its process notices within two seconds.
   *
   * @throws ConfigurationError if there is no such job, or it is not at work
   */
  async stop(id: string, by: string): Promise<Job> {
    const { state } = await this.read(id);
    if (state !== 'running' && state !== 'armed') {
      throw new ConfigurationError(`job ${id}: it is ${state}, and not at work`);
    }
    const next = state === 'armed' ? 'cancelled' : 'stopped';
    const set = {
      state: next,
      why: `${next} by ${shortened(by, MAX_TEXT)}`,
      endedAt: toIso(this.clock.now()),
    };
    const stopped = await this.change(id, set, { state });
    if (!stopped) throw new ConfigurationError(`job ${id}: it has just changed: look again`);
    return stopped;
  }

  /**
   * Makes a job that undoes another one, held by this process.
   *
   * @param perSecond records changed per second at most. Default: no limit
   * @throws ConfigurationError if there is no such job, it cannot be undone, or for a wrong pace
   */
  async undo(id: string, { by, from }: JobOrigin, perSecond?: number): Promise<Job> {
    const pace = paceChange(perSecond, 'undo').set;
    const job = await this.read(id);
    const refusal = undoRefusal(job, this.clock.now(), this.clock.wall());
    if (refusal !== undefined) throw new ConfigurationError(`job ${id}: ${refusal}`);
    if (this.isHeld(job)) throw new ConfigurationError(`job ${id}: it is ending: try again in a moment`);
    await this.tables.checkRegion(this.store);
    const undo = await this.insert({
      ...{
        action: 'undo',
        options: { job: id, pages: job.pages },
        which: [],
        total: job.counts.changed,
        ...pace,
      },
      ...{ by: shortened(by, MAX_TEXT), from: shortened(from, MAX_TEXT) },
      ...this.running(),
    });
    await this.change(id, { undoneBy: undo.id }, {});
    return undo;
  }

  /** The failure that a job with `whenBack` would wait for, or why there is none. */
  awaited(which: NewJob['which']): Promise<AwaitedFault> {
    const patiently = <Answer>(request: () => Promise<Answer>) => request();
    return awaitedFault(which, { store: this.store, patiently }, this.clock.now());
  }

  private async faultOf(which: NewJob['which'], name: string): Promise<string | undefined> {
    const found = await this.awaited(which);
    if ('refusal' in found) throw new ConfigurationError(`${name}: ${found.refusal}`);
    return found.destination;
  }

  private running(): Pick<Job, 'state' | 'startedAt'> {
    return { state: 'running', startedAt: toIso(this.clock.now()) };
  }

  /** Work of this process goes on for a moment after its hold has run out. */
  private isHeld(job: Job): boolean {
    return this.atWork.has(job.id) || isHeld(job, this.clock.wall());
  }

  /** Undefined: another process was quicker. */
  private take({ id, state, holder, until }: Job, pace: PaceChange): Promise<Job | undefined> {
    return this.change(id, { ...this.held(), ...pace.set }, { state, holder, until }, pace.remove);
  }

  private held(): Pick<Job, 'holder' | 'until'> {
    return { holder: this.holder, until: this.clock.wall() + JOB_HOLD_MS };
  }

  private async insert(parts: Item): Promise<Job> {
    for (;;) {
      const id = this.newId();
      const job = {
        ...{ version: JOB_VERSION, id, rev: randomToken(this.random), createdAt: toIso(this.clock.now()) },
        ...{ counts: NOTHING_COUNTED, pages: 0, ...parts, ...this.held() },
        expiresAt: this.expiry(),
      };
      if (await this.store.jobs.create(id, plain(job) as Item)) return this.read(id);
    }
  }

  private async change(
    id: string,
    set: Item,
    expected: Item,
    remove: readonly string[] = [],
  ): Promise<Job | undefined> {
    const rev = randomToken(this.random);
    const given = { ...set, rev, expiresAt: this.expiry() };
    return parseJob(await this.store.jobs.change(id, { set: given, expected, remove }));
  }

  private expiry(): number {
    return expiryOf(this.clock.now());
  }

  private newId(): string {
    return Array.from({ length: 8 }, () => ALPHABET[Math.floor(this.random() * ALPHABET.length)]).join('');
  }
}

/** The jobs of a control table, the newest first. @param now the backlog's time, epoch milliseconds */
export function listed(items: ReadonlyMap<string, Item>, now: number): JobList {
  const current = [...items].filter(([, { expiresAt }]) => !(Number(expiresAt) * 1000 < now));
  const jobs = current.flatMap(([, item]) => parseJob(item) ?? []);
  return {
    jobs: jobs.sort((one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt)),
    unreadable: current.filter(([, item]) => !parseJob(item)).map(([id]) => id),
  };
}

const NO_RESULT: OperationResult = {
  ...{ matched: 0, changed: 0, delayed: 0, skipped: {}, failed: 0, failures: [], examples: [] },
  ended: 'aborted',
};

/**
 * The attributes of a job that another pace sets and removes.
 *
 * @inline
 */
interface PaceChange {
  /** Attributes that it sets. */
  readonly set: Item;
  /** Names of those that it removes. */
  readonly remove: readonly string[];
}

const AS_BEFORE: PaceChange = { set: {}, remove: [] };

function paceChange(perSecond: number | undefined, name: string): PaceChange {
  if (perSecond === undefined) return AS_BEFORE;
  if (perSecond === Number.POSITIVE_INFINITY) return { set: {}, remove: ['perSecond'] };
  return { set: { perSecond: parseOptions(operationSchema, { perSecond }, name).perSecond }, remove: [] };
}

/** The options as they are stored: a delay counts from now, whenever the job goes on. */
function storable(name: ActionName, options: object, now: number): Item {
  const { delay, ...rest } = options as Item;
  if (name !== 'snooze' || delay === undefined) return plain(options) as Item;
  return plain({ ...rest, at: toIso(now + parseDuration(delay, 'snooze.delay') * 1000) }) as Item;
}

/** A copy without `undefined`. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => (one === undefined ? [] : [[name, plain(one)]])),
  );
}
