import { age } from '../duration-text.js';
import { counted, type Output } from './output.js';
import { terminalBar } from './progress.js';

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
