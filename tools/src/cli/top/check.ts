import { troublesOf } from 'dynamo-backlog/overview';
import { EXIT, type ExitCode, type Output } from '../output.js';
import type { Reading } from './source.js';
import { oneColumnEach } from './text.js';

/** The text of the flag. */
export const CHECK =
  'end with exit code 3 if a queue fails, is late, has dead records, is not served, or its state is not known; a line for each on stderr';

/** Says what is wrong, a line each. Default: of all queues. */
export function checked({ snapshot }: Reading, output: Output, queues?: readonly string[]): ExitCode {
  const wanted = queues && {
    ...snapshot,
    queues: snapshot.queues?.filter(({ stats }) => queues.includes(stats.queue)),
    rules: [],
  };
  const troubles = troublesOf(wanted ?? snapshot);
  for (const trouble of troubles) output.message(`check: ${oneColumnEach(trouble)}`);
  return troubles.length > 0 ? EXIT.problems : EXIT.ok;
}
