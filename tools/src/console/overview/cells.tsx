import { age } from 'dynamo-backlog/engine';
import { COUNT_SIGNS, counted, pausedKeysText, type QueueView } from 'dynamo-backlog/overview';
import { heldLink } from '../lines/looks.js';
import { Foreign, link, Unknown } from '../parts.js';

/** The time since the oldest due time, or until it. @param inLine what is beside it is left out */
export function OldestDue({
  view: { stats },
  now,
  inLine,
}: {
  view: QueueView;
  now: number;
  inLine?: boolean;
}) {
  const { retryMode } = stats;
  if (stats.oldestDueAt === undefined) return <Unknown why="no record waits" />;
  const ms = now - Date.parse(stats.oldestDueAt);
  if (!Number.isFinite(ms)) return <Unknown why="its due time cannot be read" />;
  if (retryMode === 'progressive' && ms >= 0) {
    return (
      <>
        {age(ms)}
        {inLine ? <span class="q sm"> old</span> : <span class="sm sub block">since its insertion</span>}
      </>
    );
  }
  return ms >= 0 ? <span>{age(ms)}</span> : <span class="q">in {age(-ms)}</span>;
}

/** The share of the attempts that failed. @param inLine what is beside it is left out */
export function FailedShare({ recent, inLine }: { recent: QueueView['recent']; inLine?: boolean }) {
  const all = recent ? recent.succeeded + recent.failed : 0;
  if (!recent || all === 0) return <Unknown why="no attempt in 15 min" />;
  if (recent.failed === 0) return <span class="q">0 %</span>;
  return (
    <>
      {Math.max(1, Math.round((100 * recent.failed) / all))} %
      {inLine ? null : (
        <span class="sm sub block">
          {recent.failed} of {all}
        </span>
      )}
    </>
  );
}

/** The link to the page that pauses or resumes a queue. */
export function PauseLink({ queue, isPaused }: { queue: string; isPaused: boolean }) {
  return (
    <a class="sub sm" href={link('/queue', { name: queue })}>
      {isPaused ? 'Resume' : 'Pause'}…<span class="vh"> {queue}</span>
    </a>
  );
}

/** The link to the keys of a queue that are held. Nothing, if none is. */
export function HeldKeys({ view: { stats, held } }: { view: QueueView }) {
  if (held === undefined) return null;
  return (
    <span class="block">
      <a href={heldLink(stats.queue)}>
        {held.hasMore ? COUNT_SIGNS.atLeast : ''}
        {counted(held.keys, 'key')} held
      </a>
    </span>
  );
}

/** The keys of a queue that are paused: one with its note, more by their number. */
export function PausedKeys({
  stats: { queue, pausedKeys = [] },
  now,
}: {
  stats: QueueView['stats'];
  now: number;
}) {
  const [first] = pausedKeys;
  if (!first) return null;
  const address =
    pausedKeys.length > 1 ? link('/failures', {}) : link('/queue-key', { name: queue, key: first.key });
  return (
    <span class="block">
      <a href={address}>
        <Foreign text={pausedKeysText(pausedKeys, now)} most={450} />
      </a>
    </span>
  );
}
