import * as z from 'zod/mini';
import type { Item } from '../../record/index.js';
import type { ActionName } from '../action-of.js';
import { isActionName } from '../action-of.js';
import type { SkipReason } from '../changes.js';
import type { Selection } from '../selection.js';
import { isPlainObject } from '../selection.js';

/**
 * The state of a job. `armed`: it waits until its queues work again. `running`: a process works on it, or another one takes it
 * over. `stopped`: records are left, and it can go on. `done`: it has come to its end. `cancelled`: it was armed, and has never begun.
 */
export type JobState = 'armed' | 'running' | 'stopped' | 'done' | 'cancelled';

/** The operator who acts, and the tool. */
export interface JobOrigin {
  /** The operator's name. */
  readonly by: string;
  /** The tool: `console`, `command line`. */
  readonly from: string;
}

/** Counts of a job's records. */
export interface JobCounts {
  /** Records changed, since the job began. */
  readonly changed: number;
  /** Records left as they are, by reason; when it was last at work. */
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  /** Records that could not be changed, when it was last at work. */
  readonly failed: number;
  /** The first of them. */
  readonly failures: readonly {
    /** The record's id. */
    readonly id: string;
    /** The reason why it could not be changed. */
    readonly reason: string;
  }[];
}

/** A bulk action that is stored, so that it outlives the process that works on it. Times are of the backlog, ISO-8601. */
export interface Job {
  /** Eight letters and digits. */
  readonly id: string;
  /** A method of `BacklogOperator`, or `undo`. */
  readonly action: ActionName | 'undo';
  /** The options of the action; of `undo` the job that it undoes. */
  readonly options: Item;
  /** The selection, or ids. */
  readonly which: Selection | readonly string[];
  /** Records changed per second at most. Absent: as many as possible. */
  readonly perSecond?: number | undefined;
  /** Records changed at most, each time that it goes on. */
  readonly limit?: number | undefined;
  /** Records that go first: the others follow if all of them succeed. */
  readonly probe?: number | undefined;
  /** Ids of the probe that is under way: a process that takes the job over goes on with them. */
  readonly probed?: readonly string[] | undefined;
  /** All records of a probe have succeeded. */
  readonly probePassed?: boolean | undefined;
  /** The time at which an armed job is given up. */
  readonly armedUntil?: string | undefined;
  /** The destination that an armed job waits for. Absent: its whole queue. */
  readonly armedFor?: string | undefined;
  /** The operator's name. */
  readonly by: string;
  /** The tool: `console`, `command line`. */
  readonly from: string;
  /** The time at which it was stored. */
  readonly createdAt: string;
  /** The time of its first change, or of its beginning. */
  readonly startedAt?: string | undefined;
  /** The time of its end, or of its stop. */
  readonly endedAt?: string | undefined;
  /** Its state. */
  readonly state: JobState;
  /** The reason for which it has stopped, or was cancelled. */
  readonly why?: string | undefined;
  /** Records that match, as a dry run has counted them. */
  readonly total?: number | undefined;
  /** There may be more than `total`. */
  readonly isTotalLeast?: boolean | undefined;
  /** The counts of its records. */
  readonly counts: JobCounts;
  /** Pages of records that are kept for an undo. */
  readonly pages: number;
  /** The process that works on it. */
  readonly holder?: string | undefined;
  /** Real time, epoch milliseconds: another process may take it over then. */
  readonly until?: number | undefined;
  /** The job that undoes it. */
  readonly undoneBy?: string | undefined;
  /** New at every write. */
  readonly rev: string;
}

/** The version of a job's item that this code reads and writes. */
export const JOB_VERSION = 1;
export const NOTHING_COUNTED: JobCounts = { changed: 0, skipped: {}, failed: 0, failures: [] };

const text = z.string();
const optionalText = z.optional(text);
const count = z.int().check(z.minimum(0));
const positive = z.optional(z.number().check(z.positive()));
const map = z.custom<Item>(isPlainObject);
const time = text.check(z.refine((value) => !Number.isNaN(Date.parse(value))));
const optionalTime = z.optional(time);

const jobSchema = z.object({
  version: z.literal(JOB_VERSION),
  id: text.check(z.regex(/^[a-z0-9]{4,32}$/)),
  action: z.custom<Job['action']>((value) => value === 'undo' || isActionName(value)),
  options: map,
  which: z.union([z.array(text), map]),
  perSecond: positive,
  limit: positive,
  probe: positive,
  probed: z.optional(z.array(text)),
  probePassed: z.optional(z.boolean()),
  armedUntil: optionalTime,
  armedFor: optionalText,
  by: text,
  from: text,
  createdAt: time,
  startedAt: optionalTime,
  endedAt: optionalTime,
  state: z.enum(['armed', 'running', 'stopped', 'done', 'cancelled']),
  why: optionalText,
  total: z.optional(count),
  isTotalLeast: z.optional(z.boolean()),
  counts: z.object({
    changed: count,
    skipped: z.record(text, count),
    failed: count,
    failures: z.array(z.object({ id: text, reason: text })),
  }),
  pages: count,
  holder: optionalText,
  until: z.optional(z.number()),
  undoneBy: optionalText,
  rev: text,
});

/** Reads a job's item, which any service may have written. Undefined: it is damaged, or of a newer version. */
export function parseJob(item: Item | undefined): Job | undefined {
  const parsed = jobSchema.safeParse(item);
  return parsed.success ? (parsed.data as Job) : undefined;
}

/** Tells whether a process may be at work on the job. @param wall real time, epoch milliseconds */
export function isHeld({ holder, until = 0 }: Pick<Job, 'holder' | 'until'>, wall: number): boolean {
  return holder !== undefined && until > wall;
}

/** Tells whether a job is at work by its state, but no process is. @param wall real time, epoch milliseconds */
export function isLost(job: Job, wall: number): boolean {
  return (job.state === 'running' || job.state === 'armed') && !isHeld(job, wall);
}

/** Time after its end for which a job can be undone. */
export const UNDO_MS = 86_400_000;

/**
 * The reason why a job cannot be undone. Undefined: it can.
 *
 * @param now the backlog's time, epoch milliseconds
 * @param wall real time, epoch milliseconds
 */
export function undoRefusal(job: Job, now: number, wall: number): string | undefined {
  const { action, options, state, counts, endedAt, holder } = job;
  if (action === 'undo') return 'an undo cannot be undone: run the action again';
  if (action === 'discard' && options.delete === true) return 'removed records cannot be brought back';
  if (isLost(job, wall)) return 'its process is lost: go on with it, or stop it first';
  if (state === 'running' || state === 'armed') return 'it is at work: stop it first';
  // A process that was lost had not counted its last changes.
  if ((counts.changed === 0 && holder === undefined) || endedAt === undefined)
    return 'it has changed nothing';
  return Date.parse(endedAt) + UNDO_MS < now ? 'it ended more than a day ago' : undefined;
}

/** The queues of a selection. Empty: it names none. */
export function selectedQueues(which: Job['which']): readonly string[] {
  return 'queue' in which ? [...new Set([which.queue ?? []].flat())] : [];
}

/** Seconds for which a job is listed after its end. */
const LISTED_SECONDS = 30 * 86_400;

/** The time at which DynamoDB's TTL removes a job that is written now, epoch seconds. */
export function expiryOf(now: number): number {
  return Math.floor(now / 1000) + LISTED_SECONDS;
}
