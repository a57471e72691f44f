import { loadLimits, MemoryStore, type Random, seededRandom, VirtualTime } from 'dynamo-backlog/engine';
import { checkIntake } from '../../work/deployed-handlers.js';
import { TIMEOUT_SECONDS } from '../cloud/sandboxes.js';
import { chance } from '../draws.js';
import { slowStore } from '../slow-store.js';
import type { Arrival } from './arrivals.js';
import { Attempts } from './attempts.js';
import { Cloud } from './cloud.js';
import { countedStore } from './counted-store.js';
import { LaggingIndex } from './index-lag.js';
import { Producer } from './producer.js';
import { LEAD_MS, type Workload } from './workloads.js';

export interface PlayOptions {
  /** Settings of the queue, such as `fairness`. Default: none. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly seed?: number;
  /** Batches of the stream that are at work at a time. Default: 10. */
  readonly batches?: number;
  /** The least time from a write until the index shows it. Default: 100 ms. */
  readonly indexLagMs?: number;
  /** Milliseconds of an attempt, unless its destination hangs. Default: 200. */
  readonly attemptMs?: number;
  /** The share of the attempts that fail. Default: 0.05. */
  readonly failingAttempts?: number;
  /** Called for each second of the play. */
  readonly onProgress?: (progress: KeysProgress) => void;
}

/** The state of a play. */
export interface KeysProgress {
  readonly attempts: number;
  /** Noisy records that have had their first attempts. */
  readonly begun: number;
  /** Time since the noise began; below 0 before that. */
  readonly elapsedMs: number;
}

/** A play that is over. */
export interface Played {
  readonly attempts: Attempts;
  /** The time at which the noise began, and that of the end: epoch milliseconds. */
  readonly zero: number;
  readonly endedAt: number;
  /** Calls of the store by their names, and `index` for the writes of the index. */
  readonly calls: ReadonlyMap<string, number>;
  readonly runs: Cloud['runs'];
  /** The error of the first run that failed; undefined: none did. */
  readonly trouble: unknown;
  /** Runs by the reason for which they ended. */
  readonly ends: ReadonlyMap<string, number>;
  /** Lines of the log at WARN and ERROR, by their messages. */
  readonly lines: ReadonlyMap<string, number>;
  readonly intakes: number;
  readonly cpuSeconds: number;
}

const START = Date.parse('2026-01-01T00:00:00.000Z');
const QUEUE = 'orders';
/** Milliseconds of an attempt, and the share of the attempts that fail. */
export const ATTEMPTS = { attemptMs: 200, failingAttempts: 0.05 };
/** Longer than an attempt may take. */
const HANGS_MS = 60_000;
/** Quiet keys put records for so long at least. */
const MIN_QUIET_MS = 60_000;
const STEP_MS = 1_000;

/**
 * Plays a workload against the deployed handlers, on virtual time and a store in memory. The play ends when all records have
 * succeeded, or its time is over.
 */
