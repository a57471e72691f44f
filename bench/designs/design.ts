import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import PQueue from 'p-queue';
import type { Clock } from '../../src/engine.js';

/** Attempts at once, in each of the designs. */
export const CONCURRENCY = 10;
/** The first wait after a failure. Each further one is twice as long. */
const FIRST_WAIT_SECONDS = 60;

/** A piece of work: what all designs store, and hand to the attempt. */
export interface Work {
  readonly id: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** One attempt. It throws to fail. */
export type Attempt = (work: Work) => void;

export interface Bench {
  readonly client: DynamoDBClient;
  readonly documents: DynamoDBDocumentClient;
  /** The time that waits are kept by. */
  readonly clock: Clock;
}

/** A way to work off records, on tables of its own. */
export interface Design {
  readonly name: string;
  /** A part of the name for tables. */
  readonly key: string;
  /** Index, requests and limits of the design. */
  readonly settings: string;
  /** Promises of the library that this design does not keep. */
  readonly doesNot: string;
  open(bench: Bench): Promise<OpenDesign>;
}

export interface OpenDesign {
  readonly tables: readonly string[];
  /** Stores records that are due at once. */
  fill(works: readonly Work[]): Promise<void>;
  /** Works on all that is due, as one firing of a rule does. */
  work(attempt: Attempt): Promise<void>;
  /** Makes all retries due, if the design does not follow the bench's clock. */
  letTimePass?(): Promise<void>;
  /** Closes connections of its own. */
  close?(): Promise<void>;
}

/** Does something for each, ten at once. */
export async function inParallel<T>(all: readonly T[], each: (one: T) => Promise<void>): Promise<void> {
  await new PQueue({ concurrency: CONCURRENCY }).addAll(all.map((one) => () => each(one)));
}

/** Makes an attempt, and tells whether it succeeded. */
export function succeeds(attempt: Attempt, work: Work): boolean {
  try {
    attempt(work);
    return true;
  } catch {
    return false;
  }
}

export function isoNow({ clock }: Bench): string {
  return new Date(clock.now()).toISOString();
}

/** Time of the next attempt, after so many failures. */
function retryAt({ clock }: Bench, failures: number): string {
  return new Date(clock.now() + FIRST_WAIT_SECONDS * 2 ** (failures - 1) * 1000).toISOString();
}

/** Tells whether a write took effect. False: its condition failed; another error is thrown. */
export async function isWritten(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if ((error as Error).name === 'ConditionalCheckFailedException') return false;
    throw error;
  }
}

/** The write of an outcome. Without `dueAt`, a record is in no index. */
export function outcomeOf(
  bench: Bench,
  {
    id,
    attempts,
    succeeded,
  }: { readonly id: string; readonly attempts: number; readonly succeeded: boolean },
): Omit<UpdateCommandInput, 'TableName'> {
  return {
    Key: { id },
    UpdateExpression: `SET #s = :s, attempts = :n, lastAttemptAt = :t${succeeded ? ' REMOVE dueAt' : ', dueAt = :d'}`,
    ExpressionAttributeNames: { '#s': 'status' },
    ExpressionAttributeValues: {
      ':s': succeeded ? 'SUCCESS' : 'WAITING',
      ':n': attempts,
      ':t': isoNow(bench),
      ...(succeeded ? {} : { ':d': retryAt(bench, attempts) }),
    },
  };
}

/** Makes an attempt of a record that was read with its count, and writes the outcome if a condition holds. */
export async function attemptIf(
  bench: Bench,
  table: string,
  read: Work & { readonly attempts: number },
  attempt: Attempt,
  condition: { readonly expression: string; readonly values: Readonly<Record<string, unknown>> },
): Promise<void> {
  const { id, attempts } = read;
  const outcome = outcomeOf(bench, { id, attempts: attempts + 1, succeeded: succeeds(attempt, read) });
  const update = new UpdateCommand({
    TableName: table,
    ...outcome,
    ConditionExpression: condition.expression,
    ExpressionAttributeValues: { ...outcome.ExpressionAttributeValues, ...condition.values },
  });
  await isWritten(bench.documents.send(update));
}
