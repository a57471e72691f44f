import { type Duration, Token } from 'aws-cdk-lib';
import { ConfigurationError } from '../../src/support/errors.js';

/** Properties that are objects of their own, in which the names of options begin again. */
const ROOTS = ['queues', 'workers'];

/**
 * Looks through all props for numbers and durations that are known at deployment only. The construct computes with them.
 *
 * @throws ConfigurationError naming the option
 */
export function refuseTokens(props: object): void {
  for (const [name, value] of Object.entries(props)) {
    look(value, ROOTS.includes(name) ? name : `Backlog.${name}`);
  }
}

function look(value: unknown, path: string): void {
  if (typeof value === 'number') {
    if (Token.isUnresolved(value)) refuse(path, 'a number');
  } else if (isDuration(value)) {
    checkDuration(value, path);
  } else if (Array.isArray(value) || isPlain(value)) {
    for (const [name, inner] of Object.entries(value)) look(inner, `${path}.${name}`);
  }
}

/** @throws ConfigurationError for one that is a token, or has a part of a second */
export function checkDuration(duration: Duration, path: string): void {
  if (duration.isUnresolved()) refuse(path, 'a Duration');
  try {
    duration.toSeconds();
  } catch {
    throw new ConfigurationError(
      `${path}: expected a Duration of whole seconds, got ${duration.toMilliseconds()} ms`,
    );
  }
}

function refuse(path: string, expected: string): never {
  throw new ConfigurationError(
    `${path}: expected ${expected} that is known at synthesis, such as from cdk.json or the command line (-c), got a token, ` +
      'which is known at deployment only',
  );
}

function isDuration(value: unknown): value is Duration {
  return typeof (value as Partial<Duration> | undefined | null)?.toSeconds === 'function';
}

/** Constructs and the CDK's other classes have tokens where they belong. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
