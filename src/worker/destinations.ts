import { type BacklogRecord, copyForHandler, MAX_GROUP_LENGTH, nameOfThrown } from '../record/index.js';
import type { AttemptLogger } from '../support/logger.js';
import { show } from '../support/validation.js';
import type { DestinationOf } from './options.js';

/** Names the destination of a record. Undefined: its name cannot be had. */
export type DestinationName = (record: BacklogRecord) => string | undefined;

/**
 * Asks the handler's function, once for each record that a run has read. Names are cut, as the queue's item has them, and every page
 * reads that. A fault of the function keeps no record from its attempt.
 */
export function destinationNames(destinationOf: DestinationOf, logger: AttemptLogger): DestinationName {
  const known = new WeakMap<BacklogRecord, { readonly name: string | undefined }>();
  const ask = (record: BacklogRecord) => {
    try {
      const name: unknown = destinationOf(copyForHandler(record));
      if (typeof name === 'string' && name !== '')
        return name.slice(0, MAX_GROUP_LENGTH).replace(/\p{Surrogate}/gu, '\ufffd');
      logger.warn(`destination: expected a name, got ${show(name)}`, { id: record.id });
    } catch (error) {
      logger.warn('destination: the function threw', { id: record.id, error: show(nameOfThrown(error)) });
    }
    return undefined;
  };
  return (record) => {
    const answer = known.get(record) ?? { name: ask(record) };
    known.set(record, answer);
    return answer.name;
  };
}
