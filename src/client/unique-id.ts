import { createHash } from 'node:crypto';
import { MAX_DEPTH, tooDeep } from '../record/depth.js';
import { InvalidRecordError } from '../support/errors.js';

const DIGEST_CHARACTERS = 27;

export interface Uniqueness {
  readonly task: string;
  readonly queue: string;
  /** The value that makes two records the same: the payload, or a part of it. */
  readonly by: unknown;
  readonly periodSeconds: number;
  /** The time from which on it may be attempted, epoch milliseconds. */
  readonly at: number;
}

/**
 * The id of a record that may exist once in a period: the same for the same work, from any producer. Periods are counted
 * from 1970, in UTC; 160 bits of a SHA-256.
 *
 * @throws InvalidRecordError for what has no value, or is nested too deep
 */
export function uniqueId({ task, queue, by, periodSeconds, at }: Uniqueness): string {
  if (by === undefined) throw new InvalidRecordError('uniqueBy: expected a value, got nothing');
  const period = Math.floor(at / (periodSeconds * 1000));
  const text = canonical([queue, task, periodSeconds, period, by], 0);
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_CHARACTERS);
  return `${task}:${digest}`;
}

/** Refuses dates, promises, maps and the like: they would all look the same, and every record but the first be a duplicate. */
function refuseIndistinct(value: unknown): void {
  if (isDistinct(value)) return;
  const kind = typeof value === 'object' ? (value?.constructor?.name ?? 'value') : typeof value;
  const got = typeof value === 'number' ? String(value) : `a ${kind}`;
  throw new InvalidRecordError(`uniqueFor: expected plain values to tell records apart by, got ${got}`);
}

function isDistinct(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'function' || typeof value === 'symbol') return false;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Set)
    return true;
  const prototype = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === null;
  return isPlain || ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

/** A text that is the same for all that DynamoDB stores as the same value. */
function canonical(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH + 1) throw tooDeep();
  refuseIndistinct(value);
  // A zero has no sign there.
  if (typeof value === 'number' || typeof value === 'bigint') return `n${value === 0 ? 0 : String(value)}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const inner = (child: unknown) => canonical(child, depth + 1);
  if (Array.isArray(value)) return `[${value.map(inner).join()}]`;
  if (value instanceof Set) return `set(${[...value].map(inner).sort().join()})`;
  if (ArrayBuffer.isView(value)) {
    return `b${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}`;
  }
  if (value instanceof ArrayBuffer) return `b${Buffer.from(value).toString('base64')}`;
  const entries = Object.entries(value).filter(([, child]) => child !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, child]) => `${JSON.stringify(name)}:${inner(child)}`).join()}}`;
}
