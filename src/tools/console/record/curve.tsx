import { age } from '../../../duration.js';
import { clockText } from '../../format.js';
import { AttemptMark } from './marks.js';
import type { AttemptPlan } from './plan.js';

interface Size {
  readonly width: number;
  readonly height: number;
}

const WIDE: Size = { width: 1120, height: 330 };
const NARROW: Size = { width: 352, height: 300 };
const LEFT = 52;
const RIGHT = 24;
const TOP = 44;
const BOTTOM = 46;
/** Texts that are nearer to each other than this, in units of the picture, would overlap. */
const LABEL_ROOM = 66;

/** So wide is the text at the end of the curve. */
const END_ROOM = 210;

const SECOND = 1_000;
const TICKS: readonly (readonly [ms: number, label: string])[] = [
  [SECOND, '1 s'],
  [10 * SECOND, '10 s'],
  [60 * SECOND, '1 min'],
  [600 * SECOND, '10 min'],
  [3_600 * SECOND, '1 h'],
  [6 * 3_600 * SECOND, '6 h'],
  [86_400 * SECOND, '1 d'],
  [7 * 86_400 * SECOND, '1 w'],
  [30 * 86_400 * SECOND, '1 mo'],
  [365 * 86_400 * SECOND, '1 y'],
];

/** A wait, from one attempt to the next. */
interface Step {
  readonly from: number;
  readonly until: number;
  /** How high it stands, in milliseconds. */
  readonly wait: number;
  readonly kind: 'past' | 'current' | 'planned';
}

/**
 * A record's attempts on its policy's curve: across the time since its insertion, upwards the wait after each attempt,
 * both logarithmic. A policy that waits longer and longer climbs; one that waits the same stays level.
 */
export function Curve(props: { plan: AttemptPlan; insertedAt: number; now: number }) {
  return (
    <div class="curve">
      <div class="only-wide">
        <Picture {...props} size={WIDE} />
      </div>
      <div class="only-narrow">
        <Picture {...props} size={NARROW} />
      </div>
    </div>
  );
}

