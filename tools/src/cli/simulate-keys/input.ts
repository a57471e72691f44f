import { ConfigurationError } from 'dynamo-backlog';
import { seededRandom, show } from 'dynamo-backlog/engine';
import { ATTEMPTS, environment } from '../../lab/keys/play.js';
import {
  CAPACITY,
  type Making,
  type NoiseFigures,
  WORKLOAD_NAMES,
  type WorkloadName,
  workloadKind,
} from '../../lab/keys/workloads.js';
import { MAX_RECORDS } from '../simulate-input.js';
import { flagName } from '../simulate-modes.js';

/** The flags of `backlog simulate --keys` that were given. Durations in milliseconds. */
export interface KeysFlags {
  readonly keys: WorkloadName;
  readonly compare?: true | readonly string[];
  readonly scale?: number;
  readonly noisy?: number;
  readonly noisyRecords?: number;
  readonly noisyWithin?: number;
  readonly quiet?: number;
  readonly attemptMs?: number;
  readonly failingAttempts?: number;
  readonly seed?: number;
  readonly json?: true;
}

/** A load, and how it is attempted. */
export interface KeysScenario extends Pick<Making, 'scale' | 'figures'> {
  readonly name: WorkloadName;
  readonly attemptMs: number;
  readonly failingAttempts: number;
  readonly seed: number;
}

/** The options of a queue that are played, as the CDK app has them. */
export type KeysQueue = Readonly<Record<string, number | boolean>>;

const QUEUE_OPTIONS = [
  'concurrency',
  'onInsertConcurrency',
  'globalConcurrency',
  'attemptsPerSecond',
  'fairness',
  'concurrencyPerKey',
  'attemptsPerSecondPerKey',
];

/** Options without which a queue knows no keys. */
const KEY_OPTIONS = ['fairness', 'concurrencyPerKey', 'attemptsPerSecondPerKey'];

/** @throws ConfigurationError for figures that the load does not have, or too many records */
export function scenarioOf(flags: KeysFlags): KeysScenario {
  const { keys: name, noisy, noisyRecords, noisyWithin, quiet, seed = 1 } = flags;
  const own = { noisy, noisyRecords, noisyWithin, quiet };
  const [given] = Object.entries(own).filter(([, value]) => value !== undefined);
  const { figures: standard, defaultScale } = workloadKind(name);
  if (given && !standard) {
    const loads = WORKLOAD_NAMES.filter((one) => workloadKind(one).figures);
    throw new ConfigurationError(
      `${flagName(given[0])}: expected --keys to be one of ${loads.join(', ')} beside it, got ${name}`,
    );
  }
  const figures: Partial<NoiseFigures> = {
    ...(noisy === undefined ? {} : { noisyKeys: noisy }),
    ...(noisyRecords === undefined ? {} : { recordsEach: noisyRecords }),
    ...(noisyWithin === undefined ? {} : { withinMs: noisyWithin }),
    ...(quiet === undefined ? {} : { quietKeys: quiet }),
  };
  const isOwnLoad = noisy !== undefined || noisyRecords !== undefined || noisyWithin !== undefined;
  const { scale = isOwnLoad ? 1 : defaultScale } = flags;
  if (standard) {
    const { noisyKeys, recordsEach } = { ...standard, ...figures };
    const records = Math.round(recordsEach * scale) * noisyKeys;
    if (records < 1 || records > MAX_RECORDS) {
      throw new ConfigurationError(
        `--noisy-records and --scale: expected from 1 to ${MAX_RECORDS} noisy records in all, got ${show(records)}`,
      );
    }
  }
  const { attemptMs, failingAttempts } = { ...ATTEMPTS, ...flags };
  return { name, scale, figures, attemptMs, failingAttempts, seed };
}

/** The load of a scenario, the same each time. */
export function workloadOf({ name, scale, figures, seed }: KeysScenario) {
  const workload = workloadKind(name).make({
    scale,
    figures,
    capacity: CAPACITY,
    random: seededRandom(seed),
  });
  if (workload.noise.length > 0 && workload.quiet.length > 0) return workload;
  throw new ConfigurationError(
    `--scale: expected a part that leaves noisy and quiet keys a record, got ${scale}`,
  );
}

/**
 * The queues that play it: that of the flags, and before it one that knows no keys, if these differ or `--compare` asks for it.
 *
 * @throws ConfigurationError as the CDK app has it, with the flag's name
 */
export function queuesOf(flags: KeysFlags): readonly KeysQueue[] {
  if (Array.isArray(flags.compare)) {
    throw new ConfigurationError(
      `--compare: expected no policies beside --keys, got ${flags.compare.join(' ')}`,
    );
  }
  const given = Object.fromEntries(
    Object.entries(flags).filter(([name]) => QUEUE_OPTIONS.includes(name)),
  ) as KeysQueue;
  const queue =
    Object.keys(given).some((name) => KEY_OPTIONS.includes(name)) || !flags.compare
      ? given
      : { ...given, fairness: true };
  checkQueue(queue);
  const plain = Object.fromEntries(Object.entries(queue).filter(([name]) => !KEY_OPTIONS.includes(name)));
  return queue.fairness ? [plain, queue] : [queue];
}

/** The path of a setting in errors. */
const SETTING = /\bBACKLOG_QUEUES\.\w+\.(\w+)(?=: )/g;

function checkQueue(queue: KeysQueue): void {
  try {
    environment(queue);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const text = error.message.replace(SETTING, (_, name: string) => flagName(name));
    throw new ConfigurationError(text, { cause: error });
  }
  const limit = KEY_OPTIONS.find((name) => name !== 'fairness' && queue[name] !== undefined);
  if (limit === undefined || queue.fairness) return;
  throw new ConfigurationError(
    `${flagName(limit)}: expected --fairness beside it, as records of a key that is at its limit wait in a lane of its own, ` +
      `got ${show(queue[limit])} without it`,
  );
}
