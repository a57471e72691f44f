import type { RuntimeStatus } from '../local/status/status.js';
import { printable } from './output.js';
import type { Paint } from './paint.js';

const MOST_LINES = 4;
/** Real time. What a good save came to is then known; what is wrong stays until a save is good again. */
const SHOWN_FOR_MS = 60_000;

/** What came of the last save of the app's files, for the terminal. */
export function reloadLines({ reload }: RuntimeStatus, paint: Paint, now = Date.now()): string[] {
  if (!reload) return [];
  const { ok, text, lines, at } = reload;
  if (ok && now - Date.parse(at) > SHOWN_FOR_MS) return [];
  const shown =
    lines.length > MOST_LINES
      ? [...lines.slice(0, MOST_LINES - 1), `and ${lines.length - MOST_LINES + 1} more`]
      : lines;
  const color = ok ? 'green' : 'red';
  return [
    '',
    paint(color, `${ok ? 'reload' : 'not reloaded'}: ${printable(text)}`),
    ...shown.map((line) => paint('dim', `  ${printable(line)}`)),
  ];
}
