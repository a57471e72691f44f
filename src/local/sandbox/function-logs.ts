import { createWriteStream, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';

/** Something that a function logged and that should be seen. */
export interface Notice {
  readonly functionName: string;
  readonly level: 'WARN' | 'ERROR';
  readonly text: string;
}

const MAX_TEXT_CHARS = 200;
/** A file that has grown to this is put aside as `.old`, in place of the last one. */
const MAX_FILE_BYTES = 20_000_000;

interface LogFile {
  readonly stream: WriteStream;
  bytes: number;
}

/** The lines that functions write: all of them into one file per function, warnings and errors to the terminal too. */
export class FunctionLogs {
  readonly folder: string;
  readonly #onNotice: (notice: Notice) => void;
  readonly #files = new Map<string, LogFile>();

  constructor(folder: string, onNotice: (notice: Notice) => void) {
    mkdirSync(folder, { recursive: true });
    this.folder = folder;
    this.#onNotice = onNotice;
  }

  write(functionName: string, line: string, stream: 'stdout' | 'stderr'): void {
    const file = this.#file(functionName);
    file.stream.write(`${line}\n`);
    file.bytes += Buffer.byteLength(line) + 1;
    const notice = noticeOf(line, stream);
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
    let bytes = sizeOf(path);
    if (known) known.stream.end();
    if (known || bytes >= MAX_FILE_BYTES) {
      renameSync(path, `${path}.old`);
      bytes = 0;
    }
    const stream = createWriteStream(path, { flags: 'a' });
    // A full disk must not end the runtime: the records matter more than their logs.
    stream.on('error', () => {});
    const file = { stream, bytes };
    this.#files.set(functionName, file);
    return file;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Structured lines say their level; of plain ones, those on stderr that name an error are worth showing. */
function noticeOf(line: string, stream: 'stdout' | 'stderr'): Omit<Notice, 'functionName'> | undefined {
  const parsed = parseLine(line);
  if (parsed) {
    const { level, message, error } = parsed;
    if (level !== 'WARN' && level !== 'ERROR' && level !== 'CRITICAL') return undefined;
    const reason = (error as { message?: unknown } | undefined)?.message;
    const text = [message, reason].filter((part) => typeof part === 'string').join(': ');
    return { level: level === 'WARN' ? 'WARN' : 'ERROR', text: text.slice(0, MAX_TEXT_CHARS) };
  }
  const names = stream === 'stderr' && /^\S*(Error|FATAL ERROR)\b/.test(line);
  return names ? { level: 'ERROR', text: line.slice(0, MAX_TEXT_CHARS) } : undefined;
}

function parseLine(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
