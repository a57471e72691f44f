import type { BacklogRecord } from '../record/index.js';
import { takePollution } from '../support/prototypes.js';
import type { Finding } from './findings.js';

/**
 * The finding about an attempt that has added properties to `Object.prototype`. Removes them.
 *
 * @returns undefined: it added none
 */
export function pollutedPrototype({ id, queue }: BacklogRecord, attempt: number): Finding | undefined {
  // Taken: the finding tells it, and no run of a later test does.
  const names = takePollution();
  if (names.length === 0) return undefined;
  return {
    type: 'pollutedPrototype',
    id,
    queue,
    attempt,
    message:
      `attempt ${attempt} of the record "${id}" (queue "${queue}") added ${names.map((name) => `"${name}"`).join(', ')} to ` +
      'Object.prototype, so that all objects have it: look for a merge of a payload with a key "__proto__"',
  };
}
