import cliProgress from 'cli-progress';
import { age } from '../duration-text.js';
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
