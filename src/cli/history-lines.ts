import type { HistoryEntry } from '../record/index.js';
import { printable } from './output.js';
import type { Paint } from './paint.js';

/** `2026-11-20T09:30:00.000Z  attempt 3  HttpError: HTTP 503  (240 ms; next 2026-11-20T09:33:00.000Z in retries)` */
export function historyLines(entry: HistoryEntry, paint: Paint): string[] {
  const { at, attempt, ms, outcome, message, next, queue, stack } = entry;
  const what = [outcome ?? entry.name ?? 'failed', message].filter(Boolean).join(': ');
  const then = [
    ms === undefined ? '' : `${ms} ms`,
    next === undefined
      ? ''
      : next === 'dead'
        ? next
        : `next ${next}${queue === undefined ? '' : ` in ${queue}`}`,
  ].filter(Boolean);
  const more = then.length > 0 ? `  ${paint('dim', `(${printable(then.join('; '))})`)}` : '';
  const frames = stack === undefined ? [] : stack.split('\n');
  return [
    `  ${paint('dim', `${printable(at)}  attempt ${attempt}`)}  ${printable(what)}${more}`,
    ...frames.map((frame) => `      ${paint('dim', printable(frame))}`),
  ];
}
