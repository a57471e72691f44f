import {
  type Checked,
  checkDead,
  checkInserted,
  checkSucceeded,
  checkWaiting,
  type DeadExpectation,
  type RecordExpectation,
  type WaitingExpectation,
} from './checks.js';

/** Matchers that `expect` has once it was extended by `backlogMatchers`. */
export interface BacklogMatchers<Result = unknown> {
  /** The record has succeeded. */
  toHaveSucceeded(): Result;
  /** The record was given up: with this error, for this reason. */
  toBeDead(expected?: DeadExpectation): Result;
  /** The record waits for its next attempt: for so long, until then. */
  toBeWaiting(expected?: WaitingExpectation): Result;
  /** A record with these attributes was inserted into the backlog, whether it was attempted since or not. */
  toHaveBeenInserted(expected?: RecordExpectation): Result;
}

/** The result of a matcher, as Vitest and Jest take it. */
export interface MatcherResult {
  /** The expectation holds. */
  readonly pass: boolean;
  /** Returns the message of the failure. */
  readonly message: () => string;
}

/**
 * The context of a matcher's call.
 *
 * @inline
 */
interface MatcherContext {
  /** `.not` came before it. */
  readonly isNot?: boolean | undefined;
}

/**
 * Matchers for Vitest and Jest: `expect.extend(backlogMatchers)`, once, in a setup file.
 */
export const backlogMatchers = {
  /** See `BacklogMatchers`. */
  toHaveSucceeded(this: MatcherContext, received: unknown): MatcherResult {
    return resultOf(checkSucceeded(received), this);
  },
  /** See `BacklogMatchers`. */
  toBeDead(this: MatcherContext, received: unknown, expected?: DeadExpectation): MatcherResult {
    return resultOf(checkDead(received, expected), this);
  },
  /** See `BacklogMatchers`. */
  toBeWaiting(this: MatcherContext, received: unknown, expected?: WaitingExpectation): MatcherResult {
    return resultOf(checkWaiting(received, expected), this);
  },
  /** See `BacklogMatchers`. */
  toHaveBeenInserted(this: MatcherContext, received: unknown, expected?: RecordExpectation): MatcherResult {
    return resultOf(checkInserted(received, expected), this);
  },
};

function resultOf({ pass, message }: Checked, { isNot = false }: MatcherContext): MatcherResult {
  return { pass, message: () => message(isNot) };
}

declare global {
  // Vitest and @types/jest both read it, and neither need be installed.
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: all declarations of an interface have the same parameters
    interface Matchers<R, T = {}> extends BacklogMatchers<R> {}
  }
}
