import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import {
  BacklogClient,
  ConfigurationError,
  InsertInterruptedError,
  type InsertManyResult,
  type NewRecord,
} from 'dynamo-backlog';
import { DEFAULT_QUEUE, QUEUE_NAME, QUEUE_PATTERN, show } from 'dynamo-backlog/engine';
import { connect, type TargetFlags } from './connect.js';
import { parseLine } from './import-line.js';
import { type ImportCounters, importJson, reportImport, type Stop, stopText } from './import-report.js';
import { openValues } from './import-source.js';
import { listenForInterrupt } from './interrupt.js';
import { TOO_LONG, type Value } from './ndjson.js';
import { EXIT, type ExitCode, type Output, printable } from './output.js';
import { progressBar } from './progress.js';

export interface ImportFlags extends TargetFlags {
  readonly queue?: string | undefined;
  readonly json?: boolean | undefined;
}

/** A line or an element that was read: a record, or why it is none. */
type Entry = { readonly line: number } & (
  | { readonly record: NewRecord; readonly ignored: readonly string[] }
  | { readonly bad: string }
);

interface Remark {
  readonly line: number;
  readonly text: string;
}

/**
 * Number of records that are read before they are written. It bounds the memory of an import, however long its file is.
 */
const BATCH = 500;
const SHOWN_DUPLICATES = 20;

/** `backlog import`: puts the lines of a file, or the elements of a JSON array, into the backlog; bad ones are reported, the others go in. */
export async function importFile(file: string, flags: ImportFlags, output: Output): Promise<ExitCode> {
  if (flags.queue !== undefined && !QUEUE_PATTERN.test(flags.queue)) {
    throw new ConfigurationError(`--queue: expected ${QUEUE_NAME}, got ${show(flags.queue)}`);
  }
  const source = await openSource(file);
  const { client, table, clock, where, queues, hasIntake } = await connect(flags);
  // What is indexed waits for its queue's next rule. An intake has it attempted within seconds.
  const backlog = new BacklogClient({ client, table, clock, indexAtOnce: !hasIntake });
  const counters: ImportCounters = {
    unit: 'line',
    inserted: 0,
    duplicates: 0,
    bad: 0,
    ignored: new Map(),
    queues: new Set(),
  };
  const bar = progressBar(source.bytes, output);
  const interrupt = listenForInterrupt(() => {
    bar.message('stopping after the writes at hand (Ctrl-C again to stop at once) ...');
    source.stream.destroy();
  });
  const name = file === '-' ? 'stdin' : file;
  bar.message(`importing ${name} into ${where}`);
  let stop: Stop | undefined;
  try {
    const insert = (batch: readonly Entry[]) => insertBatch(backlog, batch, counters, bar, interrupt.signal);
    const open = async () => {
      const { unit, values } = await openValues(source.stream, name);
      counters.unit = unit;
      return values;
    };
    stop = await importValues(open, flags.queue, insert, interrupt.signal, (bytesRead) =>
      bar.update(bytesRead, counters.inserted),
    );
  } finally {
    bar.stop();
    interrupt.close();
    source.stream.destroy();
    client.destroy();
  }
  reportImport(counters, queues, output);
  if (stop) output.message(stopText(stop, counters.unit, name));
  if (flags.json) output.data(importJson(counters, stop));
  if (stop) return EXIT.failed;
  return counters.bad > 0 ? EXIT.problems : EXIT.ok;
}

/** Reads batch after batch, each of which is inserted before the next is read. */
async function importValues(
  open: () => Promise<AsyncIterable<Value>>,
  queue: string | undefined,
  insert: (batch: readonly Entry[]) => Promise<Stop | undefined>,
  signal: AbortSignal,
  onRead: (bytesRead: number) => void,
): Promise<Stop | undefined> {
  let batch: Entry[] = [];
  let next = 1;
  try {
    for await (const value of await open()) {
      if (signal.aborted) break;
      batch.push({ line: value.number, ...entryOf(value, queue) });
      next = value.number + 1;
      if (batch.length < BATCH) continue;
      const stop = await insert(batch);
      if (stop) return stop;
      batch = [];
      onRead(value.bytesRead);
    }
  } catch (error) {
    // The stream was closed to end the wait for more of it.
    if (!signal.aborted) throw error;
  }
  if (signal.aborted) return { line: batch[0]?.line ?? next, hasGaps: false };
  return insert(batch);
}

