// Written by `npm run api`. Do not edit it: a change of the public API shows here, for its review.

import { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import * as core from 'zod/v4/core';
import { IAlarmAction, MetricOptions, Metric, Alarm, CompositeAlarm, Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { ITable, TableV2, Table, ReplicaTableProps } from 'aws-cdk-lib/aws-dynamodb';
import { IVpc, Vpc, SubnetSelection, ISecurityGroup, IConnectable, Connections } from 'aws-cdk-lib/aws-ec2';
import { IEventBus, EventBus, Schedule as Schedule$1, Rule } from 'aws-cdk-lib/aws-events';
import { IRole, IGrantable, Grant } from 'aws-cdk-lib/aws-iam';
import { Architecture, Runtime, ILayerVersion, SystemLogLevel, Tracing, IFunction, Function, FunctionUrl } from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression, CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { IConstruct, Construct } from 'constructs';
import { Duration as Duration$1, TimeZone, RemovalPolicy } from 'aws-cdk-lib';
import { IKey } from 'aws-cdk-lib/aws-kms';
import { BundlingOptions } from 'aws-cdk-lib/aws-lambda-nodejs';
import { RetentionDays, ILogGroup } from 'aws-cdk-lib/aws-logs';
import { IStringParameter, StringParameter } from 'aws-cdk-lib/aws-ssm';
import { ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { LookupFunction } from 'node:net';
import * as z from 'zod/mini';

type Answer = number | '2xx' | '3xx' | '4xx' | '5xx';
interface Answers {
    readonly success?: readonly Answer[] | undefined;
    readonly notReady?: readonly Answer[] | undefined;
    readonly retry?: readonly Answer[] | undefined;
    readonly dead?: readonly Answer[] | undefined;
}

declare function age(milliseconds: number): string;

type Duration = number | string;
interface Bounds {
    readonly least?: number;
    readonly most?: number;
    readonly above?: number;
}
declare function parseDuration(value: unknown, name: string, bounds?: Bounds): number;

interface BatchLimits<Length = Duration> {
    readonly maxRecords?: number | undefined;
    readonly maxBytes?: number | undefined;
    readonly maxWait?: Length | undefined;
}

interface AttemptLogger {
    debug(message: string, extra?: Record<string, unknown>): void;
    info(message: string, extra?: Record<string, unknown>): void;
    warn(message: string, extra?: Record<string, unknown>): void;
    error(message: string, extra?: Record<string, unknown>): void;
}

interface LimitOptions<Length = number> {
    readonly concurrency?: number | undefined;
    readonly globalConcurrency?: number | undefined;
    readonly concurrencyPerKey?: number | undefined;
    readonly onInsertConcurrency?: number | undefined;
    readonly attemptsPerSecond?: number | undefined;
    readonly attemptsPerSecondPerKey?: number | undefined;
    readonly attemptTimeout?: Length | undefined;
    readonly maxRecords?: number | undefined;
    readonly maxRetryAfter?: Length | undefined;
    readonly probes?: boolean | undefined;
}
interface QueueOptions<Length = number> extends LimitOptions<Length> {
    readonly retryQueue?: string | undefined;
    readonly breaker?: BreakerChoice | undefined;
    readonly retention?: Length | 'forever' | undefined;
}
interface BreakerSettings {
    readonly failureThreshold?: number | undefined;
    readonly minimumAttempts?: number | undefined;
    readonly window?: Duration | undefined;
    readonly halfOpenAfter?: Duration | undefined;
}
type BreakerChoice = boolean | BreakerSettings;
type BreakerOptions = {
    readonly [Name in keyof BreakerSettings]-?: number;
};
declare const QUEUE_DEFAULTS: {
    readonly concurrency: 10;
    readonly onInsertConcurrency: 10;
    readonly attemptTimeout: 30;
    readonly maxRetryAfter: 86400;
    readonly probes: true;
    readonly retention: number;
};
declare const TIMES: readonly ['attemptTimeout', 'maxRetryAfter', 'retention'];
interface RunLimits extends LimitOptions {
    readonly concurrency: number;
    readonly attemptTimeout: number;
}
declare function resolveBreaker(choice: BreakerChoice | undefined): BreakerOptions | undefined;

declare const LANES_AT_ONCE = 8;
interface QueueNumbers {
    readonly concurrency: number;
    readonly shards: number;
    readonly tiers: number;
    readonly runsOnArrival: number;
}
declare function maxAttemptsPerHour(numbers: QueueNumbers, attemptSeconds: number): number;

interface Failure$2 {
    readonly failures: number;
    readonly ageSeconds: number;
}
interface WaitRange {
    readonly least: number;
    readonly most: number;
}
interface FormulaWait extends WaitRange {
    readonly maximum?: number | undefined;
    readonly minimum?: number | undefined;
}

type Jitter = {
    readonly type: 'phase';
    readonly amplitude: number;
} | {
    readonly type: 'full';
} | {
    readonly type: 'equal';
} | {
    readonly type: 'percent';
    readonly percent: number;
} | {
    readonly type: 'none';
};
type JitterType = 'phase' | 'full' | 'equal' | 'percent' | 'none';
type JitterInput = JitterType | {
    readonly type: 'phase';
    readonly amplitude?: number | undefined;
} | {
    readonly type: 'percent';
    readonly percent?: number | undefined;
} | {
    readonly type: 'full' | 'equal' | 'none';
};
declare function phaseOf(id: string, queue?: string): number;

interface Tier<Length extends Duration = Duration> {
    readonly every: Length;
    readonly untilAge: Length;
}
declare const DEFAULT_TIERS: readonly Tier<number>[];
interface TierBand {
    readonly number: number;
    readonly every: number;
    readonly fromAge: number;
    readonly untilAge: number;
    readonly last: boolean;
}
declare function tierBands(tiers: readonly Tier<number>[], functionTimeoutSeconds: number): TierBand[];
declare function caughtUpBy(band: TierBand, bands: readonly TierBand[]): readonly TierBand[] | undefined;

type RetryPolicy = NonePolicy | ConstantPolicy | LinearPolicy | FibonacciPolicy | ExponentialPolicy | WindowPolicy | SidekiqPolicy | BucketsPolicy | PowerPolicy | ArctanPolicy | SigmoidPolicy | SaturatingPolicy | ListPolicy | ProgressivePolicy | WorkQueuePolicy;
interface RetryLimits {
    readonly maxAttempts?: number | undefined;
    readonly maxAge?: Duration | undefined;
}
interface CommonPolicyOptions extends RetryLimits {
    readonly maxWait?: Duration | undefined;
    readonly rounding?: 'nearest' | 'up' | undefined;
    readonly jitter?: JitterInput | undefined;
}
interface NonePolicy extends CommonPolicyOptions {
    readonly type: 'none';
}
interface ConstantPolicy extends CommonPolicyOptions {
    readonly type: 'constant';
    readonly interval?: Duration | undefined;
}
interface LinearPolicy extends CommonPolicyOptions {
    readonly type: 'linear';
    readonly interval?: Duration | undefined;
}
interface FibonacciPolicy extends CommonPolicyOptions {
    readonly type: 'fibonacci';
    readonly unit?: Duration | undefined;
}
interface ExponentialPolicy extends CommonPolicyOptions {
    readonly type: 'exponential';
    readonly min?: Duration | undefined;
    readonly base?: number | undefined;
    readonly unit?: Duration | undefined;
}
interface WindowPolicy extends CommonPolicyOptions {
    readonly type: 'window';
    readonly interval?: Duration | undefined;
    readonly base?: number | undefined;
}
interface SidekiqPolicy extends CommonPolicyOptions {
    readonly type: 'sidekiq';
}
interface BucketsPolicy extends CommonPolicyOptions {
    readonly type: 'buckets';
}
interface PowerPolicy extends CommonPolicyOptions {
    readonly type: 'power';
}
interface ArctanPolicy extends CommonPolicyOptions {
    readonly type: 'arctan';
    readonly max?: Duration | undefined;
}
interface SigmoidPolicy extends CommonPolicyOptions {
    readonly type: 'sigmoid';
    readonly first?: Duration | undefined;
    readonly max?: Duration | undefined;
}
interface SaturatingPolicy extends CommonPolicyOptions {
    readonly type: 'saturating';
    readonly first?: Duration | undefined;
    readonly max?: Duration | undefined;
}
interface ListPolicy extends CommonPolicyOptions {
    readonly type: 'list';
    readonly waits?: readonly Duration[] | undefined;
    readonly afterwards?: 'dead' | 'last' | RetryPolicy | undefined;
}
interface ProgressivePolicy extends CommonPolicyOptions {
    readonly type: 'progressive';
    readonly tiers?: readonly Tier[] | undefined;
}
interface WorkQueuePolicy {
    readonly type: 'NoRetry' | 'LinearRetry' | 'ExponentialRetry';
    readonly MaxRetries?: number | undefined;
    readonly RetryIntervalSeconds?: Duration | undefined;
    readonly ExponentialRetryBase?: number | undefined;
}
type PolicyType = Exclude<RetryPolicy['type'], WorkQueuePolicy['type']>;

interface ResolvedPolicy {
    readonly type: PolicyType;
    readonly maxAttempts: number;
    readonly maxAge: number;
    readonly maxWait: number;
    readonly jitter: Jitter;
    readonly rounding: 'nearest' | 'up';
    readonly tiers?: readonly Tier<number>[] | undefined;
    baseWait(failure: Failure$2): WaitRange | undefined;
    jitteredWait(failure: Failure$2): FormulaWait | undefined;
    totals(failures: number): WaitRange;
}

declare const schema: z.ZodMiniObject<{
    maxAttempts: z.ZodMiniOptional<z.ZodMiniInt>;
    maxAge: z.ZodMiniOptional<z.ZodMiniTransform<number, unknown>>;
}, z.core.$strict>;
type ParsedLimits = z.output<typeof schema>;
declare function isLimitsOnly(value: unknown): value is RetryLimits;
declare function limited(policy: ResolvedPolicy, limits: ParsedLimits | undefined): ResolvedPolicy;

declare const POLICY_TYPES: PolicyType[];
declare function resolvePolicy(policy: unknown, name?: string): ResolvedPolicy;

type Random = () => number;
declare const systemRandom: Random;
declare function randomToken(random: Random): string;

interface FailedAttempt {
    readonly id: string;
    readonly queue: string;
    readonly failures: number;
    readonly firstFailureAt: number | undefined;
    readonly failedAt: number;
    readonly bornAt: number;
}
type RetryDecision = {
    readonly retry: true;
    readonly dueAt: number;
    readonly wanted: number;
} | {
    readonly retry: false;
    readonly reason: 'maxAttempts' | 'expired';
};
declare function decideRetry(policy: ResolvedPolicy, attempt: FailedAttempt, tickSeconds: number, random: Random): RetryDecision;

type Item = Readonly<Record<string, unknown>>;
type Status = 'NEW' | 'ERROR' | 'SUCCESS' | 'DEAD';
declare const STATUSES: readonly ["NEW", "ERROR", "SUCCESS", "DEAD"];
type RetryMode = 'perRecord' | 'progressive';
declare const DEFAULT_QUEUE = "default";
declare const QUEUE_PATTERN: RegExp;
declare const QUEUE_NAME = "letters, digits, \"_\", \".\" and \"-\", at most 128, and not \"__proto__\"";
interface ErrorEntry {
    readonly name: string;
    readonly message: string;
    readonly at: string;
    readonly attempt: number;
}
interface HistoryEntry {
    readonly at: string;
    readonly attempt: number;
    readonly ms?: number | undefined;
    readonly outcome?: 'succeeded' | 'snoozed' | 'cancelled' | undefined;
    readonly name?: string | undefined;
    readonly message?: string | undefined;
    readonly stack?: string | undefined;
    readonly next?: string | undefined;
    readonly queue?: string | undefined;
    readonly retryAfter?: number | undefined;
    readonly probe?: true | undefined;
}
interface BacklogRecord<Payload = unknown> {
    readonly id: string;
    readonly status: Status;
    readonly payload: Payload;
    readonly queue: string;
    readonly task?: string | undefined;
    readonly key?: string | undefined;
    readonly seq?: number | undefined;
    readonly insertedAt: string;
    readonly availableAt?: string | undefined;
    readonly lane?: string | undefined;
    readonly dueAt?: string | undefined;
    readonly rev?: string | undefined;
    readonly attempts: number;
    readonly failures: number;
    readonly notReady?: number | undefined;
    readonly firstFailureAt?: string | undefined;
    readonly lastFailureAt?: string | undefined;
    readonly lastAttemptAt?: string | undefined;
    readonly lastError?: ErrorEntry | undefined;
    readonly history: readonly HistoryEntry[];
    readonly exact?: true | undefined;
    readonly notBefore?: string | {
        readonly until: string;
        readonly lane?: string | undefined;
        readonly cancel?: string | undefined;
        readonly pending?: unknown;
    } | undefined;
    readonly completion?: unknown;
    readonly hops?: number | undefined;
    readonly unknownTaskSince?: string | undefined;
    readonly retry?: RetryPolicy | undefined;
    readonly limits?: ParsedLimits | undefined;
    readonly traceparent?: string | undefined;
    readonly deadReason?: string | undefined;
    readonly format?: number | undefined;
    readonly result?: unknown;
    readonly hasOldResult?: true | undefined;
    readonly expiresAt?: number | undefined;
    readonly attributes: Readonly<Record<string, unknown>>;
    readonly isFull?: true | undefined;
    readonly historyRoom?: number | undefined;
    readonly problems: readonly string[];
}
declare function isPending(record: BacklogRecord): boolean;
declare function isNotIndexed(record: BacklogRecord): boolean;
declare function isCancelled({ status, deadReason }: Pick<BacklogRecord, 'status' | 'deadReason'>): boolean;
declare function bornAt(record: BacklogRecord): number;
declare function isNewer({ format }: Pick<BacklogRecord, 'format'>): boolean;
declare const AS_READ: unique symbol;
declare class AsRead {
    #private;
    constructor(stored: unknown, written?: Item);
    static of({ [AS_READ]: asRead, id }: Fenced): {
        readonly stored: unknown;
        readonly written: Item;
    };
    static after(record: Fenced, change: Item): AsRead;
}
interface Fenced {
    readonly id: string;
    readonly [AS_READ]?: AsRead | undefined;
}

interface HistoryLimits {
    readonly bytes: number;
    readonly entries: number;
}
interface ErrorText {
    readonly name: string;
    readonly message: string;
    readonly stack?: string | undefined;
}

interface RecordChange {
    readonly set: {
        readonly status?: Status;
        readonly queue?: string;
        readonly insertedAt?: string;
        readonly availableAt?: string;
        readonly lane?: string;
        readonly dueAt?: string;
        readonly exact?: true;
        readonly attempts?: number;
        readonly failures?: number;
        readonly notReady?: number;
        readonly firstFailureAt?: string;
        readonly lastFailureAt?: string;
        readonly lastAttemptAt?: string;
        readonly lastError?: ErrorEntry;
        readonly history?: readonly HistoryEntry[];
        readonly notBefore?: NonNullable<BacklogRecord['notBefore']>;
        readonly completion?: unknown;
        readonly unknownTaskSince?: string;
        readonly deadReason?: string;
        readonly result?: string;
        readonly expiresAt?: number;
    };
    readonly remove: readonly ('lane' | 'dueAt' | 'exact' | 'notBefore' | 'completion' | 'unknownTaskSince' | 'deadReason' | 'result' | 'expiresAt' | 'failures' | 'notReady' | 'firstFailureAt' | 'lastFailureAt' | 'lastError' | 'history')[];
    readonly token?: string;
    readonly countedAs?: 'succeeded' | 'snoozed' | 'pending' | 'cancelled' | 'unknownTask' | 'probe';
}
interface SettleContext {
    readonly lane: string;
    readonly busyLane?: {
        readonly lane: string;
        readonly until: number;
    } | undefined;
    readonly retryMode: RetryMode;
    readonly policy: ResolvedPolicy;
    readonly chosen?: boolean | undefined;
    readonly retryQueue?: string | undefined;
    readonly now: number;
    readonly tickSeconds: number;
    readonly random: Random;
    readonly maxRetryAfter?: number | undefined;
    readonly retention?: number | undefined;
    readonly history?: HistoryLimits | undefined;
}

declare const CONTRACT_ATTRIBUTES: ReadonlySet<string>;

interface FailingNote {
    readonly group: string;
    readonly since: number;
    readonly lastAt: number;
    readonly lastSuccessAt?: number | undefined;
    readonly records: number;
    readonly evidence: number;
    readonly recentSuccesses: number;
    readonly recentFailures: number;
    readonly countedAt: number;
    readonly error: string;
}
interface PastOutage {
    readonly group: string;
    readonly since: number;
    readonly endedAt: number;
    readonly error: string;
}

declare function isMisindexed(record: BacklogRecord): boolean;
declare function isRevived(record: BacklogRecord): boolean;
declare function indexChange(record: BacklogRecord, now: number, shards?: number): RecordChange;

type Place$2 = Pick<BacklogRecord, 'id' | 'queue' | 'lane' | 'key'>;
declare function deadLane(lane: string): string;
declare function lanesOf(queue: string, from?: number, until?: number): string[];
declare function withoutDeadEnding(lane: string): string;
declare function isLaneOf(lane: string, queue: string): boolean;
declare function ownLaneOf(record: Place$2, shards?: number): string;

declare function nextAttemptAt(record: BacklogRecord): string | undefined;

type OfRecord = Pick<BacklogRecord, 'notBefore'>;
declare function waitOf({ notBefore }: OfRecord): number;
declare function cancelReasonOf({ notBefore }: OfRecord): string | undefined;
declare function restOf(record: OfRecord): string | undefined;
declare function isUnderAttempt(record: BacklogRecord, now: number, speed?: number): boolean;

declare const BRAND: unique symbol;

declare class Cancel extends Error {
    readonly name = "Cancel";
    readonly [BRAND] = "cancel";
    constructor(reason: string, options?: ErrorOptions);
}

declare class Dead extends Error {
    readonly name = "Dead";
    readonly [BRAND] = "dead";
    constructor(reason: string, options?: ErrorOptions);
}

interface DoneOptions {
    readonly result?: unknown;
    readonly again?: Date | undefined;
}
declare class Done extends Error {
    readonly name = "Done";
    readonly [BRAND] = "done";
    readonly result: unknown;
    readonly again: number | undefined;
    constructor(options?: DoneOptions);
}

interface PendingOptions {
    readonly timeout?: Duration | undefined;
    readonly reason?: string | undefined;
}
declare class Pending extends Error {
    readonly name = "Pending";
    readonly [BRAND] = "pending";
    readonly seconds: number;
    constructor(options?: PendingOptions);
}

declare class RetryAfter extends Error {
    readonly name = "RetryAfter";
    readonly [BRAND] = "retryAfter";
    readonly seconds: number;
    constructor(wait: Duration | null | undefined, reason?: string, options?: ErrorOptions);
}

interface NotReady extends ErrorOptions {
    readonly reason?: string | undefined;
}
declare class Snooze extends Error {
    readonly name = "Snooze";
    readonly [BRAND] = "snooze";
    readonly seconds: number | undefined;
    constructor(notReady?: NotReady);
    constructor(delay: Duration, reason?: string, options?: ErrorOptions);
}

type TypedOutcome = Done | RetryAfter | Dead | Snooze | Cancel | Pending;
type PendingOutcome = Extract<AttemptOutcome, {
    type: 'pending';
}>;
type AttemptOutcome = AttemptEnding & {
    readonly ms?: number | undefined;
};
type AttemptEnding = {
    readonly type: 'success';
    readonly result?: string | undefined;
    readonly notKept?: string | undefined;
    readonly again?: number | undefined;
} | {
    readonly type: 'failure';
    readonly error: ErrorText;
    readonly retryAfterSeconds?: number | undefined;
    readonly thrown?: unknown;
} | {
    readonly type: 'dead';
    readonly reason: string;
    readonly error: ErrorText;
    readonly thrown?: unknown;
    readonly untried?: true | undefined;
} | {
    readonly type: 'snooze';
    readonly seconds?: number | undefined;
    readonly reason?: string | undefined;
} | {
    readonly type: 'pending';
    readonly seconds: number;
    readonly reason?: string | undefined;
    readonly change?: ((record: BacklogRecord, said: PendingOutcome, context: SettleContext) => RecordChange) | undefined;
} | {
    readonly type: 'cancel';
    readonly reason: string;
};

declare function parseRecord(item: Item, now: number, asRead?: AsRead): BacklogRecord;

type Tried = Pick<BacklogRecord, 'failures' | 'notReady' | 'firstFailureAt'>;
declare function triesOf({ failures, notReady }: Pick<Tried, 'failures' | 'notReady'>): number;
declare function firstTryAt({ firstFailureAt, notReady }: Tried): number | undefined;

type RecordEnd = 'succeeded' | 'dead' | 'cancelled';
type EventPart = 'payload' | 'result' | 'texts';
interface RecordEventDetail {
    readonly version: 1;
    readonly id: string;
    readonly table: string;
    readonly queue: string;
    readonly task?: string | undefined;
    readonly key?: string | undefined;
    readonly end: RecordEnd;
    readonly endedAt: string;
    readonly rev: string;
    readonly attempts: number;
    readonly insertedAt: string;
    readonly traceparent?: string | undefined;
    readonly reason?: 'maxAttempts' | 'expired' | 'quarantined' | 'cancelled' | 'discarded' | 'refused' | undefined;
    readonly deadReason?: string | undefined;
    readonly error?: {
        readonly name: string;
        readonly status?: number | undefined;
        readonly message?: string | undefined;
    } | undefined;
    readonly payload?: unknown;
    readonly result?: unknown;
    readonly omitted?: readonly EventPart[] | undefined;
}
declare const EVENT_SOURCE = "dynamo-backlog";
declare function detailTypeOf(end: RecordEnd): string;
declare function recordEvent(record: BacklogRecord, { table, include }: {
    readonly table: string;
    readonly include: ReadonlySet<EventPart>;
}): RecordEventDetail | undefined;

declare function notReadyText(record: BacklogRecord): string | undefined;

declare function traceIdOf(traceparent: string): string;

interface KnownQueues {
    readonly serves?: ((queue: string) => boolean) | undefined;
    readonly shardsOf?: ((queue: string) => number) | undefined;
}

interface QueueOwner {
    readonly owner: string;
    readonly function?: string | undefined;
    readonly retryMode: RetryMode;
    readonly shards?: number | undefined;
    readonly fairness?: boolean | undefined;
    readonly order?: 'key' | undefined;
    readonly retry?: RetryPolicy | undefined;
    readonly onArrival?: boolean | undefined;
    readonly timeout?: number | undefined;
    readonly at: string;
    readonly removedAt?: string | undefined;
}
interface Registry {
    readonly rev: string;
    readonly queues: ReadonlyMap<string, QueueOwner>;
    readonly primaryRegion?: string | undefined;
}
interface ActiveRegion {
    readonly region: string;
    readonly from: number;
    readonly at: number;
    readonly before: string;
}

interface ListFilter {
    readonly queue?: string | undefined;
    readonly status?: BacklogRecord['status'] | undefined;
}
interface PageRead {
    readonly records: BacklogRecord[];
    readonly unread?: readonly string[] | undefined;
    readonly isLarge?: boolean | undefined;
    readonly queue: QueueState;
}
interface NotIndexedPage {
    readonly ids: string[];
    readonly next: string | undefined;
}
interface IndexKey {
    readonly id: string;
    readonly dueAt: string;
}
interface DueQuery {
    readonly lane: string;
    readonly from?: number | undefined;
    readonly until: number;
    readonly order: 'oldestFirst' | 'newestFirst';
    readonly after?: IndexKey | undefined;
    readonly limit: number;
}
interface DuePage {
    readonly keys: IndexKey[];
    readonly more: boolean;
}
interface LeaseOwner {
    readonly holder: string;
    readonly until: number;
}
interface LeaseHold extends LeaseOwner {
    readonly ids: readonly string[];
    readonly begun?: true | undefined;
    readonly rev: string;
    readonly suspects?: readonly string[] | undefined;
    readonly succeededAt?: number | undefined;
}
interface Cursor {
    readonly head: IndexKey;
    readonly at: IndexKey;
}
interface LeaseState extends Omit<LeaseHold, 'succeededAt'> {
    readonly suspects: readonly string[];
    readonly cursor?: Cursor | undefined;
    readonly woken: boolean;
    readonly lost?: number | undefined;
}
type LeaseAnswer = {
    readonly held: true;
    readonly cursor?: Cursor | undefined;
    readonly suspects?: readonly string[] | undefined;
} | {
    readonly held: false;
    readonly lease: LeaseState | undefined;
};
interface LeaseLeft {
    readonly until?: number | undefined;
    readonly cursor?: Cursor | undefined;
    readonly suspects?: readonly string[] | undefined;
    readonly succeededAt?: number | undefined;
}
interface LostRun {
    readonly holderPrefix: string;
    readonly until: number;
}
interface ArrivalsClaim extends LeaseOwner {
    readonly batch: string;
    readonly ids: readonly string[];
    readonly maxRuns?: number | undefined;
    readonly isSpread?: boolean | undefined;
    readonly now: number;
}
type NamedClaim = Pick<ArrivalsClaim, 'batch' | 'holder' | 'isSpread'>;
interface ClaimLeft extends NamedClaim {
    readonly succeededAt?: number | undefined;
}
type ClaimAnswer = 'claimed' | 'taken' | 'shared' | 'full';
interface ClaimedArrivals {
    readonly ids: readonly string[];
    readonly neverIn: readonly string[];
}
interface ScanPage {
    readonly segment: number;
    readonly segments: number;
    readonly after?: string | undefined;
}
interface SweepState {
    readonly startedAt: number;
    readonly finishedAt?: number | undefined;
    readonly cursors: readonly (string | null)[];
    readonly found: number;
}
interface RetryModeState {
    readonly mode: RetryMode;
    readonly since: number;
}
interface TierRun {
    readonly at: number;
    readonly complete: boolean;
}
interface BreakerState {
    readonly until: number;
    readonly since: number;
    readonly token: string;
}
interface Permits {
    readonly key?: string | undefined;
    readonly count: number;
    readonly intervalMs: number;
    readonly now: number;
    readonly latest?: number | undefined;
}
interface SlotsAsk {
    readonly run: string;
    readonly wanted: number;
    readonly has?: number | undefined;
    readonly most: number;
    readonly onArrival: boolean;
    readonly now: number;
    readonly until: number;
}
interface SlotsHeld {
    readonly count: number;
    readonly onArrival: boolean;
}
interface KeySlotsAsk {
    readonly run: string;
    readonly wanted: ReadonlyMap<string, number>;
    readonly most: number;
    readonly now: number;
    readonly until: number;
}
interface QueueState {
    readonly paused: boolean;
    readonly pausedAt?: string | undefined;
    readonly pausedUntil?: string | undefined;
    readonly pauseReason?: string | undefined;
    readonly pausedBy?: string | undefined;
    readonly resumedAt?: string | undefined;
    readonly failing?: string | undefined;
    readonly busyKeys?: string | undefined;
    readonly pausedKeys?: string | undefined;
    readonly retryMode?: RetryModeState | undefined;
    readonly isRetryModeDamaged?: true | undefined;
    readonly tiers: ReadonlyMap<string, TierRun>;
    readonly breakers: ReadonlyMap<string, BreakerState>;
}

interface RecordStore {
    insert(item: Item): Promise<'inserted' | 'duplicate'>;
    get(id: string): Promise<BacklogRecord | undefined>;
    getMany(ids: readonly string[]): Promise<BacklogRecord[]>;
    settle(record: BacklogRecord, change: RecordChange, rev: string): Promise<'settled' | 'changed'>;
}
interface PageStore {
    query(query: DueQuery): Promise<DuePage>;
    read(ids: readonly string[], queue: string): Promise<PageRead>;
}
interface LeaseStore {
    hold(key: string, hold: LeaseHold): Promise<LeaseAnswer>;
    takeOver(key: string, from: LeaseState, to: LeaseOwner): Promise<LeaseState | undefined>;
    wake(key: string, holder: string): Promise<boolean>;
    acknowledgeWake(key: string, holder: string): Promise<boolean>;
    release(key: string, holder: string, left: LeaseLeft): Promise<'released' | 'woken' | 'lost'>;
    end(key: string, lost: LostRun): Promise<number | undefined>;
}
interface ClaimStore {
    take(queue: string, claim: ArrivalsClaim): Promise<ClaimAnswer>;
    release(queue: string, claim: ClaimLeft): Promise<void>;
    end(queue: string, lost: LostRun): Promise<number>;
    find(queues: readonly string[], ids: readonly string[], now: number): Promise<ClaimedArrivals>;
}
interface RegistryStore {
    read(): Promise<Registry>;
    write(next: Registry, read: string): Promise<boolean>;
}
interface ActiveRegionStore {
    read(): Promise<ActiveRegion | undefined>;
}
interface QueueStore {
    read(queue: string): Promise<QueueState>;
    setRetryMode(queue: string, next: RetryModeState, read: RetryModeState | undefined): Promise<boolean>;
    recordTierRun(queue: string, tier: string, run: TierRun): Promise<void>;
    noteFailing(queue: string, next: string | undefined, read: string | undefined): Promise<boolean>;
    noteBusyKeys(queue: string, next: string | undefined, read: string | undefined): Promise<boolean>;
}
interface BreakerStore {
    set(queue: string, destination: string, next: BreakerState | undefined, read: BreakerState | undefined): Promise<boolean>;
}
interface PermitStore {
    acquire(queue: string, permits: Permits): Promise<number | undefined>;
}
interface SlotStore {
    take(queue: string, ask: SlotsAsk): Promise<number>;
    renew(queue: string, run: string, until: number): Promise<boolean>;
    release(queue: string, run: string, slots: SlotsHeld): Promise<void>;
    end(queues: readonly string[], lost: LostRun): Promise<number>;
}
interface KeySlotStore {
    take(queue: string, ask: KeySlotsAsk): Promise<ReadonlyMap<string, number> | undefined>;
    release(queue: string, run: string): Promise<void>;
    end(queues: readonly string[], lost: LostRun): Promise<number>;
}

interface BacklogStore {
    readonly records: RecordStore;
    readonly pages: PageStore;
    readonly leases: LeaseStore;
    readonly claims: ClaimStore;
    readonly queues: QueueStore;
    readonly breakers: BreakerStore;
    readonly permits: PermitStore;
    readonly slots: SlotStore;
    readonly keySlots: KeySlotStore;
    readonly registry: RegistryStore;
    readonly activeRegion: ActiveRegionStore;
    readonly lines: LineReader;
}
interface LineReader {
    getMany(keys: readonly string[]): Promise<ReadonlyMap<string, Item>>;
}
interface SweepStore extends BacklogStore {
    readonly sweep: NotIndexedStore;
}
interface NotIndexedStore {
    scan(page: ScanPage): Promise<NotIndexedPage>;
    read(): Promise<SweepState | undefined>;
    write(state: SweepState): Promise<void>;
}

interface Clock {
    now(): number;
    wall(): number;
    readonly speed?: number | undefined;
    readonly paused?: boolean | undefined;
    sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
interface ClockSetting {
    readonly wallStart: number;
    readonly start: number;
    readonly speed: number;
    readonly paused?: boolean | undefined;
}
declare const systemClock: Clock;
declare function scaledClock(setting: ClockSetting | (() => ClockSetting)): Clock;
declare const LAST_TIME: number;
declare function toIso(epochMs: number): string;
declare const CLOCK_TOLERANCE_MS: number;

interface RunDeps {
    readonly store: BacklogStore;
    readonly clock: Clock;
    readonly random: Random;
    readonly logger: AttemptLogger;
}

type ErrorClass = abstract new (...args: never[]) => Error;
type DeadOn = readonly (string | ErrorClass)[];

type Failure$1 = Extract<AttemptOutcome, {
    type: 'failure';
}>;
type Asked = {
    readonly dead: string;
} | {
    readonly policy?: ResolvedPolicy | undefined;
    readonly chosen?: boolean | undefined;
    readonly queue?: string | undefined;
    readonly problem?: string | undefined;
};
type RetryDecider = (failure: Failure$1, record: BacklogRecord, fallback: ResolvedPolicy) => Asked;
interface FailureChoices {
    readonly retryDecider?: RetryDecider | undefined;
    readonly retryQueue?: string | undefined;
    readonly deadOn?: DeadOn | undefined;
}
interface RecordChoices extends FailureChoices {
    readonly policy?: ResolvedPolicy | undefined;
    readonly attemptTimeout?: number | undefined;
}

interface HistoryOptions {
    readonly bytes?: number | undefined;
    readonly entries?: number | undefined;
    readonly stacks?: boolean | undefined;
    readonly redact?: ((text: ErrorText) => ErrorText) | undefined;
}
interface Kept$1 {
    readonly outcome: AttemptOutcome;
    readonly problem?: string | undefined;
}
type Redaction = (outcome: AttemptOutcome) => Kept$1;

interface AttemptContext {
    readonly signal: AbortSignal;
    readonly attempt: number;
    readonly token: string;
    readonly logger: AttemptLogger;
    readonly traceparent?: string | undefined;
}
type Process<Payload = unknown> = {
    of(record: BacklogRecord<Payload>, context: AttemptContext): ProcessResult | Promise<ProcessResult>;
}['of'];
type ProcessResult = void | TypedOutcome;
type DestinationOf<Payload = unknown> = {
    of(record: BacklogRecord<Payload>): string;
}['of'];
interface Arrivals {
    readonly batch: string;
    readonly ids: readonly string[];
    readonly light?: number | undefined;
}
interface RunTarget {
    readonly queue: string;
    readonly lane: string;
    readonly lanes?: readonly string[] | undefined;
    readonly shards?: number | undefined;
    readonly fairness?: boolean | undefined;
    readonly order?: 'key' | undefined;
    readonly busyLanes?: readonly string[] | undefined;
    readonly part?: number | undefined;
    readonly exactSince?: number | undefined;
    readonly band?: TierBand | undefined;
    readonly retryMode?: RetryMode | undefined;
    readonly arrivals?: Arrivals | undefined;
    readonly firstBand?: TierBand | undefined;
    readonly catchUp?: readonly TierBand[] | undefined;
}
interface RunOptions extends FailureChoices {
    readonly target: RunTarget;
    readonly process: Process;
    readonly policy: ResolvedPolicy;
    readonly decisionsFor?: ((record: BacklogRecord) => RecordChoices | undefined) | undefined;
    readonly knows?: ((record: BacklogRecord) => boolean) | undefined;
    readonly taskNames?: readonly string[] | undefined;
    readonly limits: RunLimits;
    readonly breaker?: BreakerOptions | undefined;
    readonly destination?: DestinationOf | undefined;
    readonly deadline: number;
    readonly stop?: AbortSignal | undefined;
    readonly stopGraceSeconds?: number | undefined;
    readonly functionTimeoutSeconds: number;
    readonly tickSeconds: number;
    readonly retention?: number | undefined;
    readonly history?: HistoryLimits | undefined;
    readonly redaction?: Redaction | undefined;
    readonly logsErrorTexts?: boolean | undefined;
    readonly logsStacks?: boolean | undefined;
    readonly isDebugged?: boolean | undefined;
}

declare function redactionOf({ stacks, redact }: HistoryOptions): Redaction | undefined;

type RetryFunction<Payload = unknown> = {
    of(error: Error, record: BacklogRecord<Payload>, retryCount: number): RetryAnswer;
}['of'];
type RetryAnswer = RetryWait | false | RetryTo | GiveUp;
type RetryWait = Duration | RetryPolicy | RetryPolicy['type'];
interface RetryTo {
    readonly wait?: RetryWait | undefined;
    readonly queue?: string | undefined;
}
interface GiveUp {
    readonly dead: string;
}
declare function retryDecider(retry: RetryFunction): RetryDecider;

type StopReason = 'drained' | 'leaseHeld' | 'concurrencyLimited' | 'rateLimited' | 'keyLimited' | 'maxRecords' | 'deadline' | 'stopped' | 'paused' | 'breakerOpen' | 'retryModeChanged' | 'notOwner' | 'passiveRegion' | 'leaseLost' | 'claimedElsewhere' | 'storeError';

type BreakerStatus = 'closed' | 'open' | 'halfOpen';
type AttemptKind = 'attempt' | 'probe';
declare class Breaker {
    constructor(options: BreakerOptions, random: Random);
    refresh(state: BreakerState | undefined): void;
    isWrittenBy(changes: number): boolean;
    write(set: (next: BreakerState | undefined, read: BreakerState | undefined) => Promise<boolean>, place: () => number): Promise<void>;
    status(now: number): BreakerStatus;
    get openUntil(): number;
    beginProbe(now: number, holdSeconds: number): BreakerState;
    isDecidedBy({ token }: BreakerState): boolean;
    isStored(probe: BreakerState): boolean;
    lostProbe(probe: BreakerState, now: number): void;
    ended(outcome: AttemptOutcome, kind: AttemptKind, now: number): boolean;
}

declare class PutOffRecords {
    get size(): number;
    add(record: IndexKey, destination: string, now: number, hasRoom: boolean): void;
    dropOver(now: number): void;
    has(record: IndexKey, now: number, isOpen: (destination: string) => boolean): boolean;
}

interface QueueMemory {
    readonly breakers: Map<string, Breaker>;
    readonly putOff: PutOffRecords;
    changes: number;
}
type BreakerMemory = Map<string, QueueMemory>;

declare class StoreError extends Error {
    readonly name: string;
}
declare class StoreThrottledError extends StoreError {
    readonly name = "StoreThrottledError";
}
declare class StoreUnavailableError extends StoreError {
    readonly name = "StoreUnavailableError";
}
declare class StoreAccessError extends StoreError {
    readonly name = "StoreAccessError";
}
declare function isOfOneRecord(error: unknown): boolean;
declare function isOfStore(error: unknown): error is StoreError;

interface KeyLanes {
    prepare(records: readonly BacklogRecord[]): Promise<void>;
    place(record: BacklogRecord, change: RecordChange): RecordChange;
}
interface IndexingDeps extends KnownQueues {
    readonly store: BacklogStore;
    readonly clock: Clock;
    readonly random: Random;
    readonly logger: AttemptLogger;
    readonly invocation?: string | undefined;
    readonly keyLanes?: KeyLanes | undefined;
}
interface Indexed {
    readonly indexed: readonly BacklogRecord[];
    readonly skipped: number;
    readonly quarantined: number;
    readonly refused: number;
    readonly trouble?: Trouble | undefined;
}
interface Trouble {
    readonly error: StoreError;
    readonly ids: readonly string[];
}

interface IndexedWhenFree extends Indexed {
    readonly waiting: readonly string[];
}
interface WhereElse {
    readonly previousQueues?: readonly string[] | undefined;
    readonly onArrival?: Pick<ReadonlySet<string>, 'has'> | undefined;
}
declare function indexWhenFree(ids: readonly string[], deps: IndexingDeps, { previousQueues, onArrival }?: WhereElse): Promise<IndexedWhenFree>;

interface OutsideWait {
    readonly token: string;
    readonly timeout: number;
    readonly since?: string | undefined;
    readonly retention?: number | undefined;
    readonly reason?: string | undefined;
}
interface PresentWait extends OutsideWait {
    readonly until: string;
}
declare function outsideWaitOf({ notBefore, dueAt, completion, }: Pick<BacklogRecord, 'notBefore' | 'dueAt' | 'completion'>): PresentWait | undefined;
interface Completion {
    readonly token: string;
    readonly result?: string | undefined;
    readonly error?: ErrorText | undefined;
}
declare function completionOf(record: BacklogRecord): Completion | undefined;

interface SweepDeps {
    readonly store: SweepStore;
    readonly clock: Clock;
    readonly deadline: number;
    readonly found: (ids: readonly string[]) => Promise<void>;
}
interface SweepSummary {
    readonly ended: 'finished' | 'unfinished' | 'rested' | 'passiveRegion';
    readonly found: number;
}
declare function sweep({ store, clock, deadline, found }: SweepDeps): Promise<SweepSummary>;

declare const CLOCK_SKEW_MS = 5000;
declare function isExpired({ until }: {
    readonly until: number;
}, clock: Clock): boolean;

type QueueWeights = ReadonlyMap<string, number>;
type QueuesChoice = string | readonly (string | readonly [queue: string, weight: number])[];
declare function parseWeights(choice: QueuesChoice, name: string): QueueWeights;
declare function areEqual(weights: QueueWeights): boolean;

interface QueueTurns {
    take(isBusy?: boolean): Promise<() => void>;
    rest(): void;
}
declare class PageTurns {
    constructor(weights: QueueWeights, random: Random);
    of(queue: string): QueueTurns;
}

interface RunSummary {
    readonly queue: string;
    readonly lane: string;
    readonly tier?: number | undefined;
    readonly attempted: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly dead: number;
    readonly snoozed: number;
    readonly cancelled: number;
    readonly skipped: number;
    readonly unsettled: number;
    readonly unknownTask?: number | undefined;
    readonly pending?: number | undefined;
    readonly probes?: number | undefined;
    readonly refused?: number | undefined;
    readonly leftOver: number;
    readonly lagSeconds: number;
    readonly failingSeconds?: number | undefined;
    readonly ended: StopReason;
    readonly comesBack?: true | undefined;
    readonly queues?: readonly RunSummary[] | undefined;
    readonly trouble?: string | undefined;
    readonly caughtUp?: readonly number[] | undefined;
    readonly durationMs: number;
}
declare function isIdle(run: RunSummary): boolean;

declare function loadLimits(): Promise<void>;

interface LaneOptions {
    readonly shards?: number | undefined;
    readonly fairness?: boolean | undefined;
}

declare function run(asked: RunOptions, given: RunDeps): Promise<RunSummary>;

type AllowedAddresses = boolean | readonly string[];

type Secrets = string | readonly string[];
type SecretsSource = Secrets | (() => Secrets | Promise<Secrets>);

type Method = 'POST' | 'PUT' | 'PATCH';
type HeaderValue = string | (() => string | Promise<string>);
interface HttpDeliveryOptions {
    readonly url: string;
    readonly method?: Method | undefined;
    readonly headers?: Readonly<Record<string, HeaderValue>> | undefined;
    readonly secret?: SecretsSource | undefined;
    readonly answers?: Answers | undefined;
    readonly requestTimeout?: Duration | undefined;
    readonly batch?: DeliveryBatch | undefined;
    readonly maxResponseBytes?: number | undefined;
    readonly allowPrivateAddresses?: AllowedAddresses | undefined;
    readonly lookup?: LookupFunction | undefined;
    readonly now?: (() => number) | undefined;
}
interface HttpDelivery extends Process {
    prepare(): Promise<void>;
}
interface DeliveryBatch<Length = Duration> extends BatchLimits<Length> {
    readonly format?: 'json' | 'ndjson' | undefined;
}

declare function parseDeliveryUrl(text: string, name: string): string;

interface OrderOptions<Length = number> {
    readonly order?: 'key' | undefined;
    readonly onDeadHead?: 'hold' | 'skip' | 'cancel' | undefined;
    readonly skipGapAfter?: Length | 'never' | undefined;
}

type Severity = 'page' | 'ticket';
type AlarmActions = readonly IAlarmAction[] | {
    readonly page?: readonly IAlarmAction[] | undefined;
    readonly ticket?: readonly IAlarmAction[] | undefined;
};
interface QueueAlarms {
    readonly lag?: Duration$1 | false | undefined;
    readonly dead?: number | false | undefined;
    readonly failures?: boolean | undefined;
    readonly depth?: number | false | undefined;
    readonly depthPerKey?: number | false | undefined;
    readonly pending?: Duration$1 | false | undefined;
    readonly held?: Duration$1 | false | undefined;
    readonly severity?: Severity | undefined;
}

type AnySecret = ISecret | Secret | IStringParameter | StringParameter;
interface SecretField {
    readonly secret: AnySecret;
    readonly field: string;
}
interface HeaderSecret {
    readonly secret: AnySecret;
    readonly field?: string | undefined;
    readonly prefix?: string | undefined;
}
interface DeliveryProps {
    readonly url: string;
    readonly method?: 'POST' | 'PUT' | 'PATCH' | undefined;
    readonly headers?: Readonly<Record<string, string | AnySecret | HeaderSecret>> | undefined;
    readonly secret?: AnySecret | SecretField | undefined;
    readonly answers?: Answers | undefined;
    readonly requestTimeout?: Duration$1 | undefined;
    readonly batch?: DeliveryBatch<Duration$1> | undefined;
    readonly allowPrivateAddresses?: boolean | readonly string[] | undefined;
}

type AnyVpc = IVpc | Vpc;
interface FunctionProps {
    readonly vpc?: AnyVpc | undefined;
    readonly vpcSubnets?: SubnetSelection | undefined;
    readonly securityGroups?: readonly ISecurityGroup[] | undefined;
    readonly architecture?: Architecture | undefined;
    readonly runtime?: Runtime | undefined;
    readonly layers?: readonly ILayerVersion[] | undefined;
    readonly environmentEncryption?: IKey | undefined;
    readonly bundling?: BundlingOptions | undefined;
    readonly timeout?: Duration$1 | undefined;
    readonly memorySize?: number | undefined;
    readonly reservedConcurrentExecutions?: number | undefined;
    readonly logRetention?: RetentionDays | undefined;
    readonly systemLogLevel?: SystemLogLevel | undefined;
    readonly logLevel?: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | undefined;
    readonly tracing?: Tracing | undefined;
}
interface EntryFunctionProps extends FunctionProps {
    readonly role?: IRole | undefined;
    readonly logGroup?: ILogGroup | undefined;
    readonly projectRoot?: string | undefined;
    readonly depsLockFilePath?: string | undefined;
}

type FirstAttempt = 'onInsert' | 'scheduled';
interface QueueProps extends EntryFunctionProps, QueueOptions<Duration$1>, LaneOptions, OrderOptions<Duration$1> {
    readonly retry?: RetryPolicy | undefined;
    readonly progressive?: true | ProgressiveProps | undefined;
    readonly deadOn?: readonly string[] | undefined;
    readonly history?: HistoryProps | undefined;
    readonly deliverTo?: string | DeliveryProps | undefined;
    readonly entry?: string | undefined;
    readonly worker?: string | undefined;
    readonly weight?: number | undefined;
    readonly environment?: Readonly<Record<string, string>> | undefined;
    readonly handler?: IFunction | undefined;
    readonly enabled?: boolean | undefined;
    readonly firstAttempt?: FirstAttempt | undefined;
    readonly metricsPerKey?: boolean | undefined;
    readonly alarms?: QueueAlarms | false | undefined;
}
type HistoryProps = Omit<HistoryOptions, 'redact'>;
interface TierProps {
    readonly every: Duration$1;
    readonly untilAge: Duration$1;
}
interface ProgressiveProps {
    readonly tiers?: readonly TierProps[] | undefined;
    readonly maxAttempts?: number | undefined;
}

interface Schedule {
    next(after: number, createdAt: number): number | undefined;
    readonly everyMs?: number | undefined;
}
declare function countFirings(schedule: Schedule, from: number, to: number, createdAt: number): number;

declare function parseSchedule(expression: string): Schedule;

interface SchedulerExpression {
    readonly expression: string;
    readonly timeZone?: string | undefined;
    readonly startAt?: number | undefined;
    readonly endAt?: number | undefined;
}
declare function parseSchedulerExpression(from: SchedulerExpression): Schedule;

declare const MISSED: readonly ['skip', 'one', 'all'];
type Missed = (typeof MISSED)[number];
interface RecurringOptions<Payload = unknown> {
    readonly schedule: string;
    readonly timeZone?: string | undefined;
    readonly payload?: Payload | undefined;
    readonly queue?: string | undefined;
    readonly task?: string | undefined;
    readonly key?: string | undefined;
    readonly retry?: RetryPolicy | RetryLimits | undefined;
    readonly missed?: Missed | undefined;
    readonly startAt?: Date | string | undefined;
    readonly endAt?: Date | string | undefined;
    readonly jitter?: Duration | undefined;
}
interface Definition extends Omit<RecurringOptions, 'startAt' | 'endAt' | 'jitter'> {
    readonly startAt?: string | undefined;
    readonly endAt?: string | undefined;
    readonly jitter?: number | undefined;
}

interface ISharedBacklog extends IConstruct {
    readonly table: ITable;
    readonly controlTable: ITable;
    readonly redelivery: IQueue | undefined;
    readonly intakeRole: IRole | undefined;
}

type CreatedTable = TableV2 & ITable;

interface WorkEnvironmentOptions {
    readonly queues?: readonly string[] | undefined;
}

interface CompletionUrlProps {
    readonly reservedConcurrentExecutions?: number | undefined;
}

interface IntakeProps {
    readonly batchingWindow?: Duration$1 | undefined;
    readonly redeliveryMaxConcurrency?: number | undefined;
    readonly allowRecursiveLoop?: boolean | undefined;
}

interface RecordEventsProps {
    readonly to: IEventBus | EventBus | ITopic | Topic | IQueue | Queue;
    readonly queues?: Readonly<Record<string, QueueEventsProps>> | undefined;
    readonly groups?: boolean | undefined;
}
interface QueueEventsProps {
    readonly on?: readonly RecordEnd[] | undefined;
    readonly include?: readonly EventPart[] | undefined;
}

declare const RECURRING_QUEUE = "recurring";
declare function scheduleId(name: string): string;
declare function nameOf(id: string): string;

interface RecurringPause {
    readonly since: string;
    readonly until?: string | undefined;
    readonly reason?: string | undefined;
    readonly by?: string | undefined;
}

interface PastOccurrence {
    readonly at: number;
    readonly wasPaused: boolean;
}
declare function nextOccurrences(record: BacklogRecord, now: number, count: number): number[];
declare function latestOccurrences(record: BacklogRecord, now: number, count: number): PastOccurrence[];

interface Occurrence {
    readonly name: string;
    readonly at: Date;
}
declare function occurrenceId(name: string, at: number): string;
declare function occurrenceOf(record: Pick<BacklogRecord, 'attributes'>): Occurrence | undefined;

interface RecurringRecord {
    readonly name: string;
    readonly id: string;
    readonly state: 'waiting' | 'paused' | 'failing' | 'ended' | 'dead';
    readonly origin: 'template' | 'application';
    readonly definition?: Definition | undefined;
    readonly next?: string | undefined;
    readonly lastAttemptAt?: string | undefined;
    readonly paused?: RecurringPause | undefined;
    readonly problem?: string | undefined;
}
declare function describeSchedule(record: BacklogRecord, now: number): RecurringRecord;

interface JobStore {
    create(id: string, job: Item): Promise<boolean>;
    read(id: string): Promise<Item | undefined>;
    list(): Promise<ReadonlyMap<string, Item>>;
    change(id: string, change: JobChange): Promise<Item | undefined>;
    keep(id: string, page: number, kept: readonly Kept[], expiresAt: number): Promise<boolean>;
    kept(id: string, page: number): Promise<readonly Kept[] | undefined>;
}
interface JobChange {
    readonly set: Item & {
        readonly rev: string;
    };
    readonly remove?: readonly string[] | undefined;
    readonly expected: Item;
}
interface Kept {
    readonly id: string;
    readonly revs: readonly string[];
    readonly names: readonly string[];
    readonly before: Item;
}

interface OperatorStore extends SweepStore {
    readonly records: OperatorRecordStore;
    readonly pages: OperatorPageStore;
    readonly leases: OperatorLeaseStore;
    readonly queues: OperatorQueueStore;
    readonly activeRegion: OperatorActiveRegionStore;
    readonly control: ControlStore;
    readonly readings: ReadingStore;
    readonly jobs: JobStore;
}
type RecordNote = Pick<RecordChange['set'], 'notBefore' | 'completion'>;
interface OperatorRecordStore extends RecordStore {
    list(filter: ListFilter): AsyncIterable<BacklogRecord>;
    getItems(ids: readonly string[], consistency?: 'strong' | 'eventual'): Promise<Found[]>;
    scan(page: ItemsScan): Promise<ItemsPage>;
    change(record: BacklogRecord, change: OperatorChange, rev: string): Promise<'settled' | 'changed'>;
    note(record: BacklogRecord, note: RecordNote): Promise<'settled' | 'changed'>;
    remove(record: BacklogRecord, rev: string): Promise<'removed' | 'changed'>;
}
interface OperatorPageStore extends PageStore {
    count(query: CountQuery): Promise<CountedPage>;
}
interface OperatorLeaseStore extends LeaseStore {
    readAll(): Promise<ReadonlyMap<string, LeaseState>>;
}
interface OperatorQueueStore extends QueueStore {
    readAll(): Promise<ReadonlyMap<string, QueueState>>;
    setPaused(queue: string, paused: boolean, note?: PauseNote): Promise<boolean>;
    notePausedKeys(queue: string, next: string | undefined, read: string | undefined): Promise<boolean>;
}
interface PauseNote {
    readonly pausedUntil?: string | undefined;
    readonly pauseReason?: string | undefined;
    readonly pausedBy?: string | undefined;
}
interface OperatorActiveRegionStore extends ActiveRegionStore {
    write(next: ActiveRegion, read: ActiveRegion | undefined): Promise<boolean>;
}
interface ControlStore {
    read(consistency?: 'strong' | 'eventual'): Promise<ControlState>;
    readRuns(): Promise<readonly Exclusive[]>;
    readRunsOf(queue: string, leases: readonly string[]): Promise<RunsOfQueue>;
}
interface RunsOfQueue {
    readonly leases: ReadonlyMap<string, LeaseState>;
    readonly succeededAt: number | undefined;
}
interface ReadingStore {
    write(queue: string, reading: Item): Promise<void>;
    read(queue: string): Promise<Item | undefined>;
}
interface ControlState {
    readonly queues: ReadonlyMap<string, QueueState>;
    readonly leases: ReadonlyMap<string, LeaseState>;
    readonly successes: ReadonlyMap<string, number>;
    readonly readings: ReadonlyMap<string, Item>;
    readonly heldLines: ReadonlyMap<string, HeldCount>;
    readonly jobs: ReadonlyMap<string, Item>;
    readonly registry: Registry;
    readonly activeRegion?: ActiveRegion | undefined;
}
interface HeldCount {
    readonly keys: number;
    readonly hasMore: boolean;
}
interface Exclusive {
    readonly name: string;
    readonly until: number;
}
interface ItemsScan extends ScanPage {
    readonly limit?: number | undefined;
}
interface ItemsPage {
    readonly found: Found[];
    readonly next: string | undefined;
}
interface CountedPage {
    readonly count: number;
    readonly next: IndexKey | undefined;
}
interface Found {
    readonly item: Item;
    readonly record: BacklogRecord;
}
interface OperatorChange {
    readonly set: RecordChange['set'] & {
        readonly payload?: unknown;
        readonly retry?: RetryPolicy;
    };
    readonly remove: readonly (RecordChange['remove'][number] | 'retry')[];
}
interface CountQuery {
    readonly lane: string;
    readonly from?: number | undefined;
    readonly until?: number | undefined;
    readonly after?: IndexKey | undefined;
}

interface CancelResult {
    readonly id: string;
    readonly cancelled: boolean;
    readonly reason?: 'notFound' | 'succeeded' | 'dead' | 'cancelRequested' | 'changedMeanwhile' | 'newer' | undefined;
}

interface StandardSchema<Input = unknown, Output = Input> {
    readonly '~standard': {
        readonly version: 1;
        readonly vendor: string;
        readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
        readonly types?: {
            readonly input: Input;
            readonly output: Output;
        } | undefined;
    };
}
type SchemaResult<Output> = {
    readonly value: Output;
    readonly issues?: undefined;
} | {
    readonly issues: readonly SchemaIssue[];
};
interface SchemaIssue {
    readonly message: string;
    readonly path?: readonly (PropertyKey | {
        readonly key: PropertyKey;
    })[] | undefined;
}
type SchemaInput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['input'];
type SchemaOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output'];

interface TaskContext extends AttemptContext {
    readonly record: BacklogRecord;
}
interface TaskOptions<Priority extends string = string> {
    readonly name: string;
    readonly queue?: string | undefined;
    readonly priorities?: Readonly<Record<Priority, string>> | undefined;
    readonly previousNames?: readonly string[] | undefined;
    readonly retry?: RetryPolicy | RetryFunction | undefined;
    readonly retryQueue?: string | undefined;
    readonly deadOn?: DeadOn | undefined;
    readonly attemptTimeout?: Duration | undefined;
}
type Perform<Payload> = (payload: Payload, context: TaskContext) => ProcessResult | Promise<ProcessResult>;
type Key<Payload> = ((payload: Payload) => string | undefined) | undefined;
declare const TASK: unique symbol;
interface Task<Input = unknown, Output = Input, Priority extends string = string> extends TaskOptions<Priority> {
    readonly [TASK]: true;
    readonly queue: string;
    readonly attemptTimeout?: number | undefined;
    readonly schema?: StandardSchema<Input, Output> | undefined;
    key?(payload: Input): string | undefined;
    perform(...given: Parameters<Perform<Output>>): ReturnType<Perform<Output>>;
    readonly '~types'?: {
        readonly input: Input;
        readonly output: Output;
    } | undefined;
}
declare function defineTask<const Schema extends StandardSchema, Priority extends string = never>(options: TaskOptions<Priority> & {
    readonly schema: Schema;
    readonly key?: Key<SchemaInput<Schema>>;
    readonly perform: Perform<SchemaOutput<Schema>>;
}): Task<SchemaInput<Schema>, SchemaOutput<Schema>, Priority>;
declare function defineTask<Payload, Priority extends string = string>(options: TaskOptions<Priority> & {
    readonly schema?: undefined;
    readonly key?: Key<Payload>;
    readonly perform: Perform<Payload>;
}): Task<Payload, Payload, Priority>;

interface CompletionResult {
    readonly id: string;
    readonly accepted: boolean;
    readonly kept?: true | undefined;
    readonly reason?: 'notFound' | 'notWaiting' | 'succeeded' | 'dead' | 'oldToken' | 'endedBefore' | 'workChanged' | 'changedMeanwhile' | 'newer' | undefined;
}

interface Delay {
    readonly delay?: Duration | undefined;
    readonly at?: Date | string | undefined;
}

declare class ConfigurationError extends Error {
    readonly name = "ConfigurationError";
}
declare class InvalidRecordError extends Error {
    readonly name = "InvalidRecordError";
}

type Attributes = Readonly<Record<string, AttributeValue>>;
declare function toAttributes(item: Item): Attributes;
declare function parseNumber(text: string): number | bigint | NumberValue;
declare function lambdaImage(value: Readonly<Record<string, unknown>>): Record<string, unknown>;

interface ClientOptions {
    readonly endpoint?: string | undefined;
    readonly region?: string | undefined;
    readonly requestTimeoutMs?: number | undefined;
}
declare function createDynamoDbClient({ endpoint, region, requestTimeoutMs, }?: ClientOptions): DynamoDBClient;

type OnDamaged = (key: string, attributes: readonly string[]) => void;
declare function isId(value: unknown): value is string;

interface Consumed {
    readonly operation: string;
    readonly table: string;
    readonly kind: 'read' | 'write';
    readonly units: number;
}
type OnConsumed = (consumed: Consumed) => void;

interface DynamoDbStoreDeps {
    readonly client: DynamoDBClient;
    readonly tables: {
        readonly records: string;
        readonly control: string;
    };
    readonly clock: Clock;
    readonly random?: Random | undefined;
    readonly groupWrites?: boolean | undefined;
    readonly onConsumed?: OnConsumed | undefined;
    readonly onDamaged?: OnDamaged | undefined;
}
declare class DynamoDbStore implements BacklogStore {
    readonly records: RecordStore;
    readonly pages: PageStore;
    readonly leases: LeaseStore;
    readonly claims: ClaimStore;
    readonly queues: QueueStore;
    readonly breakers: BreakerStore;
    readonly permits: PermitStore;
    readonly slots: SlotStore;
    readonly keySlots: KeySlotStore;
    readonly registry: RegistryStore;
    readonly activeRegion: ActiveRegionStore;
    readonly lines: LineReader;
    constructor(deps: DynamoDbStoreDeps);
}

declare class DynamoDbSweepStore extends DynamoDbStore implements SweepStore {
    readonly sweep: NotIndexedStore;
    constructor(deps: DynamoDbStoreDeps);
}

declare class DynamoDbOperatorStore extends DynamoDbSweepStore implements OperatorStore {
    readonly records: OperatorRecordStore;
    readonly pages: OperatorPageStore;
    readonly leases: OperatorLeaseStore;
    readonly queues: OperatorQueueStore;
    readonly activeRegion: OperatorActiveRegionStore;
    readonly control: ControlStore;
    readonly readings: ReadingStore;
    readonly jobs: JobStore;
    constructor(deps: DynamoDbStoreDeps);
}

type Settled = 'settled' | 'changed';
interface Settle {
    readonly id: string;
    readonly alone: () => Promise<Settled>;
}
type SettleTogether<Change extends Settle> = (changes: readonly Change[]) => Promise<readonly boolean[] | undefined>;
declare class SettleGroups<Change extends Settle> {
    constructor(together: SettleTogether<Change>, clock: Pick<Clock, 'sleep'>);
    write(change: Change): Promise<Settled>;
}

declare const DUE_INDEX = "due";

declare function itemBytes(item: Item): number;

interface NumberedInserts {
    insert(key: string, items: readonly Item[]): Promise<readonly ('inserted' | 'duplicate')[]>;
}

interface SharedItems {
    read(keys: readonly string[]): Promise<ReadonlyMap<string, Item>>;
    create(key: string, attributes: SharedAttributes): Promise<boolean>;
    write(key: string, attributes: SharedAttributes, expected: string | undefined): Promise<boolean>;
    remove(key: string, expected?: string): Promise<void>;
    list(prefix: string): Promise<readonly string[]>;
}
interface SharedAttributes extends Item {
    readonly rev: string;
}
interface OperatorSharedItems extends SharedItems {
    scan(scan: SharedScan): Promise<SharedScanPage>;
}
interface SharedScan {
    readonly prefix: string;
    readonly attributes: readonly string[];
    readonly after?: string | undefined;
}
interface SharedScanPage {
    readonly items: readonly Item[];
    readonly next: string | undefined;
}

interface MemoryStoreDeps {
    readonly clock: Clock;
}
declare class MemoryStore implements OperatorStore {
    readonly records: OperatorRecordStore;
    readonly pages: OperatorPageStore;
    readonly leases: OperatorLeaseStore;
    readonly claims: ClaimStore;
    readonly queues: OperatorQueueStore;
    readonly breakers: BreakerStore;
    readonly permits: PermitStore;
    readonly slots: SlotStore;
    readonly keySlots: KeySlotStore;
    readonly registry: RegistryStore;
    readonly activeRegion: OperatorActiveRegionStore;
    readonly sweep: NotIndexedStore;
    readonly readings: ReadingStore;
    readonly jobs: JobStore;
    readonly groups: OperatorSharedItems;
    readonly lines: OperatorSharedItems & LineReader;
    readonly numbered: NumberedInserts;
    readonly control: ControlStore;
    constructor({ clock }: MemoryStoreDeps);
    earliestDue(lane: string): string | undefined;
    breakerOf(queue: string, destination?: string): BreakerState | undefined;
    watch(onWritten: (before: Item | undefined, after: Item | undefined) => void): void;
    lanes(): string[];
    item(id: string): Item | undefined;
    items(): Item[];
    put(item: Item): void;
    delete(id: string): void;
}

interface InsertManyResult {
    readonly inserted: number;
    readonly duplicates: readonly string[];
    readonly failed: readonly {
        readonly id: string | undefined;
        readonly index: number;
        readonly error: InvalidRecordError;
    }[];
}
interface InsertProgress {
    readonly inserted: number;
    readonly duplicates: number;
    readonly failed: number;
}
declare class InsertInterruptedError extends StoreError {
    readonly result: InsertManyResult;
    readonly unsettled: readonly number[];
    readonly taken: number;
    readonly name = "InsertInterruptedError";
    constructor(result: InsertManyResult, options: {
        cause: unknown;
    }, unsettled?: readonly number[], taken?: number);
}

interface NewRecord<Payload = unknown> {
    readonly id?: string | undefined;
    readonly payload: Payload;
    readonly queue?: string | undefined;
    readonly task?: string | undefined;
    readonly key?: string | undefined;
    readonly seq?: number | undefined;
    readonly insertedAt?: Date | string | undefined;
    readonly availableAt?: Date | string | undefined;
    readonly retry?: RetryPolicy | RetryLimits | undefined;
    readonly traceparent?: string | undefined;
    readonly attributes?: Readonly<Record<string, unknown>> | undefined;
}

declare const MEMBER_STATES: readonly ['waiting', 'succeeded', 'dead', 'cancelled', 'removed', 'lost', 'unused'];
type MemberState = (typeof MEMBER_STATES)[number];
type StateCounts = Readonly<Record<MemberState, number>>;
declare class GroupPage {
    readonly size: number;
    readonly until: number | undefined;
    readonly rev: string | undefined;
    static opened(size: number, until: number): GroupPage;
    static parse({ states, size, until, rev }: Item): GroupPage | undefined;
    attributes(): Item;
    with(states: ReadonlyMap<number, MemberState>): GroupPage | undefined;
    closed(): GroupPage;
    stateAt(index: number): MemberState;
    places(...states: readonly MemberState[]): number[];
    counts(): StateCounts;
}

interface GroupEnd {
    readonly id: string;
    readonly complete: boolean;
    readonly members?: number | undefined;
    readonly succeeded?: number | undefined;
    readonly dead?: number | undefined;
    readonly cancelled?: number | undefined;
    readonly removed?: number | undefined;
    readonly lost?: number | undefined;
}
declare function groupEndOf(id: string, record: BacklogRecord): GroupEnd | undefined;
declare function isHeld$1(id: string, record: BacklogRecord): boolean;

type FirstDeath = Pick<NewRecord, 'queue' | 'task' | 'key' | 'retry' | 'attributes' | 'payload'>;
interface GroupHead {
    readonly createdAt: number;
    readonly pages: number;
    readonly addedAt: number;
    readonly sealed: boolean;
    readonly holdsDead: boolean;
    readonly firstDeath: FirstDeath | undefined;
    readonly rev: string | undefined;
}

interface Group {
    readonly id: string;
    readonly state: 'open' | 'sealed' | 'ended';
    readonly createdAt?: string | undefined;
    readonly members: number;
    readonly waiting: number;
    readonly succeeded: number;
    readonly dead: number;
    readonly cancelled: number;
    readonly removed: number;
    readonly lost: number;
}
declare function describeGroup(id: string, { createdAt, sealed }: GroupHead, pages: readonly (GroupPage | undefined)[]): Group;
declare function endedGroup(id: string, record: BacklogRecord): Group | undefined;

interface GroupEventDetail extends Partial<Omit<Group, 'id' | 'state' | 'createdAt' | 'waiting'>> {
    readonly version: 1;
    readonly id: string;
    readonly table: string;
    readonly queue: string;
    readonly createdAt: string;
    readonly endedAt: string;
    readonly complete: boolean;
}
declare const GROUP_EVENT_TYPE = "Backlog group ended";
declare function groupEvent(record: BacklogRecord, { table }: {
    readonly table: string;
}): GroupEventDetail | undefined;

declare const MEMBER_ATTRIBUTE = "memberOf";
declare const PAGE_MEMBERS = 1000;
interface Place$1 {
    readonly group: string;
    readonly page: number;
    readonly index: number;
}
declare function placeOf(memberOf: unknown): Place$1 | undefined;
declare function checkGroupId(id: unknown, path: string): asserts id is string;

interface ConnectionOptions {
    readonly client?: DynamoDBClient | undefined;
    readonly endpoint?: string | undefined;
    readonly region?: string | undefined;
    readonly clock?: Clock | undefined;
    readonly random?: Random | undefined;
}

interface OpenGroupsOptions extends ConnectionOptions {
    readonly controlTable: string;
}
declare function openGroups(options: OpenGroupsOptions): {
    readonly groups: OperatorSharedItems;
    readonly readUnits: () => number;
};
interface GroupReads {
    head(id: string): Promise<GroupHead | undefined>;
    allPages(id: string, head: Pick<GroupHead, 'pages'>): Promise<(GroupPage | undefined)[]>;
    ids(id: string, page: number): Promise<readonly string[]>;
}
declare function groupReads(groups: SharedItems): GroupReads;
declare const firstDeathRecordId: (group: string) => string;

declare const GROUPS_SCAN: Omit<SharedScan, 'after'>;
interface ScannedItem {
    readonly id: string;
    readonly head?: GroupHead | undefined;
    readonly page?: GroupPage | undefined;
}
declare function scannedItem(item: Item): ScannedItem | undefined;

interface KeyPause {
    readonly key: string;
    readonly since: string;
    readonly until?: string | undefined;
    readonly reason?: string | undefined;
    readonly by?: string | undefined;
}
declare function keyPausesNow(text: string | undefined, now: number): KeyPause[];

interface Stats {
    readonly readUnits: number;
    readonly at: string;
    readonly queues: readonly QueueStats[];
}
interface QueueStats {
    readonly queue: string;
    readonly retryMode: RetryMode | undefined;
    readonly paused: boolean;
    readonly pausedAt?: string | undefined;
    readonly pausedUntil?: string | undefined;
    readonly pauseReason?: string | undefined;
    readonly pausedBy?: string | undefined;
    readonly pausedKeys?: readonly KeyPause[] | undefined;
    readonly unserved?: true | undefined;
    readonly openBreakers: number;
    readonly pending: number;
    readonly dead: number;
    readonly oldestDueAt: string | undefined;
    readonly lagSeconds?: number | undefined;
    readonly due?: {
        readonly now: number;
        readonly minute: number;
        readonly hour: number;
        readonly day: number;
    } | undefined;
    readonly ages?: readonly {
        readonly fromAgeSeconds: number;
        readonly untilAgeSeconds: number | undefined;
        readonly count: number;
    }[] | undefined;
    readonly delayed?: number | undefined;
}
type QueueCounts = Pick<QueueStats, 'pending' | 'dead' | 'oldestDueAt' | 'lagSeconds' | 'due' | 'ages' | 'delayed'>;
interface DuePart {
    readonly from?: number | undefined;
    readonly until: number;
    readonly count: number;
}
declare function duePartsOf({ due, ages, delayed, pending }: QueueCounts, now: number): DuePart[];

interface FailingNow {
    readonly seconds: number;
    readonly groups: readonly FailingNote[];
    readonly endedAt: number | undefined;
}

interface MonitoredQueue {
    readonly name: string;
    readonly shards: number;
    readonly bands: readonly TierBand[];
    readonly retry?: RetryPolicy | undefined;
    readonly probes?: boolean | undefined;
    readonly busyKeys?: string | undefined;
}
interface DescribedQueue {
    readonly retryMode: RetryMode;
    readonly retry?: RetryPolicy | undefined;
    readonly shards?: number | undefined;
    readonly probes?: boolean | undefined;
    readonly timeout?: number | undefined;
}
declare function monitoredQueue(name: string, described: DescribedQueue, timeoutSeconds: number): MonitoredQueue;

interface GaugeValues {
    readonly waiting?: number | undefined;
    readonly oldestDueAge?: number | undefined;
    readonly failing?: number | undefined;
    readonly dead?: number | undefined;
    readonly inRetry?: number | undefined;
    readonly paused?: 0 | 1 | undefined;
    readonly readingAge?: number | undefined;
}
interface QueueGaugeValues {
    readonly table: string;
    readonly queue: string;
    readonly values: GaugeValues;
}
interface GaugeDefinition {
    readonly name: string;
    readonly unit?: '{record}' | 's' | undefined;
    readonly description: string;
}
declare const QUEUE_GAUGES: Readonly<Record<keyof GaugeValues, GaugeDefinition>>;
declare const GAUGE_FIELDS: readonly (keyof GaugeValues)[];

interface GaugeReaderDeps {
    readonly store: OperatorStore;
    readonly clock: Clock;
    readonly log: Pick<AttemptLogger, 'warn'>;
    readonly stop: AbortSignal;
    readonly table: string;
    readonly region?: string | undefined;
    readonly primaryRegion?: string | undefined;
}
declare class GaugeReader {
    constructor(queues: readonly MonitoredQueue[], deps: GaugeReaderDeps);
    read(): Promise<readonly QueueGaugeValues[]>;
}

interface ObservableResult {
    observe(gauge: never, value: number, attributes: Record<string, string>): void;
}
interface Meter {
    createObservableGauge(name: string, options: object): unknown;
    addBatchObservableCallback(callback: (result: ObservableResult) => void | Promise<void>, observables: never[]): void;
}
interface MeterProvider {
    getMeter(name: string, version?: string): Meter;
    forceFlush?(options?: {
        timeoutMillis?: number;
    }): Promise<void>;
}
declare function observeQueues(provider: MeterProvider, read: () => readonly QueueGaugeValues[] | Promise<readonly QueueGaugeValues[]>): void;

interface Reading {
    readonly at: string;
    readonly counts: QueueCounts;
    readonly inRetry?: number | undefined;
    readonly shards: number;
    readonly retryMode: RetryMode;
    readonly retry?: RetryPolicy | undefined;
    readonly probes?: boolean | undefined;
}

type SkipReason = 'asWanted' | 'otherStatus' | 'inFlight' | 'cancelRequested' | 'changedMeanwhile' | 'numbered' | 'notFound' | 'newer';
interface Change {
    readonly do: 'change';
    readonly change: OperatorChange;
    readonly ifFree?: OperatorChange;
}
interface RedriveWishes {
    readonly queue?: string | undefined;
    readonly retry?: RetryPolicy | null | undefined;
}
declare function redrive({ record }: Found, { queue, retry }: RedriveWishes, now: number): Change;

interface OperationResult {
    readonly matched: number;
    readonly changed: number;
    readonly delayed: number;
    readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
    readonly failed: number;
    readonly failures: readonly {
        readonly id: string;
        readonly reason: string;
    }[];
    readonly examples: readonly string[];
    readonly ended: 'complete' | 'limit' | 'aborted';
}
type ActionResult = OperationResult & {
    readonly readUnits: number;
    readonly writeUnits: number;
};
declare class OperationInterruptedError extends StoreError {
    readonly result: OperationResult;
    readonly name = "OperationInterruptedError";
    constructor(result: OperationResult, options: {
        readonly cause: unknown;
    });
}
interface OperationProgress {
    readonly looked: number;
    readonly matched: number;
    readonly changed: number;
    readonly skipped: number;
    readonly failed: number;
}

interface Selection {
    readonly queue?: string | readonly string[] | undefined;
    readonly status?: Status | readonly Status[] | undefined;
    readonly errorName?: string | undefined;
    readonly errorContains?: string | undefined;
    readonly messagePattern?: string | undefined;
    readonly deadReason?: string | undefined;
    readonly idPrefix?: string | undefined;
    readonly key?: string | undefined;
    readonly keyPaused?: boolean | undefined;
    readonly olderThan?: number | string | undefined;
    readonly youngerThan?: number | string | undefined;
    readonly failedWithin?: number | string | undefined;
    readonly failedBefore?: number | string | undefined;
    readonly payload?: PayloadMatch | readonly PayloadMatch[] | undefined;
    readonly attributes?: Readonly<Record<string, unknown>> | undefined;
    readonly all?: boolean | undefined;
}
interface PayloadMatch {
    readonly path: string | readonly string[];
    readonly equals: unknown;
}
interface Selected {
    readonly queues: readonly string[] | undefined;
    readonly key: string | undefined;
    readonly statuses: readonly Status[];
    readonly matches: (record: BacklogRecord, now: number) => boolean;
    readonly namesReason: boolean;
}
interface StatusesOfAction {
    readonly actsOn: readonly Status[];
    readonly byDefault?: readonly Status[] | undefined;
}
declare function parseSelection(input: unknown, { actsOn, byDefault }: StatusesOfAction, name: string): Selected;
declare function isPlainObject(value: unknown): value is Record<string, unknown>;

type Which = string | readonly string[] | Selection;
interface OperationOptions {
    readonly dryRun?: boolean | undefined;
    readonly perSecond?: number | undefined;
    readonly limit?: number | undefined;
    readonly concurrency?: number | undefined;
    readonly onProgress?: ((progress: OperationProgress) => void) | undefined;
    readonly onTrouble?: ((message: string) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly expected?: Item | undefined;
}
interface RedriveOptions extends OperationOptions {
    readonly queue?: string | undefined;
    readonly retry?: RetryPolicy | null | undefined;
}
interface DiscardOptions extends OperationOptions {
    readonly reason?: string | undefined;
    readonly retention?: Duration | 'forever' | undefined;
    readonly delete?: boolean | undefined;
}
interface SnoozeOptions extends OperationOptions, Delay {
}
interface MoveOptions extends OperationOptions {
    readonly queue: string;
}
interface EditOptions extends OperationOptions {
    readonly payload?: unknown;
    readonly merge?: Readonly<Record<string, unknown>> | undefined;
    readonly redrive?: boolean | undefined;
}
interface ChangePolicyOptions extends OperationOptions {
    readonly retry: RetryPolicy | null;
}
interface ExportOptions {
    readonly limit?: number | undefined;
    readonly onTrouble?: ((message: string) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
}
interface PauseOptions {
    readonly until?: Date | string | undefined;
    readonly reason?: string | undefined;
    readonly by?: string | undefined;
}
interface StatsOptions {
    readonly queues?: readonly string[] | undefined;
    readonly alsoQueues?: readonly string[] | undefined;
    readonly signal?: AbortSignal | undefined;
}
interface OutsideEndOptions {
    readonly token?: string | undefined;
}
interface CompleteOptions extends OutsideEndOptions {
    readonly result?: unknown;
}
interface FailOptions extends OutsideEndOptions {
    readonly error: unknown;
}
interface ProlongOptions extends OutsideEndOptions {
    readonly timeout?: Duration | undefined;
}

type ActionName = 'redrive' | 'discard' | 'snooze' | 'runNow' | 'editPayload' | 'move' | 'changePolicy';

interface BacklogOperatorOptions extends ConnectionOptions {
    readonly table: string;
    readonly controlTable: string;
    readonly store?: OperatorStore | undefined;
}
interface Units {
    readonly readUnits: number;
    readonly writeUnits: number;
}
declare class Tables {
    readonly clock: Clock;
    readonly random: Random;
    constructor(options: BacklogOperatorOptions);
    open(): {
        readonly store: OperatorStore;
        readonly units: () => Units;
    };
    region(): Promise<string | undefined>;
    isPassive(store: OperatorStore): Promise<boolean>;
    checkRegion(store: OperatorStore): Promise<void>;
    patiently(signal?: AbortSignal, onTrouble?: (_message: string) => void): <Answer>(request: () => Promise<Answer>) => Promise<Answer>;
}

declare class BacklogOperator {
    constructor(options: BacklogOperatorOptions);
    redrive(which: Which, options?: RedriveOptions): Promise<ActionResult>;
    discard(which: Which, options?: DiscardOptions): Promise<ActionResult>;
    snooze(which: Which, options: SnoozeOptions): Promise<ActionResult>;
    runNow(which: Which, options?: OperationOptions): Promise<ActionResult>;
    editPayload(which: Which, options: EditOptions): Promise<ActionResult>;
    move(which: Which, options: MoveOptions): Promise<ActionResult>;
    changePolicy(which: Which, options: ChangePolicyOptions): Promise<ActionResult>;
    complete(id: string, options?: CompleteOptions): Promise<CompletionResult>;
    fail(id: string, options: FailOptions): Promise<CompletionResult>;
    heartbeat(id: string, options?: ProlongOptions): Promise<CompletionResult>;
    export(which: Which, options?: ExportOptions): AsyncGenerator<Item>;
    stats(options?: StatsOptions): Promise<Stats>;
    pause(queue: string, options?: PauseOptions): Promise<boolean>;
    resume(queue: string): Promise<boolean>;
    pauseKey(queue: string, key: string, options?: PauseOptions): Promise<boolean>;
    resumeKey(queue: string, key: string, options?: OperationOptions): Promise<ActionResult & {
        readonly resumed: boolean;
    }>;
}

type RedactPayload = (payload: unknown, record: {
    readonly id: string;
    readonly queue: string;
}) => unknown;

type JobState = 'armed' | 'running' | 'stopped' | 'done' | 'cancelled';
interface JobOrigin {
    readonly by: string;
    readonly from: string;
}
interface JobCounts {
    readonly changed: number;
    readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
    readonly failed: number;
    readonly failures: readonly {
        readonly id: string;
        readonly reason: string;
    }[];
}
interface Job {
    readonly id: string;
    readonly action: ActionName | 'undo';
    readonly options: Item;
    readonly which: Selection | readonly string[];
    readonly perSecond?: number | undefined;
    readonly limit?: number | undefined;
    readonly probe?: number | undefined;
    readonly probed?: readonly string[] | undefined;
    readonly probePassed?: boolean | undefined;
    readonly armedUntil?: string | undefined;
    readonly armedFor?: string | undefined;
    readonly by: string;
    readonly from: string;
    readonly createdAt: string;
    readonly startedAt?: string | undefined;
    readonly endedAt?: string | undefined;
    readonly state: JobState;
    readonly why?: string | undefined;
    readonly total?: number | undefined;
    readonly isTotalLeast?: boolean | undefined;
    readonly counts: JobCounts;
    readonly pages: number;
    readonly holder?: string | undefined;
    readonly until?: number | undefined;
    readonly undoneBy?: string | undefined;
    readonly rev: string;
}
declare function parseJob(item: Item | undefined): Job | undefined;
declare function isHeld({ holder, until }: Pick<Job, 'holder' | 'until'>, wall: number): boolean;
declare function isLost(job: Job, wall: number): boolean;
declare function undoRefusal(job: Job, now: number, wall: number): string | undefined;
declare function selectedQueues(which: Job['which']): readonly string[];

type AwaitedFault = {
    readonly destination: string | undefined;
} | {
    readonly refusal: string;
};

interface JobRunOptions {
    readonly signal?: AbortSignal | undefined;
    readonly leave?: AbortSignal | undefined;
    readonly onProgress?: ((progress: OperationProgress) => void) | undefined;
    readonly onTrouble?: ((message: string) => void) | undefined;
}
interface JobOutcome {
    readonly job: Job;
    readonly result: ActionResult;
}

interface NewJob {
    readonly action: ActionName;
    readonly options?: object | undefined;
    readonly which: Selection | readonly string[];
    readonly perSecond?: number | undefined;
    readonly limit?: number | undefined;
    readonly probe?: number | undefined;
    readonly whenBack?: number | string | undefined;
    readonly total?: number | undefined;
    readonly isTotalLeast?: boolean | undefined;
}
interface JobList {
    readonly jobs: readonly Job[];
    readonly unreadable: readonly string[];
}
declare class Jobs {
    readonly holder: string;
    constructor(tables: Tables);
    create(made: NewJob, { by, from }: JobOrigin): Promise<Job>;
    list(): Promise<JobList>;
    read(id: string): Promise<Job>;
    run(job: Job, options?: JobRunOptions): Promise<JobOutcome>;
    takeOver(job: Job): Promise<Job | undefined>;
    goOn(id: string, perSecond?: number): Promise<Job>;
    stop(id: string, by: string): Promise<Job>;
    undo(id: string, { by, from }: JobOrigin, perSecond?: number): Promise<Job>;
    awaited(which: NewJob['which']): Promise<AwaitedFault>;
}
declare function listed(items: ReadonlyMap<string, Item>, now: number): JobList;

interface ParsedPause {
    readonly until: number | undefined;
    readonly reason: string | undefined;
    readonly by: string | undefined;
}
declare function parsePause(options: unknown, now: number, name: string): ParsedPause;

type Queues = Pick<OperatorStore, 'queues'>;
declare function endKeyPause(store: Queues, queue: string, key: string, now: number): Promise<boolean>;

type Merged = {
    readonly payload: unknown;
} | {
    readonly refused: string;
};
declare function mergeInto(payload: unknown, patch: Readonly<Record<string, unknown>>): Merged;

interface StatsDeps {
    readonly store: Pick<OperatorStore, 'pages'>;
    readonly patiently: <Answer>(request: () => Promise<Answer>) => Promise<Answer>;
}
declare function lanesInUse(lanes: readonly string[], { store, patiently }: StatsDeps): Promise<ReadonlyMap<string, string>>;

declare class RateLimiter {
    nextAt: number;
    constructor(perSecond: number | undefined, clock: Clock);
    waitMs(): number;
    acquire(signal?: AbortSignal): Promise<void>;
}
interface OfOneRecord {
    readonly record: BacklogRecord;
}
declare class Writes {
    constructor(concurrency: number, onRefused: (id: string, reason: string) => void);
    each<One extends OfOneRecord>(all: readonly One[], write: (one: One, mayGoOn: () => boolean) => Promise<void>): Promise<void>;
}

interface BusyKey {
    readonly shard: number;
    readonly hash: string;
    readonly until: number;
}
declare function laneOfBusy({ shard }: BusyKey, queue: string): string;

declare function isPutOffByPause({ notBefore, dueAt }: BacklogRecord, now: number): boolean;

interface Place {
    readonly region?: string | undefined;
    readonly primaryRegion?: string | undefined;
}
declare function isPassiveBy(active: ActiveRegion | undefined, { region, primaryRegion }: Place, now: number): boolean;

declare function removedSince(entry: QueueOwner, now: number): string | undefined;

type Interceptor = (name: string, call: () => Promise<unknown>, args: readonly unknown[]) => Promise<unknown>;
declare function intercepted<Store extends object>(store: Store, intercept: Interceptor): Store;

type contract_d_ActiveRegion = ActiveRegion;
type contract_d_ActiveRegionStore = ActiveRegionStore;
type contract_d_ArrivalsClaim = ArrivalsClaim;
type contract_d_BreakerState = BreakerState;
type contract_d_BreakerStore = BreakerStore;
type contract_d_ClaimAnswer = ClaimAnswer;
type contract_d_ClaimLeft = ClaimLeft;
type contract_d_ClaimStore = ClaimStore;
type contract_d_ClaimedArrivals = ClaimedArrivals;
type contract_d_ControlState = ControlState;
type contract_d_ControlStore = ControlStore;
type contract_d_CountQuery = CountQuery;
type contract_d_CountedPage = CountedPage;
type contract_d_Cursor = Cursor;
type contract_d_DuePage = DuePage;
type contract_d_DueQuery = DueQuery;
type contract_d_Exclusive = Exclusive;
type contract_d_Found = Found;
type contract_d_IndexKey = IndexKey;
type contract_d_Item = Item;
type contract_d_ItemsPage = ItemsPage;
type contract_d_ItemsScan = ItemsScan;
type contract_d_JobChange = JobChange;
type contract_d_JobStore = JobStore;
type contract_d_Kept = Kept;
type contract_d_KeySlotStore = KeySlotStore;
type contract_d_KeySlotsAsk = KeySlotsAsk;
type contract_d_LeaseAnswer = LeaseAnswer;
type contract_d_LeaseHold = LeaseHold;
type contract_d_LeaseLeft = LeaseLeft;
type contract_d_LeaseOwner = LeaseOwner;
type contract_d_LeaseState = LeaseState;
type contract_d_LeaseStore = LeaseStore;
type contract_d_LineReader = LineReader;
type contract_d_ListFilter = ListFilter;
type contract_d_LostRun = LostRun;
type contract_d_NamedClaim = NamedClaim;
type contract_d_NotIndexedPage = NotIndexedPage;
type contract_d_NotIndexedStore = NotIndexedStore;
type contract_d_NumberedInserts = NumberedInserts;
type contract_d_OperatorActiveRegionStore = OperatorActiveRegionStore;
type contract_d_OperatorChange = OperatorChange;
type contract_d_OperatorLeaseStore = OperatorLeaseStore;
type contract_d_OperatorPageStore = OperatorPageStore;
type contract_d_OperatorQueueStore = OperatorQueueStore;
type contract_d_OperatorRecordStore = OperatorRecordStore;
type contract_d_OperatorSharedItems = OperatorSharedItems;
type contract_d_PageRead = PageRead;
type contract_d_PageStore = PageStore;
type contract_d_PauseNote = PauseNote;
type contract_d_PermitStore = PermitStore;
type contract_d_Permits = Permits;
type contract_d_QueueOwner = QueueOwner;
type contract_d_QueueState = QueueState;
type contract_d_QueueStore = QueueStore;
type contract_d_ReadingStore = ReadingStore;
type contract_d_RecordChange = RecordChange;
type contract_d_RecordNote = RecordNote;
type contract_d_RecordStore = RecordStore;
type contract_d_Registry = Registry;
type contract_d_RegistryStore = RegistryStore;
type contract_d_RetryModeState = RetryModeState;
type contract_d_RunsOfQueue = RunsOfQueue;
type contract_d_ScanPage = ScanPage;
type contract_d_SharedAttributes = SharedAttributes;
type contract_d_SharedItems = SharedItems;
type contract_d_SharedScan = SharedScan;
type contract_d_SharedScanPage = SharedScanPage;
type contract_d_SlotStore = SlotStore;
type contract_d_SlotsAsk = SlotsAsk;
type contract_d_SlotsHeld = SlotsHeld;
type contract_d_SweepState = SweepState;
type contract_d_TierRun = TierRun;
declare namespace contract_d {
  export type { contract_d_ActiveRegion as ActiveRegion, contract_d_ActiveRegionStore as ActiveRegionStore, contract_d_ArrivalsClaim as ArrivalsClaim, contract_d_BreakerState as BreakerState, contract_d_BreakerStore as BreakerStore, contract_d_ClaimAnswer as ClaimAnswer, contract_d_ClaimLeft as ClaimLeft, contract_d_ClaimStore as ClaimStore, contract_d_ClaimedArrivals as ClaimedArrivals, contract_d_ControlState as ControlState, contract_d_ControlStore as ControlStore, contract_d_CountQuery as CountQuery, contract_d_CountedPage as CountedPage, contract_d_Cursor as Cursor, contract_d_DuePage as DuePage, contract_d_DueQuery as DueQuery, contract_d_Exclusive as Exclusive, contract_d_Found as Found, contract_d_IndexKey as IndexKey, contract_d_Item as Item, contract_d_ItemsPage as ItemsPage, contract_d_ItemsScan as ItemsScan, contract_d_JobChange as JobChange, contract_d_JobStore as JobStore, contract_d_Kept as Kept, contract_d_KeySlotStore as KeySlotStore, contract_d_KeySlotsAsk as KeySlotsAsk, contract_d_LeaseAnswer as LeaseAnswer, contract_d_LeaseHold as LeaseHold, contract_d_LeaseLeft as LeaseLeft, contract_d_LeaseOwner as LeaseOwner, contract_d_LeaseState as LeaseState, contract_d_LeaseStore as LeaseStore, contract_d_LineReader as LineReader, contract_d_ListFilter as ListFilter, contract_d_LostRun as LostRun, contract_d_NamedClaim as NamedClaim, contract_d_NotIndexedPage as NotIndexedPage, contract_d_NotIndexedStore as NotIndexedStore, contract_d_NumberedInserts as NumberedInserts, contract_d_OperatorActiveRegionStore as OperatorActiveRegionStore, contract_d_OperatorChange as OperatorChange, contract_d_OperatorLeaseStore as OperatorLeaseStore, contract_d_OperatorPageStore as OperatorPageStore, contract_d_OperatorQueueStore as OperatorQueueStore, contract_d_OperatorRecordStore as OperatorRecordStore, contract_d_OperatorSharedItems as OperatorSharedItems, contract_d_PageRead as PageRead, contract_d_PageStore as PageStore, contract_d_PauseNote as PauseNote, contract_d_PermitStore as PermitStore, contract_d_Permits as Permits, contract_d_QueueOwner as QueueOwner, contract_d_QueueState as QueueState, contract_d_QueueStore as QueueStore, contract_d_ReadingStore as ReadingStore, contract_d_RecordChange as RecordChange, contract_d_RecordNote as RecordNote, contract_d_RecordStore as RecordStore, contract_d_Registry as Registry, contract_d_RegistryStore as RegistryStore, contract_d_RetryModeState as RetryModeState, contract_d_RunsOfQueue as RunsOfQueue, contract_d_ScanPage as ScanPage, contract_d_SharedAttributes as SharedAttributes, contract_d_SharedItems as SharedItems, contract_d_SharedScan as SharedScan, contract_d_SharedScanPage as SharedScanPage, contract_d_SlotStore as SlotStore, contract_d_SlotsAsk as SlotsAsk, contract_d_SlotsHeld as SlotsHeld, contract_d_SweepState as SweepState, contract_d_TierRun as TierRun };
}

declare function isSameValue(one: AttributeValue, other: AttributeValue): boolean;

declare class LaneIndex {
    get first(): IndexKey | undefined;
    add(key: IndexKey): void;
    remove(key: IndexKey): void;
    query(query: DueQuery): DuePage;
}

declare function patiently<Answer>(request: () => Promise<Answer>, { clock, signal, onTrouble, }: {
    readonly clock: Pick<Clock, 'sleep'>;
    readonly signal: AbortSignal;
    readonly onTrouble: (message: string) => void;
}): Promise<Answer>;

declare function hash32(text: string): number;

declare function jsonOf(payload: unknown): string;

declare const LOCAL_CONTEXT = "dynamo-backlog:local";
declare const BUNDLE_METADATA = "DynamoBacklogBundle";
interface BundleDescription {
    readonly entryPoints: readonly [string];
    readonly absWorkingDir: string;
    readonly [option: string]: unknown;
}

declare function nearest(name: string, known: readonly string[]): string | undefined;
declare function didYouMean(name: string, known: readonly string[], shown?: (name: string) => string): string;

declare function isRegion(value: unknown): value is string;

declare function seededRandom(seed: number): Random;

declare function readJson(env: Readonly<Record<string, string | undefined>>, name: string): unknown;

declare function withoutTrailing(text: string, character: string): string;

declare function withoutUrlSecrets(text: string, maxCharacters?: number): string;

declare function parseOptions<Schema extends core.$ZodType>(schema: Schema, input: unknown, name: string): core.output<Schema>;
declare function show(value: unknown): string;

declare const VERSION = "0.1.0";

declare class VirtualTime {
    now: number;
    constructor(now: number, settled?: () => Promise<void>);
    after(milliseconds: number, action: () => void): () => void;
    runUntil(time: number): Promise<void>;
    until<T>(promise: Promise<T>): Promise<T>;
    clock(): Clock;
    runUntilQuiet(latest: number): Promise<boolean>;
    get nextAt(): number | undefined;
}

declare const METADATA_KEY = "DynamoBacklog";
declare const METADATA_VERSION = 1;
interface BacklogDescription {
    readonly version: number;
    readonly trigger: 'rules' | 'scheduler';
    readonly timeZone?: string | undefined;
    readonly primaryRegion?: string | undefined;
    readonly runbookUrl?: string | undefined;
    readonly recordEvents?: Readonly<Record<string, {
        readonly on: readonly string[];
        readonly include: readonly string[];
    }>> | undefined;
    readonly groupEvents?: boolean | undefined;
    readonly groups?: boolean | undefined;
    readonly recurring?: Readonly<Record<string, RecurringDescription>> | undefined;
    readonly intake: boolean;
    readonly sweep: boolean;
    readonly records: TableDescription;
    readonly control: TableDescription;
    readonly queues: Readonly<Record<string, QueueDescription>>;
}
interface RecurringDescription {
    readonly schedule: string;
    readonly timeZone?: string | undefined;
    readonly queue: string;
    readonly payload?: string | undefined;
    readonly settings?: Readonly<Record<string, unknown>> | undefined;
}
interface TableDescription {
    readonly logicalId?: string | undefined;
    readonly name?: string | undefined;
}
interface QueueDescription {
    readonly retryMode: RetryMode;
    readonly retry?: RetryPolicy | undefined;
    readonly tiers?: readonly Tier<number>[] | undefined;
    readonly work: string;
    readonly deliverTo?: DeliveryDescription | undefined;
    readonly enabled: boolean;
    readonly firstAttempt: 'onInsert' | 'scheduled';
    readonly timeout: number;
    readonly settings?: Readonly<Record<string, unknown>> | undefined;
}
interface DeliveryDescription {
    readonly url: string;
    readonly method?: string | undefined;
    readonly headers?: readonly string[] | undefined;
    readonly signed?: boolean | undefined;
    readonly answers?: unknown;
    readonly requestTimeout?: number | undefined;
    readonly allowPrivateAddresses?: unknown;
}
declare const TOKEN = "known at deployment";

interface TaskInsertOptions<Input = unknown, Priority extends string = string> extends Delay {
    readonly queue?: string | undefined;
    readonly priority?: Priority | undefined;
    readonly id?: string | undefined;
    readonly key?: string | undefined;
    readonly retry?: RetryPolicy | RetryLimits | undefined;
    readonly maxAttempts?: number | undefined;
    readonly uniqueFor?: Duration | undefined;
    readonly uniqueBy?: ((payload: Input) => unknown) | undefined;
    readonly traceparent?: string | undefined;
    readonly attributes?: Readonly<Record<string, unknown>> | undefined;
    readonly insertedAt?: Date | string | undefined;
}

interface BacklogClientOptions extends ConnectionOptions {
    readonly table: string;
    readonly indexAtOnce?: boolean | readonly string[] | undefined;
    readonly maxHops?: number | undefined;
    readonly store?: ClientStore | undefined;
}
interface ClientStore {
    readonly records: Pick<RecordStore, 'insert'> & Partial<LookUp>;
}
interface LookUp extends Pick<OperatorRecordStore, 'get' | 'list' | 'change' | 'note'> {
}
interface ListOptions {
    readonly queue: string;
    readonly status: Exclude<Status, 'SUCCESS'>;
    readonly limit?: number | undefined;
}
interface CancelOptions {
    readonly reason?: string | undefined;
}
interface HeartbeatOptions {
    readonly timeout?: Duration | undefined;
}
interface WaitOptions {
    readonly timeout?: Duration | undefined;
    readonly signal?: AbortSignal | undefined;
}
interface InsertManyOptions extends Delay {
    readonly concurrency?: number | undefined;
    readonly onProgress?: ((progress: InsertProgress) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
}
interface TaskInsertManyOptions<Input = unknown, Priority extends string = string> extends Omit<TaskInsertOptions<Input, Priority>, 'id'>, InsertManyOptions {
}
type Source<Element> = Iterable<Element> | AsyncIterable<Element>;

type TaskEntry<Input, Priority extends string = string> = ('payload' extends keyof Input ? never : Input) | WrappedPayload<Input, Priority>;
interface WrappedPayload<Input, Priority extends string = string> extends TaskInsertOptions<Input, Priority> {
    readonly payload: Input;
}

interface InsertResult {
    readonly id: string;
    readonly inserted: boolean;
}
declare class BacklogClient {
    constructor(options: BacklogClientOptions);
    insert<Input, Priority extends string>(task: Task<Input, unknown, Priority>, payload: NoInfer<Input>, options?: TaskInsertOptions<NoInfer<Input>, NoInfer<Priority>>): Promise<InsertResult>;
    insert(record: NewRecord, options?: Delay): Promise<InsertResult>;
    insertMany<Input, Priority extends string>(task: Task<Input, unknown, Priority>, payloads: Source<TaskEntry<NoInfer<Input>, NoInfer<Priority>>>, options?: TaskInsertManyOptions<NoInfer<Input>, NoInfer<Priority>>): Promise<InsertManyResult>;
    insertMany(records: Source<NewRecord>, options?: InsertManyOptions): Promise<InsertManyResult>;
    get<Payload = unknown>(id: string): Promise<BacklogRecord<Payload> | undefined>;
    wait<Payload = unknown>(id: string, options?: WaitOptions): Promise<BacklogRecord<Payload> | undefined>;
    list<Payload = unknown>(options: ListOptions): AsyncGenerator<BacklogRecord<Payload>>;
    cancel(id: string, options?: CancelOptions): Promise<CancelResult>;
    complete(id: string, token: string, result?: unknown): Promise<CompletionResult>;
    fail(id: string, token: string, error: unknown): Promise<CompletionResult>;
    heartbeat(id: string, token: string, options?: HeartbeatOptions): Promise<CompletionResult>;
}

interface NextOccurrenceOptions {
    readonly timeZone?: string | undefined;
    readonly after?: Date | string | undefined;
    readonly startAt?: Date | string | undefined;
    readonly endAt?: Date | string | undefined;
}
declare function nextOccurrence(schedule: string, options?: NextOccurrenceOptions): Date | undefined;

declare class WaitTimeoutError extends Error {
    readonly name = "WaitTimeoutError";
    readonly record: BacklogRecord;
    constructor(record: BacklogRecord, timeoutMs: number);
}

interface RecurringRecordsOptions extends ConnectionOptions {
    readonly table: string;
    readonly indexAtOnce?: boolean | undefined;
    readonly store?: {
        readonly records: RecurringStore;
    } | undefined;
}
type RecurringStore = Pick<OperatorRecordStore, 'insert' | 'get' | 'list' | 'change' | 'remove'>;
interface PutRecurringResult {
    readonly name: string;
    readonly was: 'new' | 'changed' | 'unchanged';
}
interface PauseRecurringOptions {
    readonly until?: Date | Duration | undefined;
    readonly reason?: string | undefined;
    readonly by?: string | undefined;
}
interface BackfillOptions {
    readonly from: Date | string;
    readonly to?: Date | string | undefined;
    readonly dryRun?: boolean | undefined;
}
interface BackfillResult {
    readonly ids: readonly string[];
    readonly present: number;
}
declare class RecurringRecords {
    constructor(options: RecurringRecordsOptions);
    put<Payload = unknown>(name: string, options: RecurringOptions<Payload>): Promise<PutRecurringResult>;
    get(name: string): Promise<RecurringRecord | undefined>;
    list(): AsyncGenerator<RecurringRecord>;
    remove(name: string): Promise<boolean>;
    pause(name: string, options?: PauseRecurringOptions): Promise<RecurringRecord>;
    resume(name: string): Promise<RecurringRecord>;
    runNow(name: string): Promise<InsertResult>;
    backfill(name: string, options: BackfillOptions): Promise<BackfillResult>;
}

interface RecurringProps {
    readonly schedule: string | Schedule$1 | ScheduleExpression;
    readonly timeZone?: string | TimeZone | undefined;
    readonly queue?: string | undefined;
    readonly task?: string | undefined;
    readonly key?: string | undefined;
    readonly payload?: unknown;
    readonly retry?: RetryPolicy | RetryLimits | undefined;
    readonly missed?: Missed | undefined;
    readonly startAt?: Date | string | undefined;
    readonly endAt?: Date | string | undefined;
    readonly jitter?: Duration$1 | undefined;
}

interface WorkerProps extends EntryFunctionProps {
    readonly entry?: string | undefined;
    readonly environment?: Readonly<Record<string, string>> | undefined;
    readonly handler?: IFunction | undefined;
}

type AnyTable = ITable | TableV2 | Table;
type AnyBus = IEventBus | EventBus;
interface BacklogProps extends FunctionProps {
    readonly queues: Readonly<Record<string, QueueProps>>;
    readonly workers?: Readonly<Record<string, WorkerProps>> | undefined;
    readonly table?: AnyTable | undefined;
    readonly controlTable?: AnyTable | undefined;
    readonly sharedBacklog?: ISharedBacklog | undefined;
    readonly standby?: boolean | undefined;
    readonly backlogName?: string | undefined;
    readonly primaryRegion?: string | undefined;
    readonly replicas?: readonly ReplicaTableProps[] | undefined;
    readonly replicaKeyArns?: Readonly<Record<string, string>> | undefined;
    readonly intake?: boolean | IntakeProps | undefined;
    readonly sweep?: boolean | undefined;
    readonly groupWrites?: boolean | undefined;
    readonly encryptionKey?: IKey | undefined;
    readonly deletionProtection?: boolean | undefined;
    readonly removalPolicy?: RemovalPolicy | undefined;
    readonly tableName?: string | undefined;
    readonly controlTableName?: string | undefined;
    readonly trigger?: 'rules' | 'scheduler' | undefined;
    readonly timeZone?: string | TimeZone | undefined;
    readonly metrics?: 'full' | 'essential' | 'off' | undefined;
    readonly alarms?: boolean | 'essential' | undefined;
    readonly minimal?: boolean | undefined;
    readonly alarmActions?: AlarmActions | undefined;
    readonly okActions?: AlarmActions | undefined;
    readonly runbookUrl?: string | undefined;
    readonly incidentBus?: AnyBus | undefined;
    readonly recordEvents?: RecordEventsProps | undefined;
    readonly groups?: boolean | undefined;
    readonly recurring?: Readonly<Record<string, RecurringProps>> | undefined;
    readonly completionUrl?: boolean | CompletionUrlProps | undefined;
    readonly compositeAlarm?: boolean | undefined;
    readonly dashboard?: boolean | undefined;
    readonly widget?: boolean | 'readOnly' | undefined;
}

interface BacklogAttributes {
    readonly tableName: string;
    readonly controlTableName: string;
    readonly redeliveryQueueArn?: string | undefined;
    readonly intakeRoleArn?: string | undefined;
    readonly encryptionKey?: IKey | undefined;
}
interface StackAttributes {
    readonly stackName: string;
    readonly backlogName?: string | undefined;
    readonly encryptionKey?: IKey | undefined;
}

declare abstract class BacklogMetrics extends Construct {
    abstract readonly table: ITable;
    abstract readonly intake: IFunction | undefined;
    protected abstract queueNames(): readonly string[] | undefined;
    metricAttempted(queue: string, options?: MetricOptions): Metric;
    metricSucceeded(queue: string, options?: MetricOptions): Metric;
    metricFailed(queue: string, options?: MetricOptions): Metric;
    metricDead(queue?: string, options?: MetricOptions): Metric;
    metricSnoozed(queue: string, options?: MetricOptions): Metric;
    metricPending(queue: string, options?: MetricOptions): Metric;
    metricCancelled(queue: string, options?: MetricOptions): Metric;
    metricUnknownTask(queue: string, options?: MetricOptions): Metric;
    metricProbes(queue: string, options?: MetricOptions): Metric;
    metricCaughtUp(queue: string, options?: MetricOptions): Metric;
    metricLag(queue: string, options?: MetricOptions): Metric;
    metricOldestDueAge(queue?: string, options?: MetricOptions): Metric;
    metricOldestPending(queue: string, options?: MetricOptions): Metric;
    metricOldestHeldAge(queue: string, options?: MetricOptions): Metric;
    metricWaiting(queue: string, options?: MetricOptions): Metric;
    metricDue(queue: string, options?: MetricOptions): Metric;
    metricInRetry(queue: string, options?: MetricOptions): Metric;
    metricDeadRecords(queue: string, options?: MetricOptions): Metric;
    metricKeyWaiting(queue: string, key?: string, options?: MetricOptions): Metric;
    metricKeyInRetry(queue: string, key?: string, options?: MetricOptions): Metric;
    metricFailing(queue?: string, options?: MetricOptions): Metric;
    metricIndexed(options?: MetricOptions): Metric;
    metricRepaired(options?: MetricOptions): Metric;
    metricUnknownQueue(options?: MetricOptions): Metric;
    metricRefused(options?: MetricOptions): Metric;
    metricRedelivered(options?: MetricOptions): Metric;
    metricNotIndexed(options?: MetricOptions): Metric;
    metricUnprocessed(options?: MetricOptions): Metric;
    metricSourcesStopped(options?: MetricOptions): Metric;
    metricRemovedQueueWaiting(options?: MetricOptions): Metric;
    metricIntakeAge(options?: MetricOptions): Metric | undefined;
}

interface GrantInsertOptions {
    readonly ids?: readonly string[] | undefined;
}

interface GrantRecurringOptions {
    readonly names?: readonly string[] | undefined;
}

type Metrics = Pick<BacklogMetrics, Extract<keyof BacklogMetrics, `metric${string}`>>;
interface IBacklog extends ISharedBacklog, Metrics {
    grantInsert(grantee: IGrantable, options?: GrantInsertOptions): Grant;
    grantInsertInOrder(grantee: IGrantable): Grant;
    grantRead(grantee: IGrantable): Grant;
    grantCancel(grantee: IGrantable): Grant;
    grantComplete(grantee: IGrantable): Grant;
    grantRecurring(grantee: IGrantable, options?: GrantRecurringOptions): Grant;
    grantGroups(grantee: IGrantable): Grant;
    grantOperate(grantee: IGrantable): Grant;
    grantWork(grantee: IGrantable): Grant;
    addQueue(name: string, props: QueueProps, options?: AddQueueOptions): IBacklog;
}
type AddQueueOptions = Omit<BacklogProps, 'queues' | 'workers' | 'sharedBacklog' | 'table' | 'controlTable' | 'tableName' | 'controlTableName' | 'backlogName' | 'primaryRegion' | 'replicas' | 'replicaKeyArns' | 'deletionProtection' | 'removalPolicy' | 'intake' | 'sweep' | 'recurring' | 'groups'>;
declare abstract class BacklogBase extends BacklogMetrics implements IBacklog {
    abstract readonly controlTable: ITable;
    abstract readonly redelivery: IQueue | undefined;
    abstract readonly intakeRole: IRole | undefined;
    protected abstract readonly writesSingly: boolean;
    abstract addQueue(name: string, props: QueueProps, options?: AddQueueOptions): IBacklog;
    grantInsert(grantee: IGrantable, options?: GrantInsertOptions): Grant;
    grantInsertInOrder(grantee: IGrantable): Grant;
    grantRead(grantee: IGrantable): Grant;
    grantCancel(grantee: IGrantable): Grant;
    grantComplete(grantee: IGrantable): Grant;
    grantRecurring(grantee: IGrantable, options?: GrantRecurringOptions): Grant;
    grantGroups(grantee: IGrantable): Grant;
    grantOperate(grantee: IGrantable): Grant;
    grantWork(grantee: IGrantable): Grant;
}

declare class Backlog extends BacklogBase implements IConnectable {
    static fromBacklogAttributes(scope: Construct, id: string, attributes: BacklogAttributes): IBacklog;
    static fromStack(scope: Construct, id: string, stack: StackAttributes): IBacklog;
    readonly table: ITable;
    readonly createdTable: CreatedTable | undefined;
    readonly controlTable: ITable;
    readonly createdControlTable: CreatedTable | undefined;
    readonly eventDlq: Queue;
    readonly redelivery: IQueue | undefined;
    readonly intakeRole: IRole | undefined;
    readonly scheduleDeadLetters: Queue | undefined;
    readonly rules: readonly Rule[];
    readonly schedules: readonly CfnSchedule[];
    readonly functions: Readonly<Record<string, IFunction>>;
    readonly createdFunctions: Readonly<Record<string, Function>>;
    readonly intake: Function | undefined;
    readonly sweep: Function | undefined;
    readonly recordEvents: Function | undefined;
    readonly completionFunction: Function | undefined;
    readonly completionUrl: FunctionUrl | undefined;
    readonly completionSecret: Secret | undefined;
    readonly monitor: Function | undefined;
    readonly disabledQueues: readonly string[];
    readonly alarms: readonly Alarm[];
    readonly compositeAlarm: CompositeAlarm | undefined;
    readonly dashboard: Dashboard | undefined;
    readonly widget: Function | undefined;
    readonly widgetActions: Function | undefined;
    protected readonly writesSingly: boolean;
    constructor(scope: Construct, id: string, props: BacklogProps);
    get connections(): Connections;
    addQueue(name: string, props: QueueProps, options?: AddQueueOptions): Backlog;
    grantWork(grantee: IGrantable): Grant;
    protected queueNames(): string[];
    workEnvironment(options?: WorkEnvironmentOptions): Record<string, string>;
    grantViewWidget(grantee: IGrantable): Grant;
    grantUseWidget(grantee: IGrantable): Grant;
}

interface BatchContext {
    readonly signal: AbortSignal;
    readonly logger: AttemptLogger;
    attemptOf(record: Pick<BacklogRecord, 'id'>): AttemptContext;
}
type RecordOutcome = TypedOutcome | Error | PromiseSettledResult<ProcessResult>;
type BatchResult = readonly RecordOutcome[] | ReadonlyMap<string, RecordOutcome> | BatchItemFailures;
interface BatchItemFailures {
    readonly batchItemFailures: readonly {
        readonly itemIdentifier: string;
    }[];
}
type ProcessBatch<Payload = unknown> = {
    of(records: readonly BacklogRecord<Payload>[], context: BatchContext): BatchResult | Promise<BatchResult>;
}['of'];
interface InBatches<Payload = unknown> {
    (record: BacklogRecord<Payload>, context: AttemptContext): Promise<ProcessResult>;
    (payload: Payload, context: TaskContext): Promise<ProcessResult>;
}

interface BatchOptions<Payload = unknown> extends BatchLimits {
    readonly by?: ((record: BacklogRecord<Payload>) => string) | undefined;
}
declare function inBatches<Payload = unknown>(processBatch: ProcessBatch<Payload>, options?: BatchOptions<Payload>): InBatches<Payload>;

declare function deliverByHttp(input: HttpDeliveryOptions): HttpDelivery;

interface LambdaContext {
    getRemainingTimeInMillis(): number;
    readonly awsRequestId?: string | undefined;
    readonly invokedFunctionArn?: string | undefined;
}

interface HandlerRequest {
    readonly event: unknown;
    readonly context: LambdaContext;
    response: unknown;
    readonly error: unknown;
    readonly internal: Record<string, unknown>;
}
interface HandlerMiddleware {
    before?(request: HandlerRequest): unknown;
    after?(request: HandlerRequest): unknown;
    onError?(request: HandlerRequest): unknown;
}
interface BacklogLambdaHandler {
    (event: unknown, context: LambdaContext): Promise<RunSummary>;
    use(middleware: HandlerMiddleware | readonly HandlerMiddleware[]): BacklogLambdaHandler;
    before(act: (request: HandlerRequest) => unknown): BacklogLambdaHandler;
    after(act: (request: HandlerRequest) => unknown): BacklogLambdaHandler;
    onError(act: (request: HandlerRequest) => unknown): BacklogLambdaHandler;
}

type AttemptTracing = (process: Process) => Process;
interface OpenTelemetryApi {
    readonly trace: {
        getTracer(name: string, version?: string): {
            startSpan(name: string, options: object, context: unknown): Span;
        };
        setSpan(context: unknown, span: unknown): unknown;
        setSpanContext(context: unknown, spanContext: SpanContext): unknown;
        getSpanContext(context: unknown): SpanContext | undefined;
    };
    readonly context: {
        active(): unknown;
        with<Result>(context: unknown, act: () => Result): Result;
    };
}
interface Span {
    spanContext(): SpanContext;
    setAttribute(name: string, value: string): unknown;
    setStatus(status: {
        code: number;
    }): unknown;
    end(): void;
}
interface SpanContext {
    readonly traceId: string;
    readonly spanId: string;
    readonly traceFlags: number;
    readonly isRemote?: boolean;
}
declare function openTelemetry(api: OpenTelemetryApi): AttemptTracing;

interface HandlerDeps<Store extends BacklogStore = BacklogStore> {
    readonly store: Store;
    readonly clock: Clock;
    readonly random: Random;
}

interface HandlerLogger {
    debug(message: string, extra: Record<string, unknown>): void;
    info(message: string, extra: Record<string, unknown>): void;
    warn(message: string, extra: Record<string, unknown>): void;
    error(message: string, extra: Record<string, unknown>): void;
    error(message: string, extra: Error): void;
}

type EmitMetrics = (summary: RunSummary, table: string) => void;

interface HandlerSeams extends Partial<HandlerDeps> {
    readonly logger?: HandlerLogger | undefined;
    readonly env?: Readonly<Record<string, string | undefined>> | undefined;
    readonly emit?: EmitMetrics | undefined;
    readonly run?: typeof run | undefined;
}
type LambdaFunction = (event: never, context: never, callback: never) => unknown;

interface BacklogHandlerOptions extends HandlerSeams, QueueOptions<Duration> {
    readonly queue?: string | undefined;
    readonly queues?: QueuesChoice | undefined;
    readonly process?: Process | undefined;
    readonly tasks?: readonly Task[] | undefined;
    readonly retry?: RetryPolicy | RetryFunction | undefined;
    readonly deadOn?: DeadOn | undefined;
    readonly history?: HistoryOptions | undefined;
    readonly destination?: DestinationOf | undefined;
    readonly tracing?: AttemptTracing | undefined;
}
declare function backlogHandler(options: BacklogHandlerOptions): BacklogLambdaHandler;

interface CompletionUrlOptions {
    readonly answers?: Readonly<Record<string, 'complete' | 'fail' | 'heartbeat'>> | undefined;
    readonly question?: string | undefined;
    readonly by?: string | undefined;
    readonly url?: string | undefined;
}
declare function completionUrl(id: string, token: string, options?: CompletionUrlOptions): Promise<string>;

interface RecordGroupsOptions extends ConnectionOptions {
    readonly table: string;
    readonly controlTable: string;
    readonly indexAtOnce?: boolean | readonly string[] | undefined;
    readonly store?: RecordGroupsStore | undefined;
}
interface RecordGroupsStore {
    readonly records: Pick<OperatorRecordStore, 'insert' | 'get' | 'change' | 'getItems'>;
    readonly groups: SharedItems;
}
interface GroupRecord extends Omit<NewRecord, 'id' | 'payload' | 'seq' | 'insertedAt' | 'availableAt'> {
    readonly payload?: Readonly<Record<string, unknown>> | undefined;
}
interface GroupOptions extends Pick<InsertManyOptions, 'concurrency' | 'onProgress' | 'signal'> {
    readonly onComplete: GroupRecord;
    readonly onFirstDeath?: GroupRecord | undefined;
    readonly deadMembers?: 'end' | 'hold' | undefined;
    readonly timeout?: Duration | undefined;
    readonly seal?: boolean | undefined;
}

interface InsertGroupResult extends InsertManyResult {
    readonly state: Group['state'];
}
declare class RecordGroups {
    constructor(options: RecordGroupsOptions);
    insert<Input, Priority extends string>(id: string, task: Task<Input, unknown, Priority>, payloads: Source<TaskEntry<NoInfer<Input>, NoInfer<Priority>>>, options: GroupOptions): Promise<InsertGroupResult>;
    insert(id: string, records: Source<NewRecord>, options: GroupOptions): Promise<InsertGroupResult>;
    seal(id: string): Promise<Group['state']>;
    get(id: string): Promise<Group | undefined>;
    list(): AsyncGenerator<Group>;
    waiting(id: string): AsyncGenerator<string>;
    check(id: string): Promise<Group | undefined>;
}

interface Entry {
    readonly id: string;
    readonly seq: number;
}

interface LineName {
    readonly queue: string;
    readonly key: string;
}

interface RecordLine {
    readonly queue: string;
    readonly key: string;
    readonly next: number;
    readonly state: 'attempting' | 'retrying' | 'dead' | 'missing' | 'ending' | 'starting' | 'idle';
    readonly head?: {
        readonly id: string;
        readonly seq: number;
        readonly dueAt?: string | undefined;
        readonly error?: string | undefined;
        readonly diedAt?: string | undefined;
    } | undefined;
    readonly waiting: number;
    readonly hasMore: boolean;
    readonly missing?: {
        readonly seq: number;
        readonly since: string;
    } | undefined;
    readonly leftOut?: {
        readonly from: number;
        readonly to: number;
        readonly at: string;
    } | undefined;
}

interface HeldKeys {
    readonly keys: readonly string[];
    readonly hasMore: boolean;
}

interface RecordLinesOptions extends ConnectionOptions {
    readonly table: string;
    readonly controlTable: string;
    readonly store?: RecordLinesStore | undefined;
}
interface RecordLinesStore {
    readonly records: Pick<RecordStore, 'get'>;
    readonly lines: SharedItems;
    readonly numbered: NumberedInserts;
}

interface InsertLinesOptions {
    readonly signal?: AbortSignal | undefined;
    readonly onProgress?: ((progress: InsertProgress) => void) | undefined;
}
declare class RecordLines {
    constructor(options: RecordLinesOptions);
    insert<Input, Priority extends string>(task: Task<Input, unknown, Priority>, payloads: Source<TaskEntry<NoInfer<Input>, NoInfer<Priority>>>, options?: InsertLinesOptions): Promise<InsertManyResult>;
    insert(records: Source<NewRecord>, options?: InsertLinesOptions): Promise<InsertManyResult>;
    get(name: LineName): Promise<RecordLine | undefined>;
    waiting(name: LineName): AsyncGenerator<Entry>;
    list(queue: string): AsyncGenerator<RecordLine>;
    held(queue: string): Promise<HeldKeys>;
}

interface Cause {
    readonly error: string;
    readonly status?: number | undefined;
    readonly host?: string | undefined;
}
type Failure = Pick<ErrorEntry, 'name' | 'message'>;
declare function errorText({ error, status }: Cause): string;
declare function causeText(cause: Cause): string;
declare function hasCause(failure: Failure | undefined, text: string): boolean;

declare function shortened(text: string, most: number): string;

interface AlarmOn {
    readonly id: string;
    readonly name: string;
    readonly level: 'page' | 'ticket';
    readonly queue: string | undefined;
    readonly since: number;
    readonly muted?: {
        readonly until?: number | undefined;
        readonly note: string;
    } | undefined;
}
declare function alarmText({ level, id, since, muted }: AlarmOn, now: number): string;
declare function muteText({ until, note }: NonNullable<AlarmOn['muted']>, now: number): string;

interface LaneBeginning {
    readonly entries: number;
    readonly more: boolean;
}
interface OverviewStats extends QueueStats {
    readonly counted: 'exact' | 'about' | 'atLeast';
    readonly countedAt?: string | undefined;
    readonly lastDueAt?: string | undefined;
    readonly firstDeadAt?: string | undefined;
    readonly lastDeadAt?: string | undefined;
    readonly lanes: readonly string[];
    readonly beginnings?: ReadonlyMap<string, LaneBeginning> | undefined;
    readonly busyKeys?: readonly BusyKey[] | undefined;
    readonly inRetry?: number | undefined;
    readonly reading: Reading | undefined;
}

type Exactness = OverviewStats['counted'];
interface Stratum {
    readonly queue: string;
    readonly dead: boolean;
    readonly total: number;
    readonly counted?: Exactness | undefined;
    readonly failed?: number | undefined;
    readonly records: readonly BacklogRecord[];
}

interface FailureCounts {
    readonly retry: number;
    readonly dead: number;
}
interface Times {
    readonly firstAt: number | undefined;
    readonly lastAt: number | undefined;
}
interface FailureExample {
    readonly id: string;
    readonly queue: string;
    readonly stack: string | undefined;
}
interface FailurePattern extends FailureCounts, Times {
    readonly pattern: string;
    readonly examples: readonly FailureExample[];
}
interface FailureCause extends FailureCounts, Times {
    readonly cause: Cause;
    readonly counted: Exactness;
    readonly ages: {
        readonly retry: readonly number[];
        readonly dead: readonly number[];
    };
    readonly hours: readonly number[];
    readonly queues: readonly (FailureCounts & Times & {
        readonly queue: string;
    })[];
    readonly patterns: readonly FailurePattern[];
    readonly morePatterns: number;
}
interface FailureAge {
    readonly label: string;
    readonly within: string;
    readonly before: string;
    readonly untilMs: number;
}
declare const AGES: readonly FailureAge[];
declare function causesOf(strata: readonly Stratum[], now: number): FailureCause[];
declare function sumOf({ retry, dead }: FailureCounts): number;

declare const CONDITIONS: readonly ['breaker', 'failing', 'late', 'unserved', 'held', 'paused', 'recovering', 'dead', 'working', 'waiting', 'quiet'];
type Condition = (typeof CONDITIONS)[number];
interface Look {
    readonly tone: 'amber' | 'dead' | 'run' | 'new' | 'ok';
    readonly icon: 'breaker' | 'fail' | 'warn' | 'paused' | 'dead' | 'run' | 'new' | 'ok';
    readonly word: string;
}
declare const LOOKS: Readonly<Record<Condition, Look>>;
declare const SENTENCE_ICONS: Readonly<Record<'ok' | 'run' | 'unknown' | 'amber' | 'dead', Look['icon']>>;

interface RuntimeKnowledge {
    status(): QueuesAndRules;
    minutesOf(queue: string): readonly MinuteCount[];
    lastRunOf(rule: string): RunReport | undefined;
}
interface QueuesAndRules {
    readonly queues: readonly QueueStatus[];
    readonly rules: readonly RuleStatus[];
    readonly troubles?: readonly RunTrouble[] | undefined;
    readonly askedSpeed?: number | undefined;
}
interface QueueStatus {
    readonly name: string;
    readonly retryMode?: RetryMode | undefined;
    readonly unserved?: true | undefined;
    readonly policy?: string | undefined;
    readonly table: string;
    readonly NEW: number;
    readonly ERROR: number;
    readonly SUCCESS: number;
    readonly DEAD: number;
    readonly nextRunAt?: string | undefined;
}
interface RuleStatus {
    readonly id: string;
    readonly label: string;
    readonly expression: string;
    readonly queues: readonly string[];
    readonly tier?: number | undefined;
    readonly timeZone?: string | undefined;
    readonly enabled: boolean;
    readonly nextAt?: string | undefined;
    readonly fired: number;
    readonly late: number;
    readonly failed: number;
    readonly givenUp: number;
    readonly failedInARow?: number | undefined;
}
interface RunTrouble {
    readonly text: string;
    readonly isRepeated: boolean;
    readonly queues: readonly string[];
}
interface RunReport {
    readonly at: string;
    readonly rule: string;
    readonly label: string;
    readonly outcome: 'ok' | 'error' | 'exited' | 'timedOut' | 'givenUp';
    readonly text: string;
    readonly idle: boolean;
    readonly coalesced: number;
    readonly durationMs: number;
    readonly summary?: RunSummary | undefined;
}
interface MinuteCount {
    readonly at: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly succeededSince?: number | undefined;
}

interface OverviewDeps {
    readonly backlog: BacklogOperatorOptions;
    readonly queues?: (() => readonly KnownQueue[]) | undefined;
    readonly deployed?: readonly KnownQueue[] | undefined;
    readonly countsForMs?: number | undefined;
    readonly runtime?: RuntimeKnowledge | undefined;
}
interface KnownQueue {
    readonly name: string;
    readonly retry?: RetryPolicy | undefined;
    readonly retryMode?: RetryMode | undefined;
}

type ServingFacts = {
    readonly app: readonly string[];
} | {
    readonly registry: Pick<Registry, 'queues'>;
    readonly states: ReadonlyMap<string, Pick<QueueState, 'retryMode'>>;
    readonly deployed?: ReadonlySet<string> | undefined;
    readonly now: number;
};
declare class Serving {
    constructor(facts: ServingFacts | undefined);
    isUnserved(queue: string): boolean;
    meant(queue: string): string | undefined;
}

interface Counts {
    readonly stats: OverviewOfQueues;
    readonly leases: ReadonlyMap<string, LeaseState>;
    readonly expired?: ReadonlyMap<string, LeaseState> | undefined;
    readonly successes?: ReadonlyMap<string, number> | undefined;
    readonly states: ReadonlyMap<string, QueueState>;
    readonly heldLines?: ReadonlyMap<string, HeldCount> | undefined;
    readonly jobs?: ReadonlyMap<string, Item> | undefined;
    readonly serving?: Serving | undefined;
    readonly passive?: PassiveRegion | undefined;
    readonly readAt: number;
    readonly readUnits: number;
}
interface PassiveRegion {
    readonly region: string;
    readonly active: string;
}
interface OverviewOfQueues {
    readonly at: string;
    readonly queues: readonly OverviewStats[];
}
interface LatestCounts {
    readonly counts: Counts | undefined;
    readonly error: unknown;
}
interface ExactCounts {
    readonly queues?: readonly string[] | undefined;
}
declare class CountsReader {
    constructor(deps: OverviewDeps, patience?: AbortSignal | undefined, exact?: ExactCounts | undefined);
    read(): Promise<LatestCounts>;
    known(): LatestCounts;
    forget(): void;
}

interface RecentAttempts {
    readonly succeeded: number;
    readonly failed: number;
    readonly minutes: number;
}
declare function attemptsWithin(counts: readonly MinuteCount[], minutes: number, now: number): RecentAttempts;
declare function latestMinutes(speed: number): number;
interface FailingAttempts extends RecentAttempts {
    readonly since: number;
}
declare function failingAttempts(counts: readonly MinuteCount[], now: number, speed: number): FailingAttempts | undefined;

interface LostRuns {
    readonly count: number;
    readonly leftSince: number | undefined;
}

interface QueueFailures {
    readonly failing: FailingAttempts | undefined;
    readonly failingSeconds?: number | undefined;
    readonly failingGroups?: FailingNow['groups'] | undefined;
    readonly earlyNotes?: FailingNow['groups'] | undefined;
    readonly unknownGroups?: FailingNow['groups'] | undefined;
    readonly isFailing: boolean;
    readonly backAt?: number | undefined;
    readonly failedSince?: number | undefined;
    readonly endedOutages?: readonly PastOutage[] | undefined;
}
interface LatestSuccess {
    readonly at: number;
    readonly isOld: boolean;
}

interface OpenBreaker extends Pick<BreakerState, 'since' | 'until'> {
    readonly destination: string;
}
interface QueueView extends QueueFailures {
    readonly stats: OverviewStats;
    readonly condition: Condition;
    readonly unserved?: {
        readonly meant: string | undefined;
    } | undefined;
    readonly held?: HeldCount | undefined;
    readonly neverServed?: boolean | undefined;
    readonly inRetry: number | undefined;
    readonly retryCounted: OverviewStats['counted'];
    readonly lastSuccess?: LatestSuccess | undefined;
    readonly recent: Pick<RecentAttempts, 'succeeded' | 'failed'> | undefined;
    readonly minutes: readonly MinuteCount[] | undefined;
    readonly isLate: boolean;
    readonly breakers: readonly OpenBreaker[];
    readonly leases: readonly {
        readonly key: string;
        readonly holder: string;
        readonly until: number;
    }[];
    readonly lostRuns?: LostRuns | undefined;
    readonly nextRunAt: string | undefined;
}
interface IncidentQueue extends Pick<QueueView, 'condition' | 'breakers' | 'failingGroups' | 'unknownGroups' | 'earlyNotes' | 'failing' | 'backAt' | 'failedSince' | 'endedOutages'> {
    readonly stats: Pick<QueueView['stats'], 'queue' | 'pending'> & Partial<Pick<QueueView['stats'], 'dead' | 'lastDueAt' | 'firstDeadAt' | 'lastDeadAt' | 'retryMode' | 'reading'>>;
}
interface RuleView {
    readonly rule: RuleStatus;
    readonly last: RunReport | undefined;
    readonly missed: boolean;
}
interface Snapshot {
    readonly now: number;
    readonly queues: readonly QueueView[] | undefined;
    readonly rules: readonly RuleView[];
    readonly troubles?: readonly RunTrouble[] | undefined;
    readonly passive?: PassiveRegion | undefined;
    readonly alarms?: readonly AlarmOn[] | undefined;
}
declare function snapshotOf(deps: OverviewDeps, counts: Counts | undefined, now: number): Snapshot;

declare function troublesOf(snapshot: Snapshot): string[];

declare const COUNT_SIGNS: Readonly<Record<OverviewStats['counted'], string>>;
declare function waitText({ pending, counted }: Pick<OverviewStats, 'pending' | 'counted'>): string;
declare function leastExact(queues: readonly Pick<OverviewStats, 'counted'>[]): OverviewStats['counted'];
interface Shown {
    readonly stats: OverviewStats;
    readonly retryCounted?: OverviewStats['counted'] | undefined;
}
declare function signsText(queues: readonly Shown[], now: number): string[];

declare function explainRead(error: unknown): string;

declare function clockText(ms: number, now: number): string;
declare function minuteText(ms: number, now: number): string;
declare function fullClock(ms: number): string;
declare function relative(ms: number, now: number): string;
declare function count(number: number): string;
declare function counted(number: number, noun: string): string;
declare function records(number: number, kind?: string): string;
declare function bytes(number: number): string;
declare function names(all: readonly string[]): string;
declare function units(readUnits: number): string;

declare const STROKES: Readonly<Record<Look['icon'] | 'retry', string>>;

declare const STATES: readonly ['failing', 'unknown', 'recovering', 'dead'];
type IncidentState = (typeof STATES)[number];
interface Incident<Queue extends IncidentQueue = QueueView> {
    readonly id: string;
    readonly state: IncidentState;
    readonly destinations: readonly string[];
    readonly queues: readonly Queue[];
    readonly queuesBack: readonly Queue[];
    readonly since: number | undefined;
    readonly lastFailureAt: number | undefined;
    readonly lastSuccessAt: number | undefined;
    readonly backAt: number | undefined;
    readonly breakerSince: number | undefined;
    readonly lastDueAt: number | undefined;
    readonly probeAt: number | undefined;
    readonly cause: Cause | undefined;
    readonly attempts: RecentAttempts | undefined;
    readonly alarms?: readonly AlarmOn[] | undefined;
}
interface EndedIncident<Queue extends IncidentQueue = QueueView> extends Pick<Incident<Queue>, 'destinations' | 'queues' | 'cause'> {
    readonly id: string;
    readonly since: number;
    readonly endedAt: number;
}
declare function incidentsOf<Queue extends IncidentQueue>(queues: readonly Queue[], alarms?: readonly AlarmOn[]): Incident<Queue>[];
declare function endedIncidents<Queue extends IncidentQueue>(queues: readonly Queue[]): EndedIncident<Queue>[];
declare function goesOn({ state }: Pick<Incident, 'state'>): boolean;

declare function incidentName({ destinations, queues, cause, }: Pick<Incident, 'destinations' | 'queues' | 'cause'>): string;
declare function incidentText(incident: Incident, now: number): string;
declare function attemptsText({ attempts }: Pick<Incident, 'attempts'>): string;
declare function nextProbe({ probeAt, breakerSince }: Pick<Incident, 'probeAt' | 'breakerSince'>, now: number): number | undefined;
declare function endedText(ended: EndedIncident, now: number): string;

interface KeyCounts {
    readonly key: string | undefined;
    readonly waiting: number;
    readonly retry: number;
    readonly dead: number;
    readonly counted: Exactness;
    readonly examined: number;
    readonly oldestAt: number | undefined;
    readonly cause: Cause | undefined;
    readonly queues: readonly string[];
    readonly busyUntil: number | undefined;
    readonly paused?: readonly {
        readonly queue: string;
        readonly pause: KeyPause;
    }[] | undefined;
}
declare function keysOf(strata: readonly Stratum[], queues: readonly Pick<OverviewStats, 'queue' | 'busyKeys' | 'pausedKeys'>[], now: number): KeyCounts[];

interface LaneTotal {
    readonly lane: string;
    readonly total: number;
    readonly counted: OverviewStats['counted'];
}
declare function laneTotals(lanes: readonly string[], { total, counted }: Omit<LaneTotal, 'lane'>, beginnings: NonNullable<OverviewStats['beginnings']>): LaneTotal[];

type Pause = Pick<QueueStats, 'paused' | 'pausedUntil' | 'pauseReason' | 'pausedBy'>;
declare function pauseNote({ pausedUntil, pauseReason, pausedBy }: Pause, now: number): string;
declare function keyPauseNote({ until, reason, by }: KeyPause, now: number): string;
declare function pausedKeysText(pausedKeys: readonly KeyPause[] | undefined, now: number): string;

interface ReadBudget {
    readonly records: number;
    readonly units: number;
    readonly entries: number;
}
declare function affordable(left: number, { read, spent }: {
    readonly read: number;
    readonly spent: number;
}): number;
declare function readWithin(tables: Pick<Tables, 'open'>, ids: readonly string[], mostUnits: number): Promise<{
    readonly records: readonly BacklogRecord[];
    readonly readUnits: number;
}>;

interface Sample {
    readonly strata: readonly Stratum[];
    readonly readUnits: number;
}
type SampledQueue = Pick<OverviewStats, 'queue' | 'counted' | 'pending' | 'dead' | 'lanes' | 'busyKeys' | 'beginnings'>;
declare function sampleRecords(tables: Pick<Tables, 'open' | 'clock'>, queues: readonly SampledQueue[], budget: ReadBudget): Promise<Sample>;

interface Sentence {
    readonly tone: 'ok' | 'run' | 'unknown' | 'amber' | 'dead';
    readonly title: string;
    readonly details: readonly string[];
}
declare function sentenceOf(snapshot: Snapshot, error?: string): Sentence;

declare function tiersOf(policy: RetryPolicy | undefined): readonly Tier<number>[];

interface TestRecord extends BacklogRecord {
    readonly nextAttemptAt?: Date | undefined;
    readonly readAt: Date;
}
interface RecordFilter {
    readonly queue?: string | undefined;
    readonly status?: BacklogRecord['status'] | undefined;
    readonly task?: string | Pick<Task, 'name'> | undefined;
    readonly key?: string | undefined;
}

interface DeadExpectation {
    readonly error?: string | RegExp | undefined;
    readonly reason?: string | RegExp | undefined;
}
interface WaitingExpectation {
    readonly for?: Duration | undefined;
    readonly until?: Date | string | undefined;
    readonly within?: Duration | undefined;
}
interface RecordExpectation extends RecordFilter {
    readonly id?: string | undefined;
    readonly payload?: unknown;
}

interface Finding {
    readonly type: 'ignoredSignal' | 'failedAgain' | 'changedRecord' | 'pollutedPrototype' | 'lostResult' | 'unknownTask';
    readonly id: string;
    readonly queue: string;
    readonly attempt: number;
    readonly message: string;
}
declare class HandlerFindingError extends Error {
    readonly findings: readonly Finding[];
    readonly name = "HandlerFindingError";
    constructor(findings: readonly Finding[]);
}
declare class NotIdempotentError extends Error {
    readonly first: unknown;
    readonly second: unknown;
    readonly name = "NotIdempotentError";
    constructor(message: string, first: unknown, second: unknown);
}

interface LogEntry {
    readonly level: 'debug' | 'info' | 'warn' | 'error';
    readonly message: string;
    readonly extra: Readonly<Record<string, unknown>>;
}

interface TestQueue extends Pick<BacklogHandlerOptions, 'deadOn' | 'destination' | 'history' | keyof QueueOptions>, Pick<LaneOptions, 'shards'>, OrderOptions<Duration> {
    readonly handler?: BacklogLambdaHandler | LambdaFunction | undefined;
    readonly process?: Process | undefined;
    readonly tasks?: readonly Task[] | undefined;
    readonly deliverTo?: string | Pick<HttpDeliveryOptions, 'url' | 'method' | 'answers' | 'requestTimeout'> | undefined;
    readonly retry?: RetryPolicy | RetryFunction | undefined;
    readonly progressive?: true | {
        readonly tiers?: readonly Tier[] | undefined;
        readonly maxAttempts?: number | undefined;
    } | undefined;
    readonly firstAttempt?: 'onInsert' | 'scheduled' | undefined;
    readonly weight?: number | undefined;
}
interface TestBacklogOptions {
    readonly queues: Readonly<Record<string, TestQueue>>;
    readonly recurring?: Readonly<Record<string, RecurringOptions>> | undefined;
    readonly now?: Date | string | number | undefined;
    readonly timeout?: Duration | undefined;
    readonly grace?: Duration | undefined;
    readonly seed?: number | undefined;
    readonly attemptEachTwice?: boolean | undefined;
    readonly throwFindings?: boolean | undefined;
}

interface AttemptSummary {
    readonly attempted: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly dead: number;
    readonly snoozed: number;
    readonly pending: number;
    readonly cancelled: number;
}

interface BareItem {
    readonly id?: string | undefined;
    readonly payload?: unknown;
    readonly queue?: string | undefined;
    readonly task?: string | undefined;
    readonly key?: string | undefined;
    readonly [attribute: string]: unknown;
}
declare class TestBacklog {
    readonly client: BacklogClient;
    readonly operator: BacklogOperator;
    readonly recurring: RecurringRecords;
    readonly groups: RecordGroups;
    readonly lines: RecordLines;
    constructor(options: TestBacklogOptions);
    get now(): Date;
    get findings(): readonly Finding[];
    get logs(): readonly LogEntry[];
    insert(item: BareItem): Promise<string>;
    redirectClients(): () => void;
    drain(): Promise<AttemptSummary>;
    advance(duration: Duration): Promise<AttemptSummary>;
    advanceTo(time: Date | string): Promise<AttemptSummary>;
    runUntilSettled(limit?: Duration): Promise<AttemptSummary>;
    record(id: string): TestRecord;
    records(filter?: RecordFilter): TestRecord[];
    token(id: string): string;
    history(id: string): readonly HistoryEntry[];
    recordEvent(id: string, include?: readonly EventPart[]): RecordEventDetail | undefined;
    groupEvent(id: string): GroupEventDetail | undefined;
    redeliver(id: string): Promise<AttemptSummary>;
    expectIdempotent(id: string, effects: () => unknown): Promise<void>;
}
declare function testBacklog(options: TestBacklogOptions): TestBacklog;

declare function assertSucceeded(record: TestRecord): void;
declare function assertDead(record: TestRecord, expected?: DeadExpectation): void;
declare function assertWaiting(record: TestRecord, expected?: WaitingExpectation): void;
declare function assertInserted(backlog: TestBacklog, expected?: RecordExpectation): void;

type Fake<Result> = (...args: readonly unknown[]) => Promise<Result>;
declare function failTimes<Result = void>(times: number, error?: Error, then?: (...args: readonly unknown[]) => Result | Promise<Result>): Fake<Result>;
declare function retryAfter(wait: Duration, times?: number): Fake<void>;
declare function hang({ ignoreSignal }?: {
    readonly ignoreSignal?: boolean;
}): Fake<never>;
type FakeAnswer = number | Error | 'hang' | {
    readonly status?: number | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly body?: unknown;
};
interface FakeRequest {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
}
type FakeFetch = typeof fetch & {
    readonly requests: readonly FakeRequest[];
};
declare function fakeFetch(...answers: readonly FakeAnswer[]): FakeFetch;

interface BacklogMatchers<Result = unknown> {
    toHaveSucceeded(): Result;
    toBeDead(expected?: DeadExpectation): Result;
    toBeWaiting(expected?: WaitingExpectation): Result;
    toHaveBeenInserted(expected?: RecordExpectation): Result;
}
interface MatcherResult {
    readonly pass: boolean;
    readonly message: () => string;
}
interface MatcherContext {
    readonly isNot?: boolean | undefined;
}
declare const backlogMatchers: {
    toHaveSucceeded(this: MatcherContext, received: unknown): MatcherResult;
    toBeDead(this: MatcherContext, received: unknown, expected?: DeadExpectation): MatcherResult;
    toBeWaiting(this: MatcherContext, received: unknown, expected?: WaitingExpectation): MatcherResult;
    toHaveBeenInserted(this: MatcherContext, received: unknown, expected?: RecordExpectation): MatcherResult;
};
declare global {
    namespace jest {
        interface Matchers<R, T = {}> extends BacklogMatchers<R> {
        }
    }
}

interface PerformOptions {
    readonly id?: string | undefined;
    readonly attempt?: number | undefined;
    readonly record?: Partial<BacklogRecord> | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly timeout?: Duration | undefined;
}
interface PerformResult {
    readonly outcome: 'succeeded' | 'failed' | 'dead' | 'snoozed' | 'pending' | 'cancelled';
    readonly error?: unknown;
    readonly result?: unknown;
    readonly again?: Date | undefined;
    readonly reason?: string | undefined;
    readonly waitSeconds?: number | undefined;
    readonly logs: readonly LogEntry[];
}
declare function perform<Input>(task: Task<Input, unknown, string>, payload: NoInfer<Input>, options?: PerformOptions): Promise<PerformResult>;
declare function perform(process: Process, payload: unknown, options?: PerformOptions): Promise<PerformResult>;

export {
    AGES,
    BUNDLE_METADATA,
    Backlog,
    BacklogClient,
    BacklogOperator,
    CLOCK_SKEW_MS,
    CLOCK_TOLERANCE_MS,
    CONDITIONS,
    CONTRACT_ATTRIBUTES,
    COUNT_SIGNS,
    Cancel,
    ConfigurationError,
    CountsReader,
    DEFAULT_QUEUE,
    DEFAULT_TIERS,
    DUE_INDEX,
    Dead,
    Done,
    DynamoDbOperatorStore,
    DynamoDbStore,
    DynamoDbSweepStore,
    EVENT_SOURCE,
    GAUGE_FIELDS,
    GROUPS_SCAN,
    GROUP_EVENT_TYPE,
    GaugeReader,
    GroupPage,
    HandlerFindingError,
    InsertInterruptedError,
    InvalidRecordError,
    Jobs,
    LANES_AT_ONCE,
    LAST_TIME,
    LOCAL_CONTEXT,
    LOOKS,
    LaneIndex,
    MEMBER_ATTRIBUTE,
    MEMBER_STATES,
    METADATA_KEY,
    METADATA_VERSION,
    MISSED,
    MemoryStore,
    NotIdempotentError,
    OperationInterruptedError,
    PAGE_MEMBERS,
    POLICY_TYPES,
    PageTurns,
    Pending,
    QUEUE_DEFAULTS,
    QUEUE_GAUGES,
    QUEUE_NAME,
    QUEUE_PATTERN,
    RECURRING_QUEUE,
    RateLimiter,
    RecordGroups,
    RecordLines,
    RecurringRecords,
    RetryAfter,
    SENTENCE_ICONS,
    STATUSES,
    STROKES,
    Serving,
    SettleGroups,
    Snooze,
    StoreAccessError,
    StoreError,
    StoreThrottledError,
    StoreUnavailableError,
    TIMES,
    TOKEN,
    Tables,
    TestBacklog,
    VERSION,
    VirtualTime,
    WaitTimeoutError,
    Writes,
    affordable,
    age,
    alarmText,
    areEqual,
    assertDead,
    assertInserted,
    assertSucceeded,
    assertWaiting,
    attemptsText,
    attemptsWithin,
    backlogHandler,
    backlogMatchers,
    bornAt,
    bytes,
    cancelReasonOf,
    caughtUpBy,
    causeText,
    causesOf,
    checkGroupId,
    clockText,
    completionOf,
    completionUrl,
    contract_d,
    count,
    countFirings,
    counted,
    createDynamoDbClient,
    deadLane,
    decideRetry,
    defineTask,
    deliverByHttp,
    describeGroup,
    describeSchedule,
    detailTypeOf,
    didYouMean,
    duePartsOf,
    endKeyPause,
    endedGroup,
    endedIncidents,
    endedText,
    errorText,
    explainRead,
    failTimes,
    failingAttempts,
    fakeFetch,
    firstDeathRecordId,
    firstTryAt,
    fullClock,
    goesOn,
    groupEndOf,
    groupEvent,
    groupReads,
    hang,
    hasCause,
    hash32,
    inBatches,
    incidentName,
    incidentText,
    incidentsOf,
    indexChange,
    indexWhenFree,
    intercepted,
    isCancelled,
    isExpired,
    isHeld,
    isHeld$1,
    isId,
    isIdle,
    isLaneOf,
    isLimitsOnly,
    isLost,
    isMisindexed,
    isNewer,
    isNotIndexed,
    isOfOneRecord,
    isOfStore,
    isPassiveBy,
    isPending,
    isPlainObject,
    isPutOffByPause,
    isRegion,
    isRevived,
    isSameValue,
    isUnderAttempt,
    itemBytes,
    jsonOf,
    keyPauseNote,
    keyPausesNow,
    keysOf,
    lambdaImage,
    laneOfBusy,
    laneTotals,
    lanesInUse,
    lanesOf,
    latestMinutes,
    latestOccurrences,
    leastExact,
    limited,
    listed,
    loadLimits,
    maxAttemptsPerHour,
    mergeInto,
    minuteText,
    monitoredQueue,
    muteText,
    nameOf,
    names,
    nearest,
    nextAttemptAt,
    nextOccurrence,
    nextOccurrences,
    nextProbe,
    notReadyText,
    observeQueues,
    occurrenceId,
    occurrenceOf,
    openGroups,
    openTelemetry,
    outsideWaitOf,
    ownLaneOf,
    parseDeliveryUrl,
    parseDuration,
    parseJob,
    parseNumber,
    parseOptions,
    parsePause,
    parseRecord,
    parseSchedule,
    parseSchedulerExpression,
    parseSelection,
    parseWeights,
    patiently,
    pauseNote,
    pausedKeysText,
    perform,
    phaseOf,
    placeOf,
    randomToken,
    readJson,
    readWithin,
    recordEvent,
    records,
    redactionOf,
    redrive,
    relative,
    removedSince,
    resolveBreaker,
    resolvePolicy,
    restOf,
    retryAfter,
    retryDecider,
    run,
    sampleRecords,
    scaledClock,
    scannedItem,
    scheduleId,
    seededRandom,
    selectedQueues,
    sentenceOf,
    shortened,
    show,
    signsText,
    snapshotOf,
    sumOf,
    sweep,
    systemClock,
    systemRandom,
    testBacklog,
    tierBands,
    tiersOf,
    toAttributes,
    toIso,
    traceIdOf,
    triesOf,
    troublesOf,
    undoRefusal,
    units,
    waitOf,
    waitText,
    withoutDeadEnding,
    withoutTrailing,
    withoutUrlSecrets,
};
export type {
    ActionName,
    ActionResult,
    AddQueueOptions,
    AlarmActions,
    AlarmOn,
    Answers,
    AttemptContext,
    AttemptLogger,
    AttemptSummary,
    AttemptTracing,
    Attributes,
    AwaitedFault,
    BackfillOptions,
    BackfillResult,
    BacklogAttributes,
    BacklogClientOptions,
    BacklogDescription,
    BacklogHandlerOptions,
    BacklogLambdaHandler,
    BacklogMatchers,
    BacklogOperatorOptions,
    BacklogProps,
    BacklogRecord,
    BacklogStore,
    BareItem,
    BatchContext,
    BatchItemFailures,
    BatchLimits,
    BatchOptions,
    Bounds,
    BreakerMemory,
    BreakerOptions,
    BundleDescription,
    BusyKey,
    CancelOptions,
    CancelResult,
    Cause,
    Clock,
    ClockSetting,
    Completion,
    CompletionResult,
    CompletionUrlOptions,
    CompletionUrlProps,
    Condition,
    Counts,
    DeadExpectation,
    Definition,
    Delay,
    DeliveryBatch,
    DeliveryDescription,
    DeliveryProps,
    DescribedQueue,
    DoneOptions,
    DuePart,
    Duration,
    EndedIncident,
    Entry,
    EntryFunctionProps,
    ErrorEntry,
    EventPart,
    ExactCounts,
    FailingAttempts,
    FailingNote,
    FailingNow,
    FailureAge,
    FailureCause,
    FailureCounts,
    FailureExample,
    FailurePattern,
    FakeAnswer,
    FakeFetch,
    FakeRequest,
    Finding,
    FunctionProps,
    GaugeDefinition,
    GaugeReaderDeps,
    GaugeValues,
    GrantInsertOptions,
    GrantRecurringOptions,
    Group,
    GroupEnd,
    GroupEventDetail,
    GroupHead,
    GroupOptions,
    GroupReads,
    GroupRecord,
    HandlerMiddleware,
    HandlerRequest,
    HeaderSecret,
    HeartbeatOptions,
    HeldCount,
    HeldKeys,
    HistoryEntry,
    HistoryOptions,
    HistoryProps,
    HttpDelivery,
    HttpDeliveryOptions,
    IBacklog,
    ISharedBacklog,
    InBatches,
    Incident,
    IncidentQueue,
    Indexed,
    IndexedWhenFree,
    IndexingDeps,
    InsertGroupResult,
    InsertLinesOptions,
    InsertManyOptions,
    InsertManyResult,
    InsertResult,
    IntakeProps,
    Interceptor,
    Item,
    Job,
    JobCounts,
    JobList,
    JobOrigin,
    JobOutcome,
    JobRunOptions,
    JobState,
    KeyCounts,
    KeyLanes,
    KeyPause,
    KnownQueue,
    LambdaContext,
    LaneBeginning,
    LaneTotal,
    LatestCounts,
    LatestSuccess,
    LineName,
    ListOptions,
    LogEntry,
    Look,
    LostRuns,
    MatcherResult,
    MemberState,
    Meter,
    MeterProvider,
    MinuteCount,
    Missed,
    MonitoredQueue,
    NewJob,
    NewRecord,
    NextOccurrenceOptions,
    NotReady,
    ObservableResult,
    Occurrence,
    OpenBreaker,
    OpenTelemetryApi,
    OperationOptions,
    OperationResult,
    OperatorStore,
    OutsideWait,
    OverviewDeps,
    OverviewOfQueues,
    OverviewStats,
    PassiveRegion,
    PastOccurrence,
    PastOutage,
    PauseRecurringOptions,
    PayloadMatch,
    PendingOptions,
    PerformOptions,
    PerformResult,
    Process,
    ProcessBatch,
    ProgressiveProps,
    PutRecurringResult,
    QueueAlarms,
    QueueCounts,
    QueueDescription,
    QueueEventsProps,
    QueueFailures,
    QueueGaugeValues,
    QueueNumbers,
    QueueProps,
    QueueStats,
    QueueStatus,
    QueueTurns,
    QueueView,
    QueueWeights,
    QueuesAndRules,
    Random,
    ReadBudget,
    Reading,
    RecentAttempts,
    RecordChange,
    RecordEnd,
    RecordEventDetail,
    RecordEventsProps,
    RecordExpectation,
    RecordFilter,
    RecordGroupsOptions,
    RecordLine,
    RecordLinesOptions,
    RecurringDescription,
    RecurringOptions,
    RecurringPause,
    RecurringProps,
    RecurringRecord,
    RecurringRecordsOptions,
    RedactPayload,
    ResolvedPolicy,
    RetryAnswer,
    RetryDecision,
    RetryFunction,
    RetryLimits,
    RetryMode,
    RetryPolicy,
    RetryWait,
    RuleStatus,
    RuleView,
    RunDeps,
    RunOptions,
    RunReport,
    RunSummary,
    RunTarget,
    RunTrouble,
    RuntimeKnowledge,
    Sample,
    SampledQueue,
    Schedule,
    Selected,
    Selection,
    Sentence,
    ServingFacts,
    Settle,
    SettleTogether,
    Settled,
    SkipReason,
    Snapshot,
    StackAttributes,
    StandardSchema,
    StateCounts,
    Stats,
    Status,
    StopReason,
    Stratum,
    SweepDeps,
    SweepStore,
    SweepSummary,
    TableDescription,
    Task,
    TaskContext,
    TaskInsertOptions,
    TaskOptions,
    TestBacklogOptions,
    TestQueue,
    TestRecord,
    Tier,
    TierBand,
    TierProps,
    WaitOptions,
    WaitRange,
    WaitingExpectation,
    Which,
    WorkEnvironmentOptions,
    WorkerProps,
};