export async function play(workload: Workload, options: PlayOptions = {}): Promise<Played> {
  const { settings = {}, seed = 1, batches = 10, indexLagMs = 100, onProgress } = options;
  await loadLimits();
  const startedWith = process.cpuUsage();
  const random = seededRandom(seed);
  const time = new VirtualTime(START);
  const zero = START + LEAD_MS;
  const attempts = new Attempts();
  const [calls, ends, lines] = [counter(), counter(), counter()];
  const memory = new MemoryStore({ clock: time.clock() });
  const index = new LaggingIndex(() => time.now, indexLagMs);
  const store = countedStore(
    index.of(memory, (item) => {
      cloud.wrote('MODIFY', item);
      attempts.written(String(item.id), item.lane !== undefined, time.now);
    }),
    calls.counts,
  );
  const env = environment(settings);
  const cloud: Cloud = new Cloud({
    time,
    random,
    queue: QUEUE,
    batches,
    parts: () => {
      const clock = time.clock();
      return { store: slowStore(store, clock), clock, random, env, warned: lines.add };
    },
    process: processOf({ ...ATTEMPTS, ...options, ...workload }, attempts, time, random),
    ended: ({ ended }) => ends.add(ended),
  });
  const put = (isQuiet: boolean) => (arrival: Arrival) => {
    const id = `record-${attempts.puts.size}`;
    const insertedAt = new Date(time.now).toISOString();
    const item = { id, status: 'NEW', queue: QUEUE, payload: { number: 1 }, key: arrival.key, insertedAt };
    attempts.put({ id, key: arrival.key, isQuiet, at: time.now });
    memory.put(item);
    cloud.wrote('INSERT', item);
  };
  const noise = new Producer(time, zero, workload.noise, put(false));
  const isOver = ({ at }: Arrival) =>
    workload.stopsWithNoise === true && at > MIN_QUIET_MS && noise.isDone && attempts.waiting.noisy === 0;
  const quiet = new Producer(time, zero, workload.quiet, put(true), isOver);
  const end = zero + workload.seconds * 1000;
  const isThrough = () => noise.isDone && quiet.isDone && attempts.succeeded === attempts.puts.size;
  while (time.now < end && !isThrough()) {
    await time.runUntil(time.now + STEP_MS);
    onProgress?.({
      attempts: attempts.made,
      begun: noise.put - attempts.waiting.noisy,
      elapsedMs: time.now - zero,
    });
  }
  const { user, system } = process.cpuUsage(startedWith);
  return {
    attempts,
    zero,
    endedAt: time.now,
    calls: new Map([...calls.counts, ['index', index.writes]]),
    runs: cloud.runs,
    trouble: cloud.trouble,
    ends: ends.counts,
    lines: lines.counts,
    intakes: cloud.intakes,
    cpuSeconds: (user + system) / 1e6,
  };
}

interface Work extends Pick<Workload, 'hangs' | 'noisyAttemptMs'> {
  readonly attemptMs: number;
  readonly failingAttempts: number;
}

/** The work of a record. That of a key that hangs ends by its time limit. */
function processOf(work: Work, attempts: Attempts, time: VirtualTime, random: Random) {
  const { hangs, attemptMs, noisyAttemptMs = attemptMs, failingAttempts } = work;
  const clock = time.clock();
  return async ({ id }: { readonly id: string }, context: { readonly signal: AbortSignal }) => {
    const put = attempts.begins(id, time.now);
    const isHanging = hangs && !put.isQuiet;
    await (isHanging
      ? clock.sleep(HANGS_MS, context.signal)
      : clock.sleep(put.isQuiet ? attemptMs : noisyAttemptMs));
    attempts.ends(put);
    if (isHanging) throw new Error('no answer');
    if (chance(random, failingAttempts)) throw new Error('refused');
    attempts.succeeds(put, time.now);
  };
}

/**
 * The environment of the functions of a queue with these settings.
 *
 * @throws ConfigurationError that names `BACKLOG_QUEUES`, the queue and the setting
 */
export function environment(settings: Readonly<Record<string, unknown>>): Record<string, string> {
  const env = {
    BACKLOG_TABLE: 'records',
    BACKLOG_CONTROL_TABLE: 'control',
    BACKLOG_FUNCTION_TIMEOUT_SECONDS: String(TIMEOUT_SECONDS),
    BACKLOG_QUEUES: JSON.stringify({ [QUEUE]: { retryMode: 'perRecord', ...settings } }),
    BACKLOG_ARRIVAL_FUNCTIONS: JSON.stringify({ worker: [QUEUE] }),
    BACKLOG_REDELIVERY_URL: 'https://sqs/redelivery',
  };
  checkIntake(env);
  return env;
}

function counter() {
  const counts = new Map<string, number>();
  const add = (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1);
  return { counts, add };
}
