import { type Snapshot, troublesOf } from 'dynamo-backlog/overview';
import { EXIT, type ExitCode, type Output } from '../output.js';
import type { Reading } from './source.js';
import { oneColumnEach } from './text.js';

/** The text of the flag. */
export const CHECK =
  'end with exit code 3 if a queue fails, is late, loses its runs, has dead records, is not served, or its state is not known; a line for each on stderr';

/** Says what is wrong, a line each. Default: of all queues. */
export function checked({ snapshot }: Reading, output: Output, queues?: readonly string[]): ExitCode {
  const troubles = troublesOf(queues ? partOf(snapshot, queues) : snapshot);
  for (const trouble of troubles) output.message(`check: ${oneColumnEach(trouble)}`);
  return troubles.length > 0 ? EXIT.problems : EXIT.ok;
}

/** The part of a snapshot that is about some queues: also the rules that serve them. */
function partOf(snapshot: Snapshot, names: readonly string[]): Snapshot {
  const { queues, rules, troubles = [] } = snapshot;
  const theirs = rules.filter(({ rule }) => rule.queues.some((name) => names.includes(name)));
  return {
    ...snapshot,
    queues: queues?.filter(({ stats }) => names.includes(stats.queue)),
    rules: theirs,
    troubles: troubles.filter((one) => one.queues.some((name) => names.includes(name))),
  };
}
