import { age } from '../../duration.js';
import type { RedactPayload } from '../../operate/redact-payload.js';
import { type BacklogRecord, isPending, type Status } from '../../record/index.js';
import { lanesHolding } from '../../store/dynamodb/list.js';
import { DynamoDbOperatorStore } from '../../store/index.js';
import { recordJson } from '../shown-payload.js';
import { connect, type TargetFlags } from './connect.js';
import { counted, EXIT, type ExitCode, hasColors, type Output, printable } from './output.js';
import { type Paint, painter } from './paint.js';
import { plainTable } from './plain-table.js';
import { loadRedact } from './redact-module.js';

export interface ListFlags extends TargetFlags {
  readonly status?: Status | undefined;
  readonly queue?: string | undefined;
  readonly json?: boolean | undefined;
  /** The file of a module that says what is shown of a payload. */
  readonly redact?: string | undefined;
  /** Default: 100 for people, all with `json`. */
  readonly limit?: number | undefined;
}

const SHOWN_BY_DEFAULT = 100;
const MAX_ERROR_CHARS = 60;
const COLUMNS = [
  ['ID', 'left'],
  ['QUEUE', 'left'],
  ['TASK', 'left'],
  ['STATUS', 'left'],
  ['ATTEMPTS', 'right'],
  ['AGE', 'right'],
  ['DUE', 'right'],
  ['LAST ERROR', 'left'],
] as const;

/** `backlog list`: records as a table for people, or as a JSON array for programs. */
export async function list(flags: ListFlags, output: Output): Promise<ExitCode> {
  const redact = await loadRedact(flags.redact);
  const { client, table, clock, where, local } = await connect(flags);
  try {
    if (!local && lanesHolding(flags) === undefined) {
      output.message(
        'reading the whole table, which is billed; --queue NAME --status NEW, ERROR or DEAD reads its index only',
      );
    }
    const store = new DynamoDbOperatorStore({ client, tables: { records: table, control: table }, clock });
    const limit = flags.limit ?? (flags.json ? Number.POSITIVE_INFINITY : SHOWN_BY_DEFAULT);
    const records = take(store.list({ status: flags.status, queue: flags.queue }), limit);
    return flags.json
      ? await printJson(records, redact, output)
      : await printTable(records, { where, now: clock.now(), limit }, output);
  } finally {
    client.destroy();
  }
}

/** One record per line, as it is read: a large table needs no more memory than a small one. */
async function printJson(
  records: AsyncIterable<BacklogRecord | 'more'>,
  redact: RedactPayload | undefined,
  output: Output,
): Promise<ExitCode> {
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
  return EXIT.ok;
}

async function printTable(
  records: AsyncIterable<BacklogRecord | 'more'>,
  { where, now, limit }: { where: string; now: number; limit: number },
  output: Output,
): Promise<ExitCode> {
  const found: BacklogRecord[] = [];
  let more = false;
  for await (const record of records) {
    if (record === 'more') more = true;
    else found.push(record);
  }
  if (found.length === 0) {
    output.message(`no such records in ${where}`);
    return EXIT.ok;
  }
  found.sort((a, b) => (a.insertedAt < b.insertedAt ? -1 : a.insertedAt > b.insertedAt ? 1 : 0));
  output.data(tableOf(found, now, painter(hasColors(process.stdout))));
  const note = more ? `; there are more: --limit ${limit * 10}, or --json for all` : '';
  output.message(`${counted(found.length, 'record')} in ${where}${note}`);
  return EXIT.ok;
}

function tableOf(records: readonly BacklogRecord[], now: number, paint: Paint): string {
  const hasTasks = records.some(({ task }) => task !== undefined);
  const rows = records.map((record) => [
    printable(record.id),
    printable(record.queue),
    ...(hasTasks ? [printable(record.task ?? '-')] : []),
    paintStatus(record.status, paint),
    String(record.attempts),
    age(now - Date.parse(record.insertedAt)),
    dueText(record, now),
    errorText(record, now),
  ]);
  return plainTable(hasTasks ? COLUMNS : COLUMNS.filter(([name]) => name !== 'TASK'), rows, paint);
}

export function paintStatus(status: Status, paint: Paint): string {
  const formats = { NEW: 'white', ERROR: 'yellow', SUCCESS: 'green', DEAD: 'red' } as const;
  return paint(formats[status], status);
}

/** A record of a progressive queue waits for its rule: its due time is its insertion. */
export function dueText(record: BacklogRecord, now: number): string {
  if (!isPending(record)) return '-';
  const due = Date.parse(record.notBefore ?? record.dueAt ?? record.insertedAt);
  return due > now ? `in ${age(due - now)}` : 'next run';
}

/** No handler knows its task; empty for any other record. */
export function unknownTaskText({ unknownTaskSince: since }: BacklogRecord, now: number): string {
  return since === undefined ? '' : `no handler knows its task, for ${age(now - Date.parse(since))}`;
}

function errorText(record: BacklogRecord, now: number): string {
  const { lastError, deadReason } = record;
  const unknown = unknownTaskText(record, now);
  const reason = deadReason !== undefined ? `(${deadReason}) ` : unknown ? `(${unknown}) ` : '';
  const text = lastError ? `${lastError.name}: ${lastError.message}` : '';
  const whole = printable(`${reason}${text}`);
  return whole.length > MAX_ERROR_CHARS ? `${whole.slice(0, MAX_ERROR_CHARS - 1)}…` : whole;
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
