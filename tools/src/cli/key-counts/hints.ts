import type { KeyCounts } from 'dynamo-backlog/overview';
import { plain } from '../failures/lines.js';

/** The commands to look at the key that waits most, and to redrive the one with most dead records. */
export function hintLines(keys: readonly KeyCounts[]): string[] {
  const named = keys.filter(({ key }) => key !== undefined);
  const most = (numberOf: (one: KeyCounts) => number) => {
    const [first] = [...named].sort((one, other) => numberOf(other) - numberOf(one));
    return first && numberOf(first) > 0 ? first : undefined;
  };
  const waits = most(({ retry }) => retry) ?? most(({ waiting }) => waiting);
  const dead = most((one) => one.dead);
  const status = waits && waits.retry > 0 ? ' --status ERROR' : '';
  return [
    ...commandOf(waits, (which) => `npx backlog list ${which}${status}`),
    ...commandOf(dead, (which) => `npx backlog redrive ${which} --dry-run`),
  ];
}

/** The command for one key; none where its text cannot be typed, or cannot be seen as it is. */
function commandOf(one: KeyCounts | undefined, command: (which: string) => string): string[] {
  const { key, queues: [queue] = [] } = one ?? {};
  if (key === undefined || plain(key) !== key) return [];
  return [
    command(
      `${queue === undefined ? '' : `--queue ${queue} `}--key${key.startsWith('-') ? '=' : ' '}${shellWord(key)}`,
    ),
  ];
}

/** A text as one word of a shell. */
export function shellWord(text: string): string {
  return /^[\w.:@/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
