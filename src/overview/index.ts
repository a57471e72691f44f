/**
 * The state of a backlog as data, for screens and alarms of your own. The console, `backlog top` and the dashboard are made of it.
 * `CountsReader` reads the counts of all queues, `snapshotOf` finds the condition of each, `incidentsOf` finds what they have in
 * common, and `sentenceOf` and `troublesOf` say what is wrong. `causesOf` groups failed records by their causes, `keysOf` groups records
 * by their keys.
 *
 * @packageDocumentation
 */

export type { Reading } from '../monitor/index.js';
export { type Cause, causeText, errorText, hasCause } from '../operate/cause.js';
export type { QueueCounts } from '../operate/queue-stats.js';
export type { BusyKey } from '../record/busy-keys.js';
export type { PastOutage } from '../record/index.js';
export type { HeldCount } from '../store/operator-store.js';
export { shortened } from '../support/shortened.js';
export { type AlarmOn, alarmText, muteText } from './alarms-on.js';
export {
  AGES,
  causesOf,
  type FailureAge,
  type FailureCause,
  type FailureCounts,
  type FailureExample,
  type FailurePattern,
  sumOf,
} from './causes.js';
export { troublesOf } from './check.js';
export { CONDITIONS, type Condition, LOOKS, type Look, SENTENCE_ICONS } from './conditions.js';
export { COUNT_SIGNS, leastExact, signsText, waitText } from './count-signs.js';
export {
  type Counts,
  CountsReader,
  type ExactCounts,
  type LatestCounts,
  type OverviewOfQueues,
  type PassiveRegion,
} from './counts.js';
export type { KnownQueue, OverviewDeps } from './deps.js';
export { explainRead } from './explain-read.js';
export {
  attemptsWithin,
  type FailingAttempts,
  failingAttempts,
  latestMinutes,
  type RecentAttempts,
} from './failing.js';
export {
  bytes,
  clockText,
  count,
  counted,
  fullClock,
  minuteText,
  names,
  records,
  relative,
  units,
} from './format.js';
export { STROKES } from './icons.js';
export {
  attemptsText,
  endedText,
  incidentName,
  incidentText,
  nextProbe,
} from './incident-text.js';
export {
  type EndedIncident,
  endedIncidents,
  goesOn,
  type Incident,
  incidentsOf,
} from './incidents.js';
export { type KeyCounts, keysOf } from './keys.js';
export { type LaneTotal, laneTotals } from './lane-totals.js';
export type { LostRuns } from './lost-runs.js';
export { keyPauseNote, pausedKeysText, pauseNote } from './pause-text.js';
export type { LaneBeginning, OverviewStats } from './queue-counts.js';
export type { LatestSuccess, QueueFailures } from './queue-failures.js';
export type {
  MinuteCount,
  QueueStatus,
  QueuesAndRules,
  RuleStatus,
  RunReport,
  RunTrouble,
  RuntimeKnowledge,
} from './runtime.js';
export { affordable, type ReadBudget, readWithin } from './sample/read-within.js';
export { type Sample, type SampledQueue, sampleRecords } from './sample/sample-records.js';
export { type Sentence, sentenceOf } from './sentence.js';
export { Serving, type ServingFacts } from './serving.js';
export {
  type IncidentQueue,
  type OpenBreaker,
  type QueueView,
  type RuleView,
  type Snapshot,
  snapshotOf,
} from './snapshot.js';
export { tiersOf } from './tiers-of.js';
export type { Stratum } from './weighed.js';
