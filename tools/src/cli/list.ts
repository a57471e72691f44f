import type { BacklogRecord, RedactPayload, Status } from 'dynamo-backlog';
import { DynamoDbOperatorStore, parseSelection, STATUSES } from 'dynamo-backlog/engine';
import { lanesHolding } from '../../../src/store/dynamodb/list.js';
import { recordJson, shownPayload } from '../shown-payload.js';
import { connect, type Target, type TargetFlags } from './connect.js';
import { recordTable } from './list-table.js';
import { refuseUnknownIfPossible, unservedQueueMessage } from './operate/known-queue.js';
import { type FilterFlags, filtersOf } from './operate/selection-flags.js';
import { counted, EXIT, type ExitCode, hasColors, type Output } from './output.js';
import { painter } from './paint.js';
import { loadRedact } from './redact-module.js';
import { unservedLines } from './unserved.js';

export interface ListFlags extends TargetFlags, FilterFlags {
  readonly status?: Status | undefined;
  readonly queue?: string | undefined;
  readonly json?: boolean | undefined;
  /** The file of a module that says what is shown of a payload. */
  readonly redact?: string | undefined;
  /** Default: 100 for people, all with `json`. */
  readonly limit?: number | undefined;
}

const SHOWN_BY_DEFAULT = 100;

/** `backlog list`: records as a table for people, or as a JSON array for programs. */
export async function list(flags: ListFlags, output: Output): Promise<ExitCode> {
  const redact = await loadRedact(flags.redact);
  const target = await connect(flags);
  const { client, table, clock, local } = target;
  try {
    const queues = flags.queue === undefined ? [] : [flags.queue];
    const isNotified = await refuseUnknownIfPossible(queues, { target });
    if (!local && lanesHolding(flags) === undefined) {
      output.message(
        'reading the whole table, which is billed; --queue NAME --status NEW, ERROR or DEAD reads its index only',
      );
    }
    const store = new DynamoDbOperatorStore({ client, tables: { records: table, control: table }, clock });
    const limit = flags.limit ?? (flags.json ? Number.POSITIVE_INFINITY : SHOWN_BY_DEFAULT);
    const all = store.records.list({ status: flags.status, queue: flags.queue });
    const records = take(matching(all, filterOf(flags, redact), clock.now()), limit);
    const found = flags.json
      ? await printJson(records, redact, output)
      : await printTable(records, { target, limit }, output);
    if (found === 0 && !isNotified) output.message(unservedQueueMessage(queues));
    return EXIT.ok;
  } finally {
    client.destroy();
  }
}

/** Records as the flags of `backlog list` select them, among the first `most` of their queue and status. */
export async function* recordsOf(
  { client, table, clock }: Pick<Target, 'client' | 'table' | 'clock'>,
  flags: Pick<ListFlags, 'queue' | 'status' | 'error'>,
  most: number,
): AsyncGenerator<BacklogRecord> {
  const store = new DynamoDbOperatorStore({ client, tables: { records: table, control: table }, clock });
  const matches = filterOf(flags);
  let read = 0;
  for await (const record of store.records.list(flags)) {
    if (read++ >= most) return;
    if (matches(record, clock.now())) yield record;
  }
}

type Filter = (record: BacklogRecord, now: number) => boolean;

/**
 * The filter of the flags. With a module that hides parts of payloads it looks into what is shown: hidden values cannot
 * be guessed by it.
 */
function filterOf(given: ListFlags, redact?: RedactPayload): Filter {
  const { matches } = parseSelection({ ...filtersOf(given), all: true }, { actsOn: STATUSES }, 'list');
  if (redact === undefined || given.where === undefined) return matches;
  return (record, now) => {
    const shown = shownPayload(record, redact);
    return shown.hidden === undefined && matches({ ...record, payload: shown.value }, now);
  };
}

async function* matching(
  records: AsyncIterable<BacklogRecord>,
  matches: Filter,
  now: number,
): AsyncGenerator<BacklogRecord> {
  for await (const record of records) if (matches(record, now)) yield record;
}

/** Prints a record per line as it is read, so that a large table needs no more memory than a small one. Returns how many. */
async function printJson(
  records: AsyncIterable<BacklogRecord | 'more'>,
  redact: RedactPayload | undefined,
  output: Output,
): Promise<number> {
  let waiting: string | undefined;
  let lines = 0;
  const print = (line: string, end: string) => {
    output.data(`${lines++ === 0 ? '[' : ' '}${line}${end}`);
  };
  for await (const record of records) {
    if (record === 'more') continue;
    if (waiting !== undefined) print(waiting, ',');
    waiting = recordJson(record, redact);
  }
  if (waiting === undefined) output.data('[]');
  else print(waiting, ']');
  return lines;
}

/** The table, and how many records it has. */
async function printTable(
  records: AsyncIterable<BacklogRecord | 'more'>,
  { target, limit }: { target: Target; limit: number },
  output: Output,
): Promise<number> {
  const { where, clock } = target;
  const found: BacklogRecord[] = [];
  let more = false;
  for await (const record of records) {
    if (record === 'more') more = true;
    else found.push(record);
  }
  if (found.length === 0) {
    output.message(`no such records in ${where}`);
    return 0;
  }
  found.sort((a, b) => (a.insertedAt < b.insertedAt ? -1 : a.insertedAt > b.insertedAt ? 1 : 0));
  // A program that reads the table gets whole texts.
  const columns = process.stdout.isTTY ? process.stdout.columns : undefined;
  for (const line of recordTable(found, {
    now: clock.now(),
    columns,
    paint: painter(hasColors(process.stdout)),
  })) {
    output.data(line);
  }
  const note = more ? `; there are more: --limit ${limit * 10}, or --json for all` : '';
  output.message(`${counted(found.length, 'record')} in ${where}${note}`);
  for (const line of await unservedLines(found, target)) output.message(line);
  return found.length;
}

/** The first of them, and `more` at the end if there are any behind. */
async function* take(
  records: AsyncIterable<BacklogRecord>,
  limit: number,
): AsyncGenerator<BacklogRecord | 'more'> {
  let taken = 0;
  for await (const record of records) {
    if (taken++ >= limit) {
      yield 'more';
      return;
    }
    yield record;
  }
}
