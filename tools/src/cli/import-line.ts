import type { NewRecord } from 'dynamo-backlog';
import { CONTRACT_ATTRIBUTES, show } from 'dynamo-backlog/engine';
import { parseExactly } from './exact-json.js';

/** Content of one line of an import. */
export type ParsedLine =
  | {
      readonly type: 'record';
      readonly record: NewRecord;
      /** Attributes that were left out, because the library writes them. */
      readonly ignored: readonly string[];
    }
  | { readonly type: 'bad'; readonly reason: string };

/** Attributes that a producer may give; the client checks them. */
const GIVEN = new Set([
  'id',
  'queue',
  'task',
  'key',
  'seq',
  'insertedAt',
  'availableAt',
  'retry',
  'traceparent',
  'payload',
  'status',
]);

/**
 * An object with a `payload` is a record: `id`, `queue`, `task`, `key`, `seq`, `insertedAt`, `availableAt`, `retry` and `traceparent`
 * are its own. Attributes that the library writes are left out, and all others are kept beside the payload. Any other JSON value becomes
 * the payload of a record.
 *
 * @param queue of records that name none
 */
export function parseLine(text: string, queue: string | undefined): ParsedLine {
  let value: unknown;
  try {
    value = parseExactly(text);
  } catch (error) {
    return { type: 'bad', reason: `no valid JSON: ${(error as Error).message}` };
  }
  const common = queue === undefined ? {} : { queue };
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'payload')) {
    return { type: 'record', record: { payload: value, ...common }, ignored: [] };
  }
  const line = value as Record<string, unknown>;
  if (line.status !== undefined && line.status !== 'NEW') {
    return { type: 'bad', reason: `status: only NEW can be imported, got ${show(line.status)}` };
  }
  const others = Object.keys(line).filter((name) => !GIVEN.has(name));
  const ignored = others.filter((name) => CONTRACT_ATTRIBUTES.has(name));
  const attributes = Object.fromEntries(
    others.filter((name) => !CONTRACT_ATTRIBUTES.has(name)).map((name) => [name, line[name]]),
  );
  const { id, task, key, seq, insertedAt, availableAt, retry, traceparent } = line;
  const record = {
    payload: line.payload,
    ...common,
    ...(id === undefined ? {} : { id }),
    ...(line.queue === undefined ? {} : { queue: line.queue }),
    ...(task === undefined ? {} : { task }),
    ...(key === undefined ? {} : { key }),
    ...(seq === undefined ? {} : { seq }),
    ...(insertedAt === undefined ? {} : { insertedAt }),
    ...(availableAt === undefined ? {} : { availableAt }),
    ...(retry === undefined ? {} : { retry }),
    ...(traceparent === undefined ? {} : { traceparent }),
    attributes,
  };
  // The client checks the types of what the line gave.
  return { type: 'record', record: record as NewRecord, ignored };
}