function entryOf(value: Value, queue: string | undefined) {
  if (value.text === TOO_LONG) return { bad: 'longer than any record can be' };
  if (value.problem !== undefined) return { bad: value.problem };
  const parsed = parseLine(value.text, queue);
  return parsed.type === 'bad' ? { bad: parsed.reason } : { record: parsed.record, ignored: parsed.ignored };
}

/** Writes a batch, counts it, and says what is to be said about its lines, as far as it came. */
async function insertBatch(
  backlog: BacklogClient,
  batch: readonly Entry[],
  counters: ImportCounters,
  log: Pick<Output, 'message'>,
  signal: AbortSignal,
): Promise<Stop | undefined> {
  const records = batch.flatMap((entry) => ('record' in entry ? [entry] : []));
  const { result, stop } = await inserted(backlog, records, signal);
  const end = stop?.line ?? Number.POSITIVE_INFINITY;
  const bad = [
    ...batch.flatMap((entry) =>
      'bad' in entry && entry.line < end ? [{ line: entry.line, text: entry.bad }] : [],
    ),
    ...result.failed.map(({ index, error }) => ({ line: records[index]?.line ?? 0, text: error.message })),
  ];
  const failed = new Set(result.failed.map(({ index }) => index));
  const lines = new Map<string | undefined, number>();
  for (const [index, { line, record, ignored }] of records.entries()) {
    lines.set(record.id, line);
    if (line >= end) continue;
    if (!failed.has(index)) counters.queues.add(record.queue ?? DEFAULT_QUEUE);
    for (const name of ignored) counters.ignored.set(name, (counters.ignored.get(name) ?? 0) + 1);
  }
  const known = result.duplicates.slice(0, Math.max(0, SHOWN_DUPLICATES - counters.duplicates));
  counters.inserted += result.inserted;
  counters.bad += bad.length;
  counters.duplicates += result.duplicates.length;
  const remarks: Remark[] = [
    ...bad,
    ...known.map((id) => ({ line: lines.get(id) ?? 0, text: `${id} is there already, left alone` })),
  ];
  for (const { line, text } of remarks.sort((a, b) => a.line - b.line)) {
    log.message(`${counters.unit} ${line}: ${printable(text)}`);
  }
  return stop;
}

/** Inserts records. Returns what went in, and where it ended if not all of them were dealt with. */
async function inserted(
  backlog: BacklogClient,
  records: readonly { readonly line: number; readonly record: NewRecord }[],
  signal: AbortSignal,
): Promise<{ readonly result: InsertManyResult; readonly stop?: Stop }> {
  try {
    return {
      result: await backlog.insertMany(
        records.map(({ record }) => record),
        { signal },
      ),
    };
  } catch (error) {
    if (!(error instanceof InsertInterruptedError)) throw error;
    const { result, unsettled, taken } = error;
    const first = Math.min(taken, ...unsettled);
    const line = records[first]?.line;
    if (line === undefined) return { result };
    const hasGaps = taken - first > unsettled.length;
    return { result, stop: { line, hasGaps, ...(signal.aborted ? {} : { cause: error.cause }) } };
  }
}

async function openSource(file: string): Promise<{ stream: Readable; bytes: number | undefined }> {
  if (file === '-') return { stream: process.stdin, bytes: undefined };
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigurationError(
      error.code === 'ENOENT' ? `there is no file ${file}` : `cannot read ${file}: ${error.message}`,
      { cause: error },
    );
  });
  if (found.isDirectory()) throw new ConfigurationError(`${file} is a folder, expected a file`);
  return { stream: createReadStream(file), bytes: found.isFile() ? found.size : undefined };
}
