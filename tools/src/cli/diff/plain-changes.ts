import type { Stack } from '../../local/template/assembly.js';
import type { Change } from './change.js';
import { compare } from './compare.js';
import { readMetadata } from './read-metadata.js';

/** Lists what changes for the queues from one synthesis of an app to the next, one line for each change. */
export function plainChanges(before: readonly Stack[], after: readonly Stack[]): string[] {
  const gone = before.filter(({ name }) => !after.some((stack) => stack.name === name));
  return [
    ...gone.map(({ name }) => `stack ${name}: removed`),
    ...after.flatMap(({ name, template }) => {
      const known = before.find((stack) => stack.name === name);
      if (!known) return [`stack ${name}: added`];
      return compare(readMetadata(known.template, name), readMetadata(template, name)).map(lineOf);
    }),
  ];
}

/** Formats a change. A safe one needs no second sentence. */
function lineOf({ backlog, queue, what, effect, severity }: Change): string {
  const subject = queue === undefined ? backlog : `queue ${queue}`;
  return `${subject}: ${what}${severity === 'safe' ? '' : `. ${effect}`}`;
}
