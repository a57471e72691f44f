import { itemOf } from '../client/new-record.js';
import type { BacklogRecord, Item } from '../record/index.js';
import { toIso } from '../support/clock.js';
import { hash32 } from '../support/hash.js';
import type { Random } from '../support/random.js';
import { type Definition, queueOf } from './definition.js';

/** An occurrence of a recurring record. */
export interface Occurrence {
  /** The name of the recurring record. */
  readonly name: string;
  /** The time for which it was inserted. */
  readonly at: Date;
}

/** The context of the records that are inserted for occurrences. */
export interface InsertionContext {
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  readonly random: Random;
  /** The records are put into the index at once, as there is no intake. */
  readonly indexesAtOnce: boolean;
}

const HASHES = 2 ** 32;

/** The id of the record of an occurrence: `name@2026-12-01T03:00Z`. Two firings for the same time make one record. */
export function occurrenceId(name: string, at: number): string {
  return `${name}@${toIso(at).replace(':00.000Z', 'Z')}`;
}

/** The item of the record of an occurrence. */
export function occurrenceItem(
  { name, definition, at }: { readonly name: string; readonly definition: Definition; readonly at: number },
  { now, random, indexesAtOnce }: InsertionContext,
): Item & { id: string } {
  const { payload = {}, task, key, retry, jitter = 0 } = definition;
  const id = occurrenceId(name, at);
  const availableAt = at + Math.floor((hash32(id) / HASHES) * jitter * 1000);
  return itemOf(
    {
      id,
      payload,
      queue: queueOf(definition),
      task,
      key,
      retry,
      attributes: { recurring: name, occurrence: toIso(at) },
    },
    {
      now,
      availableAt: availableAt > now ? availableAt : undefined,
      random,
      indexesAtOnce: () => indexesAtOnce,
    },
  );
}

/** The occurrence of a recurring record that a record was inserted for. Undefined: it was not. */
export function occurrenceOf(record: Pick<BacklogRecord, 'attributes'>): Occurrence | undefined {
  const { recurring: name, occurrence } = record.attributes;
  const at = new Date(typeof occurrence === 'string' ? occurrence : Number.NaN);
  return typeof name === 'string' && !Number.isNaN(at.getTime()) ? { name, at } : undefined;
}
