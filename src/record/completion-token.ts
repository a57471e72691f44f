import { createHash } from 'node:crypto';
import { AS_READ, AsRead, type BacklogRecord, type Item } from './record.js';

/**
 * The token of an attempt, known before the attempt. Its parts are the number of the attempt, a digest that only the process of the attempt
 * can make, and digests of the work and of the `rev` that it is about. So a call with a token can be told from one for
 * an earlier attempt, or for other work, as long as the attempt has not settled.
 *
 * @param rev the `rev` that the outcome of the attempt is written with, as the journal announces it
 */
export function completionToken(rev: string, record: BacklogRecord): string {
  const attempt = record.attempts + 1;
  return `${attemptToken(rev, record.id, attempt)}.${workDigest(record)}.${revDigest(record)}`;
}

/** The first two parts of the token of an attempt. */
export function attemptToken(rev: string, id: string, attempt: number): string {
  return `${attempt}.${digest([rev, id, attempt], 22)}`;
}

/** A digest of the work of a record, its payload, queue and task, as its store has it: a handler may have changed what it got. */
export function workDigest(record: BacklogRecord): string {
  const { payload, queue, task } = (record[AS_READ] ? AsRead.of(record).stored : record) as Item;
  return digest([payload, queue, task], 16);
}

/** A digest of the `rev` of a record, which is a secret of the table. */
export function revDigest({ rev }: Pick<BacklogRecord, 'rev'>): string {
  return digest([rev], 8);
}

function digest(value: unknown, length: number): string {
  return createHash('sha256').update(JSON.stringify(value, inOrder)).digest('base64url').slice(0, length);
}

/** DynamoDB may return the entries of a map or a set in any order, and some values have no JSON. */
function inOrder(name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return /^[SNB]S$/.test(name) ? value.map(String).sort() : value;
  if (Object(value) !== value) return value;
  const map = value as Item;
  return Object.fromEntries(
    Object.keys(map)
      .sort()
      .map((key) => [key, map[key]]),
  );
}
