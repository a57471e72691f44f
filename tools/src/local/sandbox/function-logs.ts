import { createWriteStream, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { withoutUrlSecrets } from 'dynamo-backlog/engine';
import { folderTrouble } from '../folder-trouble.js';
import type { OutputSource } from './attempt-output.js';
import { FailedAttempts } from './failed-attempts.js';
import { fieldsOf, HandlerOutput, type OutputLine } from './handler-output.js';

/** Something that a function logged and that should be seen. */
export interface Notice {
  readonly functionName: string;
  readonly level: 'WARN' | 'ERROR';
  readonly text: string;
  /** The record whose attempt threw. Absent: it is about something else. */
  readonly record?: string | undefined;
  /** The queue of the record. */
  readonly queue?: string | undefined;
  /** Places where it threw, the innermost first: `at charge (src/orders.ts:12:5)`. */
  readonly stack?: readonly string[] | undefined;
}

const MAX_TEXT_CHARS = 200;
/** A file that has grown to this is put aside as `.old`, in place of the last one. */
const MAX_FILE_BYTES = 20_000_000;
const MAX_WAITING_BYTES = 4_000_000;

interface LogFile {
  readonly stream: WriteStream;
  bytes: number;
}

/** The lines that functions write: all of them into one file per function, warnings and errors to the terminal too. */
export class FunctionLogs {
  readonly folder: string;
  readonly #onNotice: (notice: Notice) => void;
  readonly #files = new Map<string, LogFile>();
  readonly #failedAttempts = new FailedAttempts();
  readonly #output: HandlerOutput;

  /** @throws ConfigurationError if the folder cannot be made */
  constructor(
    folder: string,
    onNotice: (notice: Notice) => void,
    onOutput: (line: OutputLine) => void = () => {},
    private readonly onMetrics: (line: string) => void = () => {},
  ) {
    this.#output = new HandlerOutput(onOutput);
    try {
      mkdirSync(folder, { recursive: true });
    } catch (error) {
      throw folderTrouble(folder, error);
    }
    this.folder = folder;
    this.#onNotice = onNotice;
  }

  /** @param source the record whose attempt wrote the line. Default: it is not known */
  write(functionName: string, line: string, stream: 'stdout' | 'stderr', source?: OutputSource): void {
    const file = this.#file(functionName);
    // The backlog of a disk that takes nothing is not kept in memory.
    if (file.stream.writableLength < MAX_WAITING_BYTES) file.stream.write(`${line}\n`);
    file.bytes += Buffer.byteLength(line) + 1;
    const parsed = parseLine(line);
    if (parsed?._aws !== undefined) this.onMetrics(line);
    const failed = parsed && this.#failedAttempts.add(functionName, parsed);
    if (failed) this.#onNotice({ functionName, level: 'ERROR', ...failed, text: shortened(failed.text) });
    const notice = source ? undefined : noticeOf(line, parsed, stream);
    if (!notice && (source || stream === 'stdout')) this.#output.add(functionName, line, parsed, source);
    if (notice) this.#onNotice({ functionName, ...notice });
  }

  async close(): Promise<void> {
    const files = [...this.#files.values()];
    await Promise.all(files.map(({ stream }) => new Promise<void>((done) => stream.end(done))));
  }

  #file(functionName: string): LogFile {
    const known = this.#files.get(functionName);
    if (known && known.bytes < MAX_FILE_BYTES) return known;
    const path = join(this.folder, `${functionName}.log`);
    known?.stream.end();
    const bytes = putAside(path, known !== undefined);
    const stream = createWriteStream(path, { flags: 'a' });
    // A full disk must not end the runtime: the records matter more than their logs.
    stream.on('error', () => {});
    const file = { stream, bytes };
    this.#files.set(functionName, file);
    return file;
  }
}

/** @returns how long the file is that goes on */
function putAside(path: string, isFull: boolean): number {
  try {
    const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (!isFull && bytes < MAX_FILE_BYTES) return bytes;
    if (bytes > 0) renameSync(path, `${path}.old`);
  } catch {
    // A folder that has gone must not end the runtime, either.
  }
  return 0;
}

/** The line of each run counts them, and the console shows their records. */
const FAILED_ATTEMPTS: ReadonlySet<unknown> = new Set([
  'attempt failed',
  'attempt threw',
  'more attempts failed',
]);

/** Structured lines say their level; of plain ones, those on stderr that name an error are worth showing. */
function noticeOf(
  line: string,
  parsed: Record<string, unknown> | undefined,
  stream: 'stdout' | 'stderr',
): Omit<Notice, 'functionName'> | undefined {
  if (parsed) {
    const { level, message, error } = parsed;
    if (level !== 'WARN' && level !== 'ERROR' && level !== 'CRITICAL') return undefined;
    if (FAILED_ATTEMPTS.has(message)) return undefined;
    const reason = (error as { message?: unknown } | undefined)?.message;
    const said = [message, reason].filter((part) => typeof part === 'string').join(': ');
    // Which queue, which record, how many.
    const text = `${said} ${fieldsOf(parsed, ['error', 'stack'])}`.trimEnd();
    return { level: level === 'WARN' ? 'WARN' : 'ERROR', text: shortened(text) };
  }
  const names = stream === 'stderr' && /^\S*(Error|FATAL ERROR)\b/.test(line.slice(0, MAX_TEXT_CHARS));
  return names ? { level: 'ERROR', text: shortened(line) } : undefined;
}

function shortened(text: string): string {
  return withoutUrlSecrets(text, 4 * MAX_TEXT_CHARS).slice(0, MAX_TEXT_CHARS);
}

function parseLine(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
