import type { BacklogRecord } from 'dynamo-backlog';
import { isPending, nextAttemptAt } from 'dynamo-backlog/engine';
import { outsideWait } from '../../outside-wait.js';
import { Unknown, When } from '../parts.js';

/** The time at which a record that waits is attempted next; for another one, the time at which it ended. */
export function NextAttempt(props: {
  record: BacklogRecord;
  now: number;
  isRunning: boolean;
  /** No run attempts records of its queue. */
  isPaused: boolean;
}) {
  const { record, now, isRunning, isPaused } = props;
  if (isRunning) return <span>now</span>;
  if (!isPending(record)) {
    const ended = record.status === 'DEAD' ? (record.dueAt ?? record.lastAttemptAt) : record.lastAttemptAt;
    if (ended === undefined) return <Unknown />;
    return (
      <span class="q">
        {record.status === 'DEAD' ? 'dead ' : 'done '}
        <When at={ended} now={now} />
      </span>
    );
  }
  const due = Date.parse(nextAttemptAt(record) ?? record.insertedAt);
  if (due > now && outsideWait(record)?.until === record.dueAt)
    return (
      <span>
        outside, at the latest <When at={due} now={now} />
      </span>
    );
  if (due > now) return <When at={due} now={now} />;
  if (isPaused) return <span>when its queue goes on</span>;
  if (record.lane !== undefined) return <span>at the next run</span>;
  return <span>{record.seq === undefined ? 'when it is indexed' : 'in the turn of its key'}</span>;
}
