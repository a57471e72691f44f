import type { RecordLine, RecordLines } from '../lines/index.js';
import type { BacklogRecord } from '../record/index.js';
import { isNumbered } from '../record/seq.js';
import { show } from '../support/validation.js';

/** Lines that are named in an error. */
const MAX_NAMED = 5;

/** Sentences on what holds the lines that records wait in. Empty: they wait in none, or time brings their turns. */
export async function lineNotes(
  records: readonly BacklogRecord[],
  lines: Pick<RecordLines, 'get'>,
): Promise<string[]> {
  const names = new Map<string, { readonly queue: string; readonly key: string }>();
  for (const record of records) {
    const { queue, key } = record;
    if (isNumbered(record) && key !== undefined) names.set(`${queue}#${key}`, { queue, key });
  }
  const notes: string[] = [];
  for (const name of names.values()) {
    if (notes.length === MAX_NAMED) break;
    const line = await lines.get(name);
    notes.push(...(line ? noteOn(line) : []));
  }
  return notes;
}

function noteOn({ queue, key, state, head, missing }: RecordLine): string[] {
  const of = `the line of the key ${show(key)} in the queue ${show(queue)}`;
  if (state === 'dead') return [`${of} is held by the dead record ${show(head?.id)}: redrive or discard it`];
  if (state === 'missing') return [`${of} waits for number ${missing?.seq}, which has not come`];
  return [];
}
