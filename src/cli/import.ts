import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { BacklogClient, InsertInterruptedError, type NewRecord } from '../client/index.js';
import { ConfigurationError } from '../errors.js';
import { QUEUE_PATTERN } from '../record/index.js';
import { show } from '../validation.js';
import { connect, type TargetFlags } from './connect.js';
import { parseLine } from './import-line.js';
import { readLines, TOO_LONG } from './ndjson.js';
import { EXIT, type ExitCode, type Output, printable } from './output.js';
import { progressBar } from './progress.js';

export interface ImportFlags extends TargetFlags {
  readonly queue?: string | undefined;
}

/** What an import came to. */
interface Tally {
  inserted: number;
  duplicates: number;
  bad: number;
  /** By attribute, how many lines had it left out. */
  readonly ignored: Map<string, number>;
  readonly queues: Set<string>;
}

interface Entry {
  readonly line: number;
  readonly record: NewRecord;
}

/** So many records are read before they are written: what a file needs of memory, however long it is. */
const BATCH = 500;
const SHOWN_DUPLICATES = 20;

/** `backlog import`: puts the lines of a file into the backlog; bad ones are reported, the others go in. */
export async function importFile(file: string, flags: ImportFlags, output: Output): Promise<ExitCode> {
  if (flags.queue !== undefined && !QUEUE_PATTERN.test(flags.queue)) {
    throw new ConfigurationError(
      `--queue: expected letters, digits, "_", "." and "-", got ${show(flags.queue)}`,
    );
  }
  const source = await openSource(file);
  const { client, table, clock, where, queues } = await connect(flags);
  const backlog = new BacklogClient({ client, table, clock });
  const tally: Tally = { inserted: 0, duplicates: 0, bad: 0, ignored: new Map(), queues: new Set() };
  output.message(`importing ${file === '-' ? 'stdin' : file} into ${where}`);
  const bar = progressBar(source.bytes, output);
  let batch: Entry[] = [];
  const flush = async () => {
    await insertBatch(backlog, batch, tally, bar);
    batch = [];
  };
  try {
    for await (const { number, text, bytesRead } of readLines(source.stream)) {
      const parsed =
        text === TOO_LONG
          ? ({ type: 'bad', reason: 'longer than any record can be' } as const)
          : parseLine(text, flags.queue);
      if (parsed.type === 'bad') {
        reportBad(number, parsed.reason, tally, bar);
      } else {
        for (const name of parsed.ignored) tally.ignored.set(name, (tally.ignored.get(name) ?? 0) + 1);
        batch.push({ line: number, record: parsed.record });
      }
      if (batch.length >= BATCH) await flush();
      bar.update(bytesRead, tally.inserted);
    }
    await flush();
  } finally {
    bar.stop();
    client.destroy();
  }
  report(tally, queues, output);
  return tally.bad > 0 ? EXIT.problems : EXIT.ok;
}

async function insertBatch(
  backlog: BacklogClient,
  batch: readonly Entry[],
  tally: Tally,
  log: Pick<Output, 'message'>,
): Promise<void> {
  const result = await backlog.insertMany(batch.map(({ record }) => record)).catch((error) => {
    if (!(error instanceof InsertInterruptedError)) throw error;
    const { inserted } = error.result;
    const first = batch[0]?.line ?? 0;
    log.message(`${tally.inserted + inserted} were inserted before it stopped, in or after line ${first}`);
    throw error;
  });
  tally.inserted += result.inserted;
  for (const { index, error } of result.failed) {
    reportBad(batch[index]?.line ?? 0, error.message, tally, log);
  }
  const lines = new Map(batch.map(({ line, record }) => [record.id, line]));
  for (const id of result.duplicates) {
    tally.duplicates += 1;
    if (tally.duplicates <= SHOWN_DUPLICATES) {
      log.message(`line ${lines.get(id)}: ${printable(id)} is there already, left alone`);
    }
  }
  for (const { record } of batch) tally.queues.add(record.queue ?? 'default');
}

function reportBad(line: number, reason: string, tally: Tally, log: Pick<Output, 'message'>): void {
  tally.bad += 1;
  log.message(`line ${line}: ${printable(reason)}`);
}

function report(tally: Tally, known: readonly string[] | undefined, output: Output): void {
  const { inserted, duplicates, bad, ignored, queues } = tally;
  for (const [name, lines] of ignored) {
    output.message(`warning: "${name}" is the library's to write, and was left out of ${lines} records`);
  }
  for (const queue of queues) {
    if (known === undefined || known.length === 0 || known.includes(queue)) continue;
    output.message(
      `warning: the running app has no queue "${printable(queue)}": nothing will attempt its records`,
    );
  }
  output.message(`inserted ${inserted}, duplicates ${duplicates}, bad lines ${bad}`);
}

async function openSource(
  file: string,
): Promise<{ stream: AsyncIterable<Uint8Array>; bytes: number | undefined }> {
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
