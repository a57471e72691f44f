import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { BacklogClient, InsertInterruptedError, type NewRecord } from '../client/index.js';
import { ConfigurationError } from '../errors.js';
import { DEFAULT_QUEUE, QUEUE_NAME, QUEUE_PATTERN } from '../record/index.js';
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

interface Remark {
  readonly line: number;
  readonly text: string;
}

/** So many records are read before they are written: what a file needs of memory, however long it is. */
const BATCH = 500;
const SHOWN_DUPLICATES = 20;

/** `backlog import`: puts the lines of a file into the backlog; bad ones are reported, the others go in. */
export async function importFile(file: string, flags: ImportFlags, output: Output): Promise<ExitCode> {
  if (flags.queue !== undefined && !QUEUE_PATTERN.test(flags.queue)) {
    throw new ConfigurationError(`--queue: expected ${QUEUE_NAME}, got ${show(flags.queue)}`);
  }
  const source = await openSource(file);
  const { client, table, clock, where, queues } = await connect(flags);
  const backlog = new BacklogClient({ client, table, clock, indexAtOnce: true });
  const tally: Tally = { inserted: 0, duplicates: 0, bad: 0, ignored: new Map(), queues: new Set() };
  output.message(`importing ${file === '-' ? 'stdin' : file} into ${where}`);
  const bar = progressBar(source.bytes, output);
  let batch: Entry[] = [];
  let remarks: Remark[] = [];
  const flush = async () => {
    remarks.push(...(await insertBatch(backlog, batch, tally, bar)));
    for (const { line, text } of remarks.sort((a, b) => a.line - b.line)) {
      bar.message(`line ${line}: ${printable(text)}`);
    }
    batch = [];
    remarks = [];
  };
  try {
    for await (const { number, text, bytesRead } of readLines(source.stream)) {
      const parsed =
        text === TOO_LONG
          ? ({ type: 'bad', reason: 'longer than any record can be' } as const)
          : parseLine(text, flags.queue);
      if (parsed.type === 'bad') {
        tally.bad += 1;
        remarks.push({ line: number, text: parsed.reason });
      } else {
        for (const name of parsed.ignored) tally.ignored.set(name, (tally.ignored.get(name) ?? 0) + 1);
        batch.push({ line: number, record: parsed.record });
      }
      if (batch.length + remarks.length >= BATCH) await flush();
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

/** Writes a batch; what is to be said about its lines is returned. */
async function insertBatch(
  backlog: BacklogClient,
  batch: readonly Entry[],
  tally: Tally,
  log: Pick<Output, 'message'>,
): Promise<Remark[]> {
  const result = await backlog.insertMany(batch.map(({ record }) => record)).catch((error) => {
    if (!(error instanceof InsertInterruptedError)) throw error;
    const inserted = tally.inserted + error.result.inserted;
    log.message(`${inserted} were inserted before it stopped, in or after line ${batch[0]?.line}`);
    throw error;
  });
  const failed = new Map(result.failed.map(({ index, error }) => [index, error]));
  const lines = new Map<string | undefined, number>();
  for (const [index, { line, record }] of batch.entries()) {
    lines.set(record.id, line);
    if (!failed.has(index)) tally.queues.add(record.queue ?? DEFAULT_QUEUE);
  }
  const known = result.duplicates.slice(0, Math.max(0, SHOWN_DUPLICATES - tally.duplicates));
  tally.inserted += result.inserted;
  tally.bad += failed.size;
  tally.duplicates += result.duplicates.length;
  return [
    ...[...failed].map(([index, error]) => ({ line: batch[index]?.line ?? 0, text: error.message })),
    ...known.map((id) => ({ line: lines.get(id) ?? 0, text: `${id} is there already, left alone` })),
  ];
}

function report(tally: Tally, known: readonly string[] | undefined, output: Output): void {
  const { inserted, duplicates, bad, ignored, queues } = tally;
  for (const [name, lines] of ignored) {
    output.message(
      `warning: "${name}" is the library's to write, and was left out of ${lines === 1 ? '1 record' : `${lines} records`}`,
    );
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
