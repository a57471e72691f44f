import type { BacklogRecord } from '../../src/record/index.js';

/**
 * Does what code of the user's could do to a record that it gets: spread its payload over it, change it in place, replace and
 * remove its attributes. None of it may be in anything that is written, or decided.
 */
export function spoil(record: BacklogRecord): void {
  const { id, history, problems, lastError, limits, retry, notBefore, payload, attributes } = record;
  (history as unknown[]).push({ at: 7n });
  (problems as string[]).length = 0;
  Object.assign(lastError ?? {}, { name: 'WorkerLost', at: 7n });
  Object.assign(limits ?? {}, { maxAttempts: 1 });
  Object.assign(retry ?? {}, { type: 'nope', maxAttempts: 1 });
  if (typeof notBefore === 'object') Object.assign(notBefore, { lane: 'none', until: 'never' });
  Object.assign(payload ?? {}, { id: `${id} `, version: 'none', status: 'SUCCESS', rev: 'none' });
  Object.assign(attributes, { note: 'none', rev: 'none' });
  Object.assign(record, payload, {
    rev: 'none',
    queue: 'none',
    task: 'none',
    lane: 'none',
    status: 'DEAD',
    attempts: 'x',
    failures: -1,
    retry: { type: 'nope' },
    insertedAt: 'never',
    dueAt: 7,
    payload: undefined,
    notBefore: 'never',
  });
  delete (record as { rev?: unknown }).rev;
  delete (record as { history?: unknown }).history;
}
