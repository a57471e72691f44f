import type { BacklogRecord } from '../record/index.js';
import type { Task } from '../tasks/index.js';

/** A record as it was when the test asked for it. */
export interface TestRecord extends BacklogRecord {
  /** The time of its next attempt, were its queue not paused; absent: it has succeeded or died, waits for its turn in a line, or its queue is unknown. */
  readonly nextAttemptAt?: Date | undefined;
  /** The backlog's time when the test asked. */
  readonly readAt: Date;
}

/** The records that are meant: all that is given must hold. */
export interface RecordFilter {
  /** The name of a queue. */
  readonly queue?: string | undefined;
  /** Their status. */
  readonly status?: BacklogRecord['status'] | undefined;
  /** A task, or its name. */
  readonly task?: string | Pick<Task, 'name'> | undefined;
  /** Their key, a customer or tenant. */
  readonly key?: string | undefined;
}

export function isMeant(record: BacklogRecord, { queue, status, task, key }: RecordFilter): boolean {
  const name = typeof task === 'object' ? task.name : task;
  return (
    (queue === undefined || record.queue === queue) &&
    (status === undefined || record.status === status) &&
    (name === undefined || record.task === name) &&
    (key === undefined || record.key === key)
  );
}

/** Copies a record without what only its store knows: records are compared in tests. */
export function testRecord(
  record: BacklogRecord,
  now: number,
  nextAttemptAt: number | undefined,
): TestRecord {
  return {
    ...(Object.fromEntries(Object.entries(record)) as unknown as BacklogRecord),
    ...(nextAttemptAt === undefined ? {} : { nextAttemptAt: new Date(nextAttemptAt) }),
    readAt: new Date(now),
  };
}
