/**
 * Tests of your handlers and producers: a backlog in your test's process, in memory and on virtual time, with the code
 * that runs in Lambda. It needs no AWS account, no port and no waiting. See docs/testing.md.
 *
 * @packageDocumentation
 */
export { assertDead, assertInserted, assertSucceeded, assertWaiting } from './assertions.js';
export type { DeadExpectation, RecordExpectation, WaitingExpectation } from './checks.js';
export {
  type FakeAnswer,
  type FakeFetch,
  type FakeRequest,
  failTimes,
  fakeFetch,
  hang,
  retryAfter,
} from './fakes.js';
export { type Finding, HandlerFindingError, NotIdempotentError } from './findings.js';
export type { LogEntry } from './logs.js';
export { type BacklogMatchers, backlogMatchers, type MatcherResult } from './matchers.js';
export type { TestBacklogOptions, TestQueue } from './options.js';
export { type PerformOptions, type PerformResult, perform } from './perform.js';
export type { RecordFilter, TestRecord } from './record.js';
export type { AttemptSummary } from './summary.js';
export { type BareItem, type TestBacklog, testBacklog } from './test-backlog.js';
