import { clockText, count, counted, type MinuteCount } from 'dynamo-backlog/overview';

const MINUTE_MS = 60_000;
const SHOWN_MINUTES = 120;
const WIDTH = 360;
const STEP = WIDTH / SHOWN_MINUTES;
const BAR = STEP - 0.6;
/** The line between successes, above it, and failures, below it. */
const BASE = 44;
const HALF = 28;
const HEIGHT = 88;
/** Minutes without a success that are apart by no more than this are one outage. */
const GAP_MINUTES = 10;
const MIN_OUTAGE_MINUTES = 3;

/**
 * Attempts per minute in the last two hours: successes upwards, failures downwards, so that direction speaks without
 * colour. Heights are square roots, which shows a few failures among many successes.
 */
export function MinutesChart(props: { queue: string; minutes: readonly MinuteCount[]; now: number }) {
  const { queue, minutes, now } = props;
  const end = Math.floor(now / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  const start = end - SHOWN_MINUTES * MINUTE_MS;
  const shown = minutes.filter(({ at }) => at >= start && at < end);
  if (shown.length === 0) return <p class="q sm">no attempt in the last 2 h</p>;
  const most = Math.max(...shown.map(({ succeeded, failed }) => Math.max(succeeded, failed)));
  const x = (at: number) => ((at - start) / MINUTE_MS) * STEP;
  const height = (value: number) => (value === 0 ? 0 : Math.max(2, Math.sqrt(value / most) * HALF));
  const bars = (of: 'succeeded' | 'failed', down: number) =>
    shown
      .filter((minute) => minute[of] > 0)
      .map(
        (minute) =>
          `M${x(minute.at).toFixed(1)} ${BASE}v${(down * height(minute[of])).toFixed(1)}h${BAR}V${BASE}z`,
      )
      .join('');
  const [ok, bad] = (['succeeded', 'failed'] as const).map((of) => Math.max(...shown.map((one) => one[of])));
  const outages = outagesOf(shown);
  const last = outages.at(-1);
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={labelOf(queue, shown, last, now)}>
      {outages.map(({ from, until }) => (
        <rect class="c-shade" x={x(from)} y={14} width={Math.max(STEP, x(until) - x(from))} height={62} />
      ))}
      <path class="c-ok" d={bars('succeeded', -1)} />
      <path class="c-bad" d={bars('failed', 1)} />
      <path class="c-axis" d={`M0 ${BASE}.5H${WIDTH}`} />
      <text x={0} y={10}>
        {`max ${count(ok ?? 0)} ok, ${count(bad ?? 0)} failed a min`}
      </text>
      {last ? (
        <text class="c-label" x={WIDTH} y={10} text-anchor="end">
          {outageText(last, now)}
        </text>
      ) : null}
      {halfHours(start, end).map((at) => (
        <>
          <path class="c-axis" d={`M${x(at)} 74v3`} />
          <text x={x(at)} y={87} text-anchor="middle">
            {new Date(at).toISOString().slice(11, 16)}
          </text>
        </>
      ))}
    </svg>
  );
}

interface Outage {
  readonly from: number;
  /** The beginning of the minute after its last one. */
  readonly until: number;
}

/** Stretches of minutes in which attempts were made and none succeeded. */
export function outagesOf(minutes: readonly MinuteCount[]): Outage[] {
  const found: { from: number; until: number }[] = [];
  for (const { at, succeeded, failed } of minutes) {
    const last = found.at(-1);
    if (succeeded === 0 && failed > 0) {
      if (last && at - last.until < GAP_MINUTES * MINUTE_MS && !hasSuccess(minutes, last.until, at)) {
        last.until = at + MINUTE_MS;
      } else found.push({ from: at, until: at + MINUTE_MS });
    }
  }
  return found.filter(({ from, until }) => until - from >= MIN_OUTAGE_MINUTES * MINUTE_MS);
}

function hasSuccess(minutes: readonly MinuteCount[], from: number, until: number): boolean {
  return minutes.some(({ at, succeeded }) => at >= from && at < until && succeeded > 0);
}

function outageText({ from, until }: Outage, now: number): string {
  const time = (at: number) => clockText(at, at).slice(0, 5);
  return until > now - MINUTE_MS ? `failing since ${time(from)}` : `failing ${time(from)}–${time(until)}`;
}

function labelOf(
  queue: string,
  shown: readonly MinuteCount[],
  last: Outage | undefined,
  now: number,
): string {
  const sum = (of: 'succeeded' | 'failed') => shown.reduce((total, one) => total + one[of], 0);
  const counts = `${counted(sum('succeeded'), 'attempt')} succeeded and ${count(sum('failed'))} failed in the last 2 h`;
  return `${queue}: ${counts}${last ? `; ${outageText(last, now)}` : ''}.`;
}

function halfHours(start: number, end: number): number[] {
  const step = 30 * MINUTE_MS;
  const first = Math.ceil((start + 5 * MINUTE_MS) / step) * step;
  const all: number[] = [];
  for (let at = first; at < end - 5 * MINUTE_MS; at += step) all.push(at);
  return all;
}
