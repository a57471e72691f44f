import { AssertionError } from 'node:assert';
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
import type { TestRecord } from './record.js';
import type { TestBacklog } from './test-backlog.js';

/**
 * The record has succeeded.
 *
 * @throws AssertionError that describes the record
 */
export function assertSucceeded(record: TestRecord): void {
  assertThat(checkSucceeded(record), assertSucceeded);
}

/**
 * The record was given up: with this error, for this reason.
 *
 * @throws AssertionError that describes the record
 */
export function assertDead(record: TestRecord, expected?: DeadExpectation): void {
  assertThat(checkDead(record, expected), assertDead);
}

/**
 * The record waits for its next attempt: for so long, until then.
 *
 * @throws AssertionError that describes the record
 */
export function assertWaiting(record: TestRecord, expected?: WaitingExpectation): void {
  assertThat(checkWaiting(record, expected), assertWaiting);
}

/**
 * A record with these attributes was inserted into the backlog, whether it was attempted since or not.
 *
 * @throws AssertionError that lists the records
 */
export function assertInserted(backlog: TestBacklog, expected?: RecordExpectation): void {
  assertThat(checkInserted(backlog, expected), assertInserted);
}

function assertThat({ pass, message }: Checked, stackStartFn: (...args: never) => void): void {
  if (!pass) throw new AssertionError({ message: message(false), stackStartFn });
}
