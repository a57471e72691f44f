import cliProgress from 'cli-progress';
import { age } from '../../duration.js';
import type { Progress } from '../lab/simulate.js';
import { counted, type Output } from './output.js';

/** A progress bar on stderr, or nothing where stderr is no terminal. */
export interface ProgressBar extends Pick<Output, 'message'> {
  update(bytes: number, inserted: number): void;
  stop(): void;
}

export function progressBar(totalBytes: number | undefined, output: Output): ProgressBar {
  const bar = totalBytes ? terminalBar('{bar} {percentage}%  {inserted}{left}') : undefined;
  if (!bar || !totalBytes) return { update: () => {}, stop: () => {}, message: output.message };
  const startedAt = performance.now();
  bar.start(totalBytes, 0, { inserted: counted(0, 'record'), left: '' });
  return {
    update: (bytes, inserted) => {
      const leftMs = ((performance.now() - startedAt) / bytes) * (totalBytes - bytes);
      bar.update(bytes, {
        inserted: counted(inserted, 'record'),
        left: inserted > 0 ? `, ${age(leftMs)} left` : '',
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

/** A bar on stderr, where that is a terminal. */
export function terminalBar(format: string): cliProgress.SingleBar | undefined {
  if (!process.stderr.isTTY) return undefined;
  return new cliProgress.SingleBar({
    format,
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

/** How many items have been looked at, on stderr, or nothing where stderr is no terminal. */
export function itemsBar(total: number, output: Output) {
  const format = total > 0 ? '{bar} {percentage}%  {items}{more}{left}' : '{items}{more}';
  const bar = terminalBar(format);
  const startedAt = performance.now();
  let first: number | undefined;
  bar?.start(Math.max(1, total), 0, { items: counted(0, 'item'), more: '', left: '' });
  return {
    update(items: number, more = '') {
      // What an interrupted work had done does not tell how fast this one is.
      first ??= items;
      const done = items - first;
      const leftMs = ((performance.now() - startedAt) / done) * (total - items);
      // DynamoDB counts its items now and then only: there may be more.
      if (items > total) bar?.setTotal(items);
      bar?.update(items, {
        items: counted(items, 'item'),
        more,
        left: done > 0 && leftMs > 0 ? `, ${age(leftMs)} left` : '',
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

/** How far the records of a simulation are, on stderr, or nothing where stderr is no terminal. */
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
