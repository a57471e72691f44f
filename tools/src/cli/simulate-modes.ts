import { ConfigurationError } from 'dynamo-backlog';
import { show } from 'dynamo-backlog/engine';

/** Flags that only `backlog simulate --keys` has. */
const OF_KEYS = [
  'scale',
  'noisy',
  'noisyRecords',
  'noisyWithin',
  'quiet',
  'failingAttempts',
  'fairness',
  'concurrencyPerKey',
  'attemptsPerSecondPerKey',
  'globalConcurrency',
  'onInsertConcurrency',
];

/** Flags that `--keys` shares with the simulation of policies. */
const OF_BOTH = ['keys', 'compare', 'attemptMs', 'concurrency', 'attemptsPerSecond', 'seed', 'json'];

/** The flags that were given, by the names that commander gives them. */
export type GivenFlags = Readonly<Record<string, unknown>>;

/** @throws ConfigurationError for a flag that means nothing beside `--keys` */
export function refuseBesideKeys(given: GivenFlags): void {
  for (const [name, value] of Object.entries(given)) {
    if (OF_KEYS.includes(name) || OF_BOTH.includes(name)) continue;
    const instead = name === 'failing' ? '--failing-attempts in its place' : 'no such flag';
    const got = typeof value === 'object' ? '' : `, got ${show(value)}`;
    throw new ConfigurationError(`${flagName(name)}: expected ${instead} beside --keys${got}`);
  }
}

/** @throws ConfigurationError for a flag that means something beside `--keys` only */
export function refuseWithoutKeys(given: GivenFlags): void {
  const name = OF_KEYS.find((one) => one in given);
  if (name === undefined) return;
  throw new ConfigurationError(
    `${flagName(name)}: expected --keys LOAD beside it, such as --keys one-noisy, got ${show(given[name])} without it`,
  );
}

/** `--concurrency-per-key` of `concurrencyPerKey`. */
export function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