function Picture(props: { plan: AttemptPlan; insertedAt: number; now: number; size: Size }) {
  const { plan, insertedAt, now, size } = props;
  const steps = stepsOf(plan, now);
  const points = [
    ...plan.past.map(({ at }) => at),
    ...(plan.next === undefined ? [] : [plan.next]),
    ...plan.planned,
  ];
  const ages = points.map((at) => at - insertedAt);
  const least = Math.max(
    SECOND,
    Math.min(now - insertedAt + SECOND, ...ages.filter((ms) => ms > SECOND)) * 0.7,
  );
  const most = Math.max(...ages, now - insertedAt, 5 * least) * 1.25;
  const waits = steps.map(({ wait }) => wait);
  const lowest = Math.min(...waits, 60 * SECOND) * 0.8;
  const highest = Math.max(...waits, 600 * SECOND) * 1.4;
  const bottom = size.height - BOTTOM;
  const x = (at: number) => scale(at - insertedAt, [least, most], [LEFT, size.width - RIGHT]);
  const y = (wait: number) => scale(wait, [lowest, highest], [bottom, TOP]);
  const heightAt = (at: number) => {
    const step = steps.find(({ from }) => from === at);
    const before = steps.find(({ until }) => until === at);
    const shown = step ?? before;
    return shown ? y(shown.wait) : bottom - 12;
  };
  // The text of the end is at the top right.
  const hasRoom = (at: number) =>
    at !== plan.end?.at &&
    (plan.end === undefined || x(at) < x(plan.end.at) - END_ROOM || heightAt(at) > TOP + 30);
  const last = plan.planned.at(-1) ?? plan.next;
  return (
    <svg viewBox={`0 0 ${size.width} ${size.height}`} role="img" aria-label={describe(plan, now)}>
      {size === NARROW && plan.end ? null : (
        <text class="c-label" x={6} y={14}>
          wait after the attempt
        </text>
      )}
      {TICKS.filter(([ms]) => ms >= lowest && ms <= highest).map(([ms, label]) => (
        <>
          <path class="c-grid" d={`M${LEFT} ${y(ms).toFixed(1)}H${size.width - RIGHT}`} />
          <text x={LEFT - 8} y={y(ms) + 4} text-anchor="end">
            {label}
          </text>
        </>
      ))}
      <path class="c-axis" d={`M${LEFT} ${bottom}H${size.width - RIGHT}`} />
      {spaced(
        TICKS.filter(([ms]) => ms >= least && ms <= most),
        ([ms]) => scale(ms, [least, most], [LEFT, size.width - RIGHT]),
        40,
      ).map(([ms, label]) => (
        <text x={scale(ms, [least, most], [LEFT, size.width - RIGHT])} y={bottom + 18} text-anchor="middle">
          {label}
        </text>
      ))}
      <text class="c-label" x={LEFT} y={size.height - 8}>
        {`time since the insertion at ${clockText(insertedAt, now)}, logarithmic`}
      </text>
      {steps.map(({ from, until, kind, wait }) => {
        const height = y(wait);
        const next = steps.find((step) => step.from === until);
        const rise = next ? `V${y(next.wait).toFixed(1)}` : '';
        return (
          <path
            class={`s-${kind}`}
            d={`M${x(from).toFixed(1)} ${height.toFixed(1)}H${x(until).toFixed(1)}${rise}`}
          />
        );
      })}
      <path class="c-now" d={`M${x(now).toFixed(1)} ${TOP - 18}V${bottom}`} />
      <text class="c-strong" x={x(now) + 5} y={TOP - 10}>
        now
      </text>
      {plan.end && last !== undefined ? (
        <>
          <path class="c-end" d={`M${x(plan.end.at).toFixed(1)} ${TOP - 12}V${bottom}`} />
          <text class="c-strong" x={Math.min(x(plan.end.at), size.width - RIGHT)} y={12} text-anchor="end">
            {plan.end.reason === 'expired' ? 'gives up: too old' : 'gives up after its last attempt'}
          </text>
          <text x={Math.min(x(plan.end.at), size.width - RIGHT)} y={26} text-anchor="end">
            {`${clockText(plan.end.at, now)}, ${age(plan.end.at - insertedAt)} old`}
          </text>
        </>
      ) : null}
      {spaced(plan.past, ({ at }) => x(at), 16).map(({ at, attempt }) => (
        <text x={x(at)} y={heightAt(at) - 12} text-anchor="middle">
          {attempt}
        </text>
      ))}
      {plan.past.map(({ at, kind }) => (
        <AttemptMark kind={kind} x={x(at)} y={heightAt(at)} />
      ))}
      {spaced(plan.planned, x, 11).map((at) =>
        at === plan.end?.at ? null : <AttemptMark kind="planned" x={x(at)} y={heightAt(at)} />,
      )}
      {plan.end ? <AttemptMark kind="givesUp" x={x(plan.end.at)} y={heightAt(plan.end.at)} /> : null}
      {spaced(plan.planned.filter(hasRoom), x, LABEL_ROOM).map((at) => (
        <text x={x(at)} y={heightAt(at) - 12} text-anchor="end">
          {shortClock(at, now)}
        </text>
      ))}
      {plan.next === undefined ? null : (
        <>
          <AttemptMark kind="next" x={x(plan.next)} y={heightAt(plan.next)} />
          <text class="c-retry-text" x={x(plan.next) + 12} y={Math.min(heightAt(plan.next) + 22, bottom - 6)}>
            {plan.next > now ? `next in ${age(plan.next - now)}` : 'due now'}
          </text>
        </>
      )}
    </svg>
  );
}

function scale(
  value: number,
  [from, to]: readonly [number, number],
  [start, end]: readonly [number, number],
): number {
  const share = Math.log(Math.max(value, from) / from) / Math.log(to / from);
  return start + Math.min(1, share) * (end - start);
}

function stepsOf({ past, next, planned }: AttemptPlan, now: number): Step[] {
  const ends = [...past.map(({ at }) => at), ...(next === undefined ? [] : [next]), ...planned];
  let before = 0;
  return ends.slice(1).map((until, i): Step => {
    const from = ends[i] ?? until;
    // What is due now waits for its run, for as long as before at least: its wait is not over.
    const wait = Math.max(
      SECOND,
      until === next && until <= now ? Math.max(before, until - from) : until - from,
    );
    before = wait;
    const kind = until === next ? 'current' : until <= now ? 'past' : 'planned';
    return { from, until, wait, kind };
  });
}

/** Those that are far enough from the one before them. */
function spaced<One>(all: readonly One[], x: (one: One) => number, room: number): One[] {
  let end = Number.NEGATIVE_INFINITY;
  return all.filter((one) => {
    if (x(one) - end < room) return false;
    end = x(one);
    return true;
  });
}

function shortClock(at: number, now: number): string {
  const text = clockText(at, now);
  return text.length === 8 ? text.slice(0, 5) : text.replace(/ \d\d:\d\d$/, '');
}

function describe({ past, next, planned, end }: AttemptPlan, now: number): string {
  const ended = past.length === 0 ? 'No attempt yet.' : `${past.length} attempts ended.`;
  const then = next === undefined ? '' : ` The next one is due ${clockText(next, now)}.`;
  const more = planned.length === 0 ? '' : ` ${planned.length} more are planned if it fails.`;
  const last = end === undefined ? '' : ` The record is given up ${clockText(end.at, now)}.`;
  return `${ended}${then}${more}${last}`;
}
