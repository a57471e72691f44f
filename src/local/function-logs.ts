import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';

/** Something that a function logged and that should be seen. */
export interface Notice {
  readonly functionName: string;
  readonly level: 'WARN' | 'ERROR';
  readonly text: string;
}

const MAX_TEXT_CHARS = 200;

/** The lines that functions write: all of them into one file per function, warnings and errors to the terminal too. */
export class FunctionLogs {
  readonly folder: string;
  readonly #onNotice: (notice: Notice) => void;
  readonly #files = new Map<string, WriteStream>();

  constructor(folder: string, onNotice: (notice: Notice) => void) {
    mkdirSync(folder, { recursive: true });
    this.folder = folder;
    this.#onNotice = onNotice;
  }

  write(functionName: string, line: string, stream: 'stdout' | 'stderr'): void {
    this.#file(functionName).write(`${line}\n`);
    const notice = noticeOf(line, stream);
    if (notice) this.#onNotice({ functionName, ...notice });
  }

  async close(): Promise<void> {
    const files = [...this.#files.values()];
    await Promise.all(files.map((file) => new Promise<void>((done) => file.end(done))));
  }

  #file(functionName: string): WriteStream {
    const known = this.#files.get(functionName);
    if (known) return known;
    const file = createWriteStream(join(this.folder, `${functionName}.log`), { flags: 'a' });
    // A full disk must not end the runtime: the records matter more than their logs.
    file.on('error', () => {});
    this.#files.set(functionName, file);
    return file;
  }
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
