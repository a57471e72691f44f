import type { RuntimeStatus } from '../local/status/status.js';
import { printable } from './output.js';
import type { Paint } from './paint.js';

/** Lines of what has changed, or of what the compiler wrote. */
const MAX_DETAILS = 4;
/** Real time. What a good save came to is then known; what is wrong stays until a save is good again. */
const SHOWN_FOR_MS = 60_000;

/**
 * Lines on the last save of the app's files, for the terminal. An empty line is above them, if there is room.
 *
 * @param most lines
 * @param now real time, epoch milliseconds
 */
export function reloadLines(
  { reload }: RuntimeStatus,
  most: number,
  paint: Paint,
  now = Date.now(),
): string[] {
  if (!reload || most < 1) return [];
  const { ok, text, lines, at } = reload;
  if (ok && now - Date.parse(at) > SHOWN_FOR_MS) return [];
  const room = Math.min(MAX_DETAILS, most < 3 ? most - 1 : most - 2);
  const shown =
    lines.length > room ? [...lines.slice(0, Math.max(0, room - 1)), moreText(lines, room)] : lines;
  const color = ok ? 'green' : 'red';
  return [
    ...(most < 3 ? [] : ['']),
    paint(color, `${ok ? 'reload' : 'not reloaded'}: ${printable(text)}`),
    ...shown.map((line) => paint('dim', `  ${printable(line)}`)),
  ].slice(0, most);
}

function moreText(lines: readonly string[], room: number): string {
  return room <= 1
    ? `${lines.length} lines of it are in /status.json`
    : `and ${lines.length - room + 1} more`;
}
