import type { BacklogRecord } from '../record/index.js';
import { isOfStore } from '../store/errors.js';
import type { RecordStore } from '../store/store.js';
import type { AttemptLogger } from '../support/logger.js';

interface ReadDeps {
  readonly records: Pick<RecordStore, 'get'>;
  readonly logger: AttemptLogger;
}

/**
 * Reads a record, strongly. Undefined: it is gone, or cannot be read for a reason of its own. Then it holds up no other one.
 *
 * @throws StoreError if the store has no answer
 */
export async function readRecord(
  id: string,
  { records, logger }: ReadDeps,
): Promise<BacklogRecord | undefined> {
  try {
    return await records.get(id);
  } catch (error) {
    if (isOfStore(error)) throw error;
    logger.error('a record cannot be read, and its line goes on without it', {
      id,
      reason: (error as Error).name,
    });
    return undefined;
  }
}
