import cliProgress from 'cli-progress';
import { age } from 'dynamo-backlog/engine';
import type { Progress } from '../lab/simulate.js';
import { counted, type Output } from './output.js';

/** A progress bar on stderr, or nothing where stderr is no terminal. */
export interface ProgressBar extends Pick<Output, 'message'> {
  update(bytes: number, inserted: number): void;
  stop(): void;
}

/** @param totalBytes of the source; undefined: not known, as of stdin */
export function progressBar(totalBytes: number | undefined, output: Output): ProgressBar {
  const isKnown = totalBytes !== undefined && totalBytes > 0;
  const bar = terminalBar(isKnown ? '{bar} {percentage}%  {inserted}{pace}' : '{inserted}{pace}');
  if (!bar) return { update: () => {}, stop: () => {}, message: output.message };
  const startedAt = performance.now();
  bar.start(isKnown ? totalBytes : 1, 0, { inserted: counted(0, 'record'), pace: '' });
  return {
    update: (bytes, inserted) => {
      const share = isKnown ? bytes / totalBytes : undefined;
      bar.update(isKnown ? bytes : 0, {
        inserted: counted(inserted, 'record'),
        pace: paceText({ done: inserted, share, elapsedMs: performance.now() - startedAt }),
      });
    },
    stop: () => bar.stop(),
    // A line above the bar, which is drawn again below it.
    message: (line) => {
      process.stderr.write('\r\u001b[K');
      output.message(line);
    },
  };
}

/** Progress of a long operation. */
export interface Pace {
  /** Items since it started. */
  readonly done: number;
  /** Part of all that is done by that, from 0 to 1; undefined: not known. */
  readonly share?: number | undefined;
  readonly elapsedMs: number;
}

/** The first moments tell nothing. */
const MIN_MS = 500;

/** `, 1,234 a second, 2 min left` */
export function paceText({ done, share, elapsedMs }: Pace): string {
  if (done <= 0 || elapsedMs < MIN_MS) return '';
  const perSecond = done / (elapsedMs / 1000);
  const rate = perSecond < 10 ? Number(perSecond.toPrecision(2)) : Math.round(perSecond);
  const leftMs = share === undefined || share <= 0 ? 0 : (elapsedMs / share) * (1 - share);
  return `, ${rate.toLocaleString('en-US')} a second${leftMs > 0 ? `, ${age(leftMs)} left` : ''}`;
}

/** A bar on stderr, where that is a terminal. */
export function terminalBar(format: string): cliProgress.SingleBar | undefined {
  const { stderr } = process;
  if (!stderr.isTTY) return undefined;
  return new cliProgress.SingleBar({
    // One line of the terminal: of a line that goes on in the next one, only the last part is taken away again.
    format: (options, params, payload) =>
      cliProgress.Format.Formatter({ ...options, format }, params, payload).slice(
        0,
        (stderr.columns ?? 80) - 1,
      ),
    stream: process.stderr,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    clearOnComplete: true,
    stopOnComplete: false,
    // Its own listener for Ctrl-C would keep the process from ending. Without one nothing may have to be undone: the
    // cursor stays as it is, and so does the wrapping of lines.
    gracefulExit: false,
    linewrap: true,
  });
}

/** A bar of items that have been looked at, on stderr, or nothing where stderr is no terminal. */
export function itemsBar(total: number, output: Output) {
  const format = total > 0 ? '{bar} {percentage}%  {items}{more}{pace}' : '{items}{more}{pace}';
  const bar = terminalBar(format);
  const startedAt = performance.now();
  let first: number | undefined;
  bar?.start(Math.max(1, total), 0, { items: counted(0, 'item'), more: '', pace: '' });
  return {
    update(items: number, more = '') {
      // What an interrupted work had done does not tell how fast this one is.
      first ??= items;
      const done = items - first;
      // What this one has to do, not what was done before.
      const share = total > first ? Math.min(1, done / (total - first)) : undefined;
      // DynamoDB counts its items now and then only: there may be more.
      if (items > total) bar?.setTotal(items);
      bar?.update(items, {
        items: counted(items, 'item'),
        more,
        pace: paceText({ done, share, elapsedMs: performance.now() - startedAt }),
      });
    },
    stop: () => bar?.stop(),
    /** A line above the bar, which is drawn again below it. */
    message(line: string) {
      if (bar) process.stderr.write('\r\u001b[K');
      output.message(line);
    },
  };
}

/** A bar of a simulation's records, on stderr, or nothing where stderr is no terminal. */
export function simulationBar(name: string, records: number) {
  const bar = terminalBar(`${name}  {bar} {percentage}%  {attempts}, {time}`);
  bar?.start(records, 0, { attempts: counted(0, 'attempt'), time: '0 s' });
  return {
    update: ({ attempts, succeeded, elapsedMs }: Progress) =>
      bar?.update(Math.min(succeeded, records), {
        attempts: counted(attempts, 'attempt'),
        time: age(elapsedMs),
      }),
    stop: () => bar?.stop(),
  };
}
