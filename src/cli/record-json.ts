import { jsonOf } from '../delivery/body.js';
import type { BacklogRecord } from '../record/index.js';

/** A record as one line of JSON, its numbers with all their digits. */
export function recordJson(record: BacklogRecord): string {
  return jsonOf(record);
}

/** The same over several lines, for people. */
export function indentJson(json: string): string {
  let depth = 0;
  return json.replace(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]/g, (token) => {
    if (token.length > 1) return token;
    if (token === ',') return `,\n${'  '.repeat(depth)}`;
    if (token === ':') return ': ';
    depth += token === '{' || token === '[' ? 1 : -1;
    const line = `\n${'  '.repeat(depth)}`;
    return token === '{' || token === '[' ? `${token}${line}` : `${line}${token}`;
  });
}
