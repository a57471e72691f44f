import { age } from 'dynamo-backlog/engine';
import { clockText, counted } from 'dynamo-backlog/overview';
import { type Label, Labels, Room } from './labels.js';
import { AttemptMark } from './marks.js';
import type { AttemptPlan } from './plan.js';

interface Size {
  readonly width: number;
  readonly height: number;
}

const WIDE: Size = { width: 1120, height: 340 };
const NARROW: Size = { width: 352, height: 314 };
const LEFT = 52;
const RIGHT = 24;
/** Room for two lines about the end, and below them `now`. */
const TOP = 58;
const BOTTOM = 46;
/** The top of the lines of `now` and of the end, below the texts of the end. */
const LINES_TOP = 33;

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
  /** The wait, which is its height in the picture, in milliseconds. */
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
  const marks = [
    ...plan.past.map(({ at, kind }) => ({ at, kind })),
    ...spaced(plan.planned, x, 11).flatMap((at) =>
      at === plan.end?.at ? [] : [{ at, kind: 'planned' as const }],
    ),
    ...(plan.end ? [{ at: plan.end.at, kind: 'givesUp' as const }] : []),
    ...(plan.next === undefined ? [] : [{ at: plan.next, kind: 'next' as const }]),
  ].map(({ at, kind }) => ({ kind, x: x(at), y: heightAt(at) }));
  const lines = steps.map(({ from, until, kind, wait }) => {
    const next = steps.find((step) => step.from === until);
    return { kind, x1: x(from), x2: x(until), y1: y(wait), y2: next ? y(next.wait) : y(wait) };
  });
  const labels = labelsOf({ plan, insertedAt, now, size, marks, lines, x, heightAt });
  return (
    <svg viewBox={`0 0 ${size.width} ${size.height}`} role="img" aria-label={describe(plan, now)}>
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
      {lines.map(({ kind, x1, x2, y1, y2 }) => (
        <path
          class={`s-${kind}`}
          d={`M${x1.toFixed(1)} ${y1.toFixed(1)}H${x2.toFixed(1)}${y1 === y2 ? '' : `V${y2.toFixed(1)}`}`}
        />
      ))}
      <path class="c-now" d={`M${x(now).toFixed(1)} ${LINES_TOP}V${bottom}`} />
      {plan.end ? <path class="c-end" d={`M${x(plan.end.at).toFixed(1)} ${LINES_TOP}V${bottom}`} /> : null}
      {marks.map((mark) => (
        <AttemptMark {...mark} />
      ))}
      <Labels of={labels} />
    </svg>
  );
}

interface Drawn {
  readonly plan: AttemptPlan;
  readonly insertedAt: number;
  readonly now: number;
  readonly size: Size;
  readonly marks: readonly { readonly x: number; readonly y: number }[];
  readonly lines: readonly {
    readonly x1: number;
    readonly x2: number;
    readonly y1: number;
    readonly y2: number;
  }[];
  readonly x: (at: number) => number;
  readonly heightAt: (at: number) => number;
}

