import { createHash } from 'node:crypto';
import type { BacklogRecord } from './record.js';

/**
 * The token of an attempt, known before the attempt. Its parts are the number of the attempt, a digest that only the process of the attempt
 * can make, and digests of the work and of the `rev` that it is about. So a call with a token can be told from one for
 * an earlier attempt, or for other work, as long as the attempt has not settled.
 *
 * @param rev the `rev` that the outcome of the attempt is written with, as the journal announces it
 */
export function completionToken(rev: string, record: BacklogRecord): string {
  const attempt = record.attempts + 1;
  return [attempt, digest([rev, record.id, attempt], 22), workDigest(record), revDigest(record)].join('.');
}

/** A digest of the work of a record: its payload, queue and task. */
export function workDigest({ payload, queue, task }: BacklogRecord): string {
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
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Set) return [...value].map(String).sort();
  if (Object(value) !== value || Array.isArray(value)) return value;
  const map = value as Readonly<Record<string, unknown>>;
  return Object.keys(map)
    .sort()
    .map((name) => [name, map[name]]);
}
