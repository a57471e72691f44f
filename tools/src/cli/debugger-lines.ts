import type { RuntimeStatus } from '../local/status/status.js';
import { printable } from './output.js';

const MAX_LINES = 4;

/** Lists the addresses of the debuggers, one function a line. Empty without `--inspect`. */
export function debuggerLines({ debuggers, statusPage }: RuntimeStatus): string[] {
  if (debuggers === undefined) return [];
  if (debuggers.length === 0) return ['nothing to debug: the app has no "entry" or "handler" of its own'];
  const lines = debuggers.map(({ functionName, port }) => `127.0.0.1:${port}  ${printable(functionName)}`);
  const more = lines.length - MAX_LINES;
  return more <= 0 ? lines : [...lines.slice(0, MAX_LINES), `and ${more} more: ${statusPage}status.json`];
}
