import { AssertionError } from 'node:assert';
import {
  type Checked,
  checkDead,
  checkHasRecord,
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
 * The backlog has a record with these attributes, whether it was attempted or not.
 *
 * @throws AssertionError that lists the records
 */
export function assertHasRecord(backlog: TestBacklog, expected?: RecordExpectation): void {
  assertThat(checkHasRecord(backlog, expected), assertHasRecord);
}

function assertThat({ pass, message }: Checked, stackStartFn: (...args: never) => void): void {
  if (!pass) throw new AssertionError({ message: message(false), stackStartFn });
}