/** The texts of the picture, the most important first. A text for which there is no room is left out. */
function labelsOf({ plan, insertedAt, now, size, marks, lines, x, heightAt }: Drawn): (Label | undefined)[] {
  const bottom = size.height - BOTTOM;
  const room = new Room(size.width, size.height);
  for (const mark of marks) room.take(mark.x, mark.y, mark.x, mark.y, 7);
  for (const { x1, x2, y1, y2 } of lines) {
    room.take(x1, y1, x2, y1);
    room.take(x2, y1, x2, y2);
  }
  room.take(x(now), LINES_TOP, x(now), bottom);
  // The labels of the axes have their own margins.
  room.take(0, TOP - 8, LEFT - 4, bottom);
  room.take(0, bottom, size.width, bottom + 22);
  const placed: (Label | undefined)[] = [
    ...axisTexts(insertedAt, now, size).map((text) => room.place(...text)),
  ];
  if (plan.end) {
    room.take(x(plan.end.at), LINES_TOP, x(plan.end.at), bottom);
    const at = { x: Math.min(x(plan.end.at), size.width - 2), anchor: 'end' as const };
    const why = plan.end.reason === 'expired' ? 'gives up: too old' : 'gives up after its last attempt';
    const when = `${clockText(plan.end.at, now)}, ${age(plan.end.at - insertedAt)} old`;
    placed.push(
      room.place({ ...at, text: why, y: 12, class: 'c-strong' }),
      room.place({ ...at, text: when, y: 26 }),
    );
  }
  const besideNow = { text: 'now', y: LINES_TOP + 10, class: 'c-strong' };
  placed.push(
    room.place({ ...besideNow, x: x(now) + 5 }, { ...besideNow, x: x(now) - 5, anchor: 'end' }),
    plan.next === undefined
      ? undefined
      : nextLabel(room, plan, now, { x: x(plan.next), y: heightAt(plan.next) }),
  );
  const [newest, ...earlier] = [...plan.past].reverse();
  const oldest = earlier.pop();
  for (const { at, attempt } of [newest, oldest, ...earlier].filter((one) => one !== undefined)) {
    placed.push(room.place({ text: String(attempt), x: x(at), y: heightAt(at) - 11, anchor: 'middle' }));
  }
  const planned = plan.planned.filter((at) => at !== plan.end?.at);
  const said = new Set<string>();
  // The first one, the last one, then those between.
  for (const at of [...planned.slice(0, 1), ...planned.slice(1).reverse()]) {
    const text = shortClock(at, now);
    if (said.has(text)) continue;
    const above: Label = { text, x: x(at) - 3, y: heightAt(at) - 10, anchor: 'end' };
    const below: Label = { text, x: x(at) + 10, y: heightAt(at) + 14 };
    const label = room.place(above, ...(at === planned[0] ? [below] : []));
    if (label) said.add(text);
    placed.push(label);
  }
  return placed;
}

/** The names of the axes: the place of each, and a shorter text for where there is less room. */
function axisTexts(insertedAt: number, now: number, size: Size): Label[][] {
  const since = `time since the insertion at ${clockText(insertedAt, now)}`;
  const texts = [`${since}, logarithmic`, since];
  return [
    [LEFT, 6].flatMap((left) =>
      texts.map((text) => ({ text, x: left, y: size.height - 8, class: 'c-label' })),
    ),
    [{ text: 'wait after the attempt', x: 6, y: 44, class: 'c-label' }],
  ];
}

/** The label beside the ring of the next attempt, on a side that is free. */
function nextLabel(
  room: Room,
  { next = 0, endsOutside }: AttemptPlan,
  now: number,
  ring: { x: number; y: number },
): Label | undefined {
  const text = endsOutside
    ? `times out in ${age(next - now)}`
    : next > now
      ? `next in ${age(next - now)}`
      : 'due now';
  const common = { text, class: 'c-retry-text' };
  const [right, left] = [ring.x + 12, ring.x - 12];
  return room.place(
    { ...common, x: right, y: ring.y + 22 },
    { ...common, x: left, y: ring.y + 22, anchor: 'end' },
    { ...common, x: right, y: ring.y - 14 },
    { ...common, x: left, y: ring.y - 14, anchor: 'end' },
    { ...common, x: right, y: ring.y + 40 },
    { ...common, x: left, y: ring.y + 40, anchor: 'end' },
    { ...common, x: right, y: ring.y - 30 },
    { ...common, x: left, y: ring.y - 30, anchor: 'end' },
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

/** The ones that are far enough from the one before them. */
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

function describe({ past, next, endsOutside, planned, end }: AttemptPlan, now: number): string {
  const ended = past.length === 0 ? 'No attempt yet.' : `${counted(past.length, 'attempt')} ended.`;
  const what = endsOutside ? 'One waits for its end from outside until' : 'The next one is due';
  const then = next === undefined ? '' : ` ${what} ${clockText(next, now)}.`;
  const more =
    planned.length === 0
      ? ''
      : ` ${planned.length} more ${planned.length === 1 ? 'is' : 'are'} planned if it fails.`;
  const last = end === undefined ? '' : ` The record is given up ${clockText(end.at, now)}.`;
  return `${ended}${then}${more}${last}`;
}
