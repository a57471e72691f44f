import type { RedactPayload } from '../../operate/redact-payload.js';
import type { FoundRun } from '../local/status/run-log.js';
import type { OverviewDeps, RuntimeKnowledge } from '../overview/deps.js';

/** What a console works on, and what its pages may do. */
export interface ConsoleDeps extends OverviewDeps {
  /** In the header: the name of the app, or of the table. */
  readonly name: string;
  /** For the user: which table, and where. */
  readonly where: string;
  /** Whether actions are allowed. */
  readonly access: Access;
  /** Gets each action with what came of it. */
  readonly onAction: (entry: ActionEntry) => void;
  /** Only a browser that opened the address with this key gets an answer. Default: any program of this machine does. */
  readonly key?: string | undefined;
  /** What is shown of a payload. Default: all of it. */
  readonly redact?: RedactPayload | undefined;
  /** The local runtime that serves it. Default: the backlog is in AWS, and its rules are not known. */
  readonly runtime?: ConsoleRuntime | undefined;
}

/** The operator's name, or why no action is possible. */
export type Access =
  | { readonly write: true; readonly as: string }
  | { readonly write: false; readonly reason: string };

/** One action of an operator, for the log. */
export interface ActionEntry {
  /** Real time, ISO-8601. */
  readonly at: string;
  /** The operator's name. */
  readonly as: string;
  /** In words: `redrive 12 records of orders`. */
  readonly text: string;
  /** What came of it: `12 records redriven`. */
  readonly result: string;
}

/** What a local runtime lets its console see and do. */
export interface ConsoleRuntime extends RuntimeKnowledge {
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
  /** What is left out stays as it is. */
  change(change: { readonly speed?: number; readonly paused?: boolean }): Promise<void>;
  /** Goes to when the next rule fires, and fires it. Undefined: no rule is to fire. */
  advance(): Promise<ClockAdvance | undefined>;
}

/** To when the clock went, and what fired there. */
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
  /** Default: a random one. */
  readonly id?: string | undefined;
  readonly queue: string;
  readonly payload: unknown;
}
