import { textWidth } from './text.js';

interface Unit {
  readonly text: string;
  readonly seconds: number;
  /** Distances of two ticks, in this unit; beyond the last, its multiples by ten. */
  readonly steps: readonly number[];
}

/** Units of an axis. It has the greatest one of which its range holds three at least. */
const UNITS: readonly Unit[] = [
  { text: 'y', seconds: 365 * 86_400, steps: [1, 2, 5] },
  { text: 'd', seconds: 86_400, steps: [1, 2, 5] },
  { text: 'h', seconds: 3_600, steps: [1, 2, 3, 6, 12, 24] },
  { text: 'min', seconds: 60, steps: [1, 2, 5, 10, 15, 20, 30, 60] },
];
const SECONDS: Unit = { text: 's', seconds: 1, steps: [1, 2, 5, 10, 15, 20, 30, 60] };

/** A place on an axis of time, and its text. */
export interface TimeTick {
  readonly seconds: number;
  /** `0`, `20 min`, `6 h`, `2 d` */
  readonly text: string;
}

/**
 * Ticks from 0 to the range's end, at round numbers of one unit.
 *
 * @param most the greatest number of ticks beside the 0
 * @param isRound the last tick is at the end of the range or beyond it
 */
export function linearTicks(rangeSeconds: number, most: number, isRound = false): TimeTick[] {
  const unit = UNITS.find(({ seconds }) => rangeSeconds >= 3 * seconds) ?? SECONDS;
  const range = rangeSeconds / unit.seconds;
  const step = stepOf(unit, range / most);
  // A last digit of the range must not cost its tick.
  const count = isRound ? Math.ceil(range / step - 1e-9) : Math.floor(range / step + 1e-9);
  return Array.from({ length: count + 1 }, (_, i) => ({
    seconds: i * step * unit.seconds,
    text: i === 0 ? '0' : `${(i * step).toLocaleString('en-US')} ${unit.text}`,
  }));
}

function stepOf({ steps }: Unit, least: number): number {
  for (let power = 1; ; power *= 10) {
    const step = steps.find((one) => one * power >= least);
    if (step !== undefined) return step * power;
  }
}

/** Times that have a common name. */
const NAMED: readonly TimeTick[] = [
  { seconds: 1, text: '1 s' },
  { seconds: 10, text: '10 s' },
  { seconds: 60, text: '1 min' },
  { seconds: 600, text: '10 min' },
  { seconds: 3_600, text: '1 h' },
  { seconds: 21_600, text: '6 h' },
  { seconds: 86_400, text: '1 d' },
  { seconds: 7 * 86_400, text: '7 d' },
  { seconds: 30 * 86_400, text: '30 d' },
  { seconds: 180 * 86_400, text: '180 d' },
  { seconds: 3 * 365 * 86_400, text: '3 y' },
  { seconds: 15 * 365 * 86_400, text: '15 y' },
  { seconds: 100 * 365 * 86_400, text: '100 y' },
];

/** Ticks of a logarithmic axis: times with a name, between the two. */
export function namedTicks(leastSeconds: number, mostSeconds: number): TimeTick[] {
  return NAMED.filter(({ seconds }) => leastSeconds <= seconds && seconds <= mostSeconds);
}

/**
 * Ticks whose text leaves room between it and the one before, and ends before the picture does.
 *
 * @param place in pixels
 * @param limit the end of the picture, in pixels
 */
export function apart(
  ticks: readonly TimeTick[],
  { place, limit, size }: { place: (seconds: number) => number; limit: number; size: number },
): TimeTick[] {
  let end = Number.NEGATIVE_INFINITY;
  return ticks.filter(({ seconds, text }) => {
    const half = textWidth(text, size) / 2;
    if (place(seconds) - half < end || place(seconds) + half > limit) return false;
    end = place(seconds) + half + size / 2;
    return true;
  });
}
