import { age } from 'dynamo-backlog/engine';
import { names, type OverviewStats, waitText } from 'dynamo-backlog/overview';
import type { ConsoleDeps } from '../deps.js';
import { Fact, Foreign, Panel } from '../parts.js';
import { whatIfLink } from '../what-if/view.js';

const PACE_MS = 15 * 60_000;

/** The time until a queue is done. */
interface Drain {
  readonly stats: OverviewStats;
  /** The time at the present pace, in milliseconds; undefined: not known. */
  readonly ms: number | undefined;
}

/** Queues with records that wait: first those whose time is not known, then those that take longest. */
function drainsOf({ runtime }: ConsoleDeps, queues: readonly OverviewStats[], now: number): Drain[] {
  return queues
    .filter(({ pending }) => pending > 0)
    .map((stats) => {
      const recent = runtime?.minutesOf(stats.queue).filter(({ at }) => at > now - PACE_MS) ?? [];
      const succeeded = recent.reduce((sum, minute) => sum + minute.succeeded, 0);
      return { stats, ms: succeeded === 0 ? undefined : (stats.pending / succeeded) * PACE_MS };
    })
    .sort(
      (one, other) =>
        (other.ms ?? Number.MAX_SAFE_INTEGER) - (one.ms ?? Number.MAX_SAFE_INTEGER) ||
        other.stats.pending - one.stats.pending,
    );
}

/** `At the pace of the last 15 min, orders is done last, in 2 h.` Undefined: nothing waits, or no pace is known. */
export function doneText(
  deps: ConsoleDeps,
  queues: readonly OverviewStats[],
  now: number,
): string | undefined {
  const drains = drainsOf(deps, queues, now);
  if (!deps.runtime || drains.length === 0) return undefined;
  const paused = drains.filter(({ stats }) => stats.paused).map(({ stats }) => stats.queue);
  const active = drains.filter(({ stats }) => !stats.paused);
  const stuck = active.filter(({ ms }) => ms === undefined).map(({ stats }) => stats.queue);
  const [last, ...others] = active.filter(({ ms }) => ms !== undefined);
  const when = others.length > 0 ? 'is done last, in' : 'is done in';
  return [
    ...(last?.ms === undefined
      ? []
      : [`At the pace of the last 15 min, ${last.stats.queue} ${when} ${age(last.ms)}.`]),
    ...(stuck.length > 0 ? [`No end is known for ${names(stuck)}: no attempt has succeeded in 15 min.`] : []),
    ...(paused.length > 0
      ? [`No end is known for ${names(paused)}: no attempt begins while a queue is paused.`]
      : []),
  ].join(' ');
}

/** The times until the queues are done. A queue in which nothing waits is only named. */
export function DrainPanel(props: { deps: ConsoleDeps; queues: readonly OverviewStats[]; now: number }) {
  const { deps, queues, now } = props;
  if (queues.length === 0) return null;
  const drains = drainsOf(deps, queues, now);
  const drained = queues.filter(({ pending }) => pending === 0).map(({ queue }) => queue);
  const note = deps.runtime
    ? 'at the pace of successes in the last 15 min, if nothing comes in'
    : 'the pace of a deployed backlog is in its metrics, and not known here';
  return (
    <Panel title="Time to drain" note={note} live="drain">
      {drains.length === 0 ? null : (
        <dl class="facts2 drain">
          {drains.map(({ stats: { queue, pending, due, counted, paused }, ms }) => (
            <Fact label={queue}>
              {paused ? (
                <span class="num q">paused</span>
              ) : ms === undefined ? (
                <span class="num q">{deps.runtime ? 'no success in 15 min' : '–'}</span>
              ) : (
                <span class="num">≈ {age(ms)}</span>
              )}
              <span class="sm sub block">{waitText({ pending, counted })}</span>
              {due === undefined ? null : (
                <a class="sm" href={whatIfLink(queue)}>
                  What if<span class="vh"> {queue} had another policy</span>
                </a>
              )}
            </Fact>
          ))}
        </dl>
      )}
      {drained.length === 0 ? null : (
        <p class="pad sub sm">
          No record waits in <Foreign text={names(drained)} most={120} />.
        </p>
      )}
    </Panel>
  );
}
