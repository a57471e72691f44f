import { createHash } from 'node:crypto';
import { AsRead, type BacklogRecord, type Item } from './record.js';

/**
 * The token of an attempt, known before the attempt. Its parts are the number of the attempt, a digest that only the process of the attempt
 * can make, and digests of the work and of the `rev` that it is about. So a call with a token is not taken for one that is for
 * an earlier attempt, or for other work, as long as the attempt has not settled.
 *
 * @param rev the `rev` that the outcome of the attempt is written with, as the journal announces it
 */
export function completionToken(rev: string, record: BacklogRecord): string {
  const attempt = record.attempts + 1;
  return [attempt, digest([rev, record.id, attempt], 22), workDigest(record), digest([record.rev], 8)].join(
    '.',
  );
}

/** A digest of the work of a record, its payload, queue and task, as its store has it: a handler may have changed what it got. */
export function workDigest(record: BacklogRecord): string {
  const { payload, queue, task } = AsRead.of(record).stored as Item;
  return digest([payload, queue, task], 16);
}

/** The first characters of a digest of any value. */
export function digest(value: unknown, length: number): string {
  return createHash('sha256').update(JSON.stringify(value, inOrder)).digest('base64url').slice(0, length);
}

/** DynamoDB may return the entries of a map or a set in any order, and some values have no JSON. */
function inOrder(name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return /^[SNB]S$/.test(name) ? [...value].sort() : value;
  if (Object(value) !== value) return value;
  const map = value as Item;
  return Object.fromEntries(
    Object.keys(map)
      .sort()
      .map((key) => [key, map[key]]),
  );
}
