import type { LineReader } from '../store/store.js';
import { NEW_LINE } from './line.js';
import { LineReads } from './line-reads.js';
import type { LineName } from './names.js';

/** Ids in one answer. */
const IDS_AT_ONCE = 100;

/**
 * The ids of the records that are noted in a line, some at a time, with a few that have ended. The head comes last: none behind it has
 * its turn while the others are given up. Reads one unit for a key without a line.
 */
export async function* waitingIds(name: LineName, lines: LineReader): AsyncGenerator<readonly string[]> {
  const reads = new LineReads(name, lines);
  const line = await reads.read();
  if (line === NEW_LINE) return;
  const { head } = line;
  let ids: string[] = [];
  for await (const { id } of reads.entriesFrom(line)) {
    if (id === head?.id) continue;
    ids.push(id);
    if (ids.length < IDS_AT_ONCE) continue;
    yield ids;
    ids = [];
  }
  if (ids.length > 0) yield ids;
  if (head) yield [head.id];
}
