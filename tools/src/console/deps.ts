import type { RedactPayload } from 'dynamo-backlog';
import type { OverviewDeps, RuntimeKnowledge } from 'dynamo-backlog/overview';
import type { AlarmSource } from '../alarms/alarm-source.js';
import type { QueueMutes } from '../alarms/queue-mutes.js';
import type { OperatorDeps } from '../jobs/operator.js';
import type { FoundRun } from '../local/status/run-log.js';
import type { RuntimeStatus } from '../local/status/status.js';

/** The sources of a console, and the rights of its pages. */
export interface ConsoleDeps extends OverviewDeps, OperatorDeps {
  /** The name of the app, or of the table, for the header. */
  readonly name: string;
  /** The table and its place, for the user. */
  readonly where: string;
  /**
   * The key of the console: only a browser that opened the address with it gets an answer. Default: any program of this
   * machine does.
   */
  readonly key?: string | undefined;
  /** The part of a payload that is shown. Default: all of it. */
  readonly redact?: RedactPayload | undefined;
  /** The page that incidents link to. Undefined: the stack has none of its own, or it is not known. */
  readonly runbookUrl?: string | undefined;
  /** The alarms that are on, for incidents. Undefined: there is no place that knows them. */
  readonly alarms?: AlarmSource | undefined;
  /** The mutes of those alarms. Undefined: they notify no operator. */
  readonly mutes?: QueueMutes | undefined;
  /** False: an intake indexes what is inserted here. Default: true, the console does so itself. */
  readonly indexAtOnce?: boolean | undefined;
  /** Tells whether a function of the app counts the members of groups. Default: not known. */
  readonly countsGroups?: (() => boolean) | undefined;
  /** The local runtime that serves it. Default: the backlog is in AWS, and its rules are not known. */
  readonly runtime?: ConsoleRuntime | undefined;
}

/** The part of a local runtime that its console sees and changes. */
export interface ConsoleRuntime extends RuntimeKnowledge {
  status(): RuntimeStatus;
  /** A run with what its function wrote. Undefined: it is not kept any more. */
  findRun(rule: string, at: string): FoundRun | undefined;
  /** Starts a rule's function at once. */
  runRule(rule: string): Promise<void>;
  /** Puts a new record into the table. False: a record with this id was there already, and was left alone. */
  putRecord(record: PutRecord): Promise<{ readonly id: string; readonly inserted: boolean }>;
  /** The backlog's clock. */
  readonly clock: RuntimeClock;
  /** Takes the sample's ERP down, or up. Undefined: there is no sample ERP. */
  readonly setErp?: ((up: boolean) => void) | undefined;
}

/** The clock of a local runtime, as the console changes it. */
export interface RuntimeClock {
  /** Changes the speed, or pauses or resumes the clock. What is left out stays as it is. */
  change(change: { readonly speed?: number; readonly paused?: boolean }): Promise<void>;
  /** Moves the clock to the time at which the next rule fires, and fires it. Undefined: no rule is to fire. */
  advance(): Promise<ClockAdvance | undefined>;
}

/** The time to which the clock went, and what fired there. */
export interface ClockAdvance {
  /** Backlog time, epoch milliseconds. */
  readonly at: number;
  /** Ids of the rules that fired, in order. */
  readonly rules: readonly string[];
  /** Resolves when their runs have ended. */
  readonly ended: Promise<void>;
}

/** A record as the form of the console has it. */
export interface PutRecord {
  /** The id. Default: a random one. */
  readonly id?: string | undefined;
  readonly queue: string;
  readonly payload: unknown;
}
