import { AsyncLocalStorage } from 'node:async_hooks';

/** The record whose attempt wrote a line. */
export interface OutputSource {
  readonly id: string;
  readonly queue: string;
}

/** Symbol that is shared by its name, because the handler has been bundled with a copy of this package. */
const WITH_SEAMS = Symbol.for('dynamo-backlog.withSeams');
const MARK = '\u0001backlog ';
// biome-ignore lint/suspicious/noControlCharactersInRegex: a mark begins and ends with a character that no text has
const MARKED = /\u0001backlog ([^\u0001]{0,4000})\u0001/g;

type Process = (record: OutputSource, context: unknown) => unknown;
interface Run {
  readonly process: Process;
}
type WithSeams = (other: () => { adjust(run: Run): Run }) => unknown;

const attempts = new AsyncLocalStorage<OutputSource>();

/** Returns the same handler for the child process. Its attempts mark each line that they write with their record. */
export function withMarkedOutput<Handler>(handler: Handler): Handler {
  const withSeams = (handler as { readonly [WITH_SEAMS]?: WithSeams })[WITH_SEAMS];
  if (typeof withSeams !== 'function') return handler;
  for (const stream of [process.stdout, process.stderr]) markLines(stream);
  const adjust = (run: Run): Run => ({ ...run, process: Object.assign(marking(run.process), run.process) });
  return withSeams(() => ({ adjust })) as Handler;
}

const marking =
  (work: Process): Process =>
  (record, context) =>
    attempts.run({ id: record.id, queue: record.queue }, () => work(record, context));

function markLines(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream) as (chunk: unknown, ...rest: unknown[]) => boolean;
  stream.write = ((chunk: unknown, ...rest: unknown[]) => {
    const source = attempts.getStore();
    if (source === undefined || typeof chunk !== 'string') return write(chunk, ...rest);
    const mark = `${MARK}${JSON.stringify(source)}\u0001`;
    return write(
      chunk.replace(/^(?=.)/gm, () => mark),
      ...rest,
    );
  }) as typeof stream.write;
}

/** Returns a line without its marks, and the record that the first of them names. The runtime reads lines by it. */
export function readMarked(line: string): { readonly text: string; readonly source?: OutputSource } {
  if (!line.includes(MARK)) return { text: line };
  const [first] = line.matchAll(MARKED);
  const source = first?.[1] === undefined ? undefined : sourceOf(first[1]);
  return { text: line.replaceAll(MARKED, ''), ...(source ? { source } : {}) };
}

function sourceOf(text: string): OutputSource | undefined {
  try {
    const { id, queue } = JSON.parse(text) as Partial<Record<keyof OutputSource, unknown>>;
    return typeof id === 'string' && typeof queue === 'string' ? { id, queue } : undefined;
  } catch {
    return undefined;
  }
}
