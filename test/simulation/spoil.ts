import type { BacklogRecord } from '../../src/record/index.js';

/** What a handler could do to the record that it gets: none of it may be in anything that is written. */
export function spoil(record: BacklogRecord): void {
  const { history, problems, lastError, limits } = record;
  (history as unknown[]).push({ at: 7n });
  (problems as string[]).length = 0;
  Object.assign(lastError ?? {}, { name: 'WorkerLost', at: 7n });
  Object.assign(limits ?? {}, { maxAttempts: 1 });
  const { id } = record;
  Object.assign(record, {
    id: `${id} `,
    rev: 'none',
    queue: 'none',
    lane: 'none',
    status: 'DEAD',
    attempts: 'x',
  });
  Object.assign(record, {
    failures: -1,
    retry: { type: 'nope' },
    insertedAt: 'never',
    dueAt: 7,
    payload: undefined,
  });
}
