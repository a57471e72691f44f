import { count } from 'dynamo-backlog/overview';

const STEP = 5;
const BAR = 4;
const HEIGHT = 26;
const MAX_BAR = 24;

/** The hours of the last failures of a cause, in the last day. Heights are square roots: one failure is seen beside many. */
export function Sparkline({ hours }: { hours: readonly number[] }) {
  const most = Math.max(...hours);
  const width = hours.length * STEP;
  const height = (value: number) => Math.max(2, Math.sqrt(value / most) * MAX_BAR).toFixed(1);
  const bars = hours.map((value, i) =>
    value > 0 ? `M${i * STEP} ${HEIGHT - 1}v-${height(value)}h${BAR}V${HEIGHT - 1}z` : '',
  );
  const total = Math.round(hours.reduce((sum, value) => sum + value, 0));
  return (
    <svg
      viewBox={`0 0 ${width} ${HEIGHT}`}
      width={width}
      height={HEIGHT}
      role="img"
      aria-label={`${count(total)} failed last in these 24 h, the current hour on the right`}
    >
      <path class="c-bad" d={bars.join('')} />
      <path class="c-axis" d={`M0 ${HEIGHT - 0.5}H${width}`} />
    </svg>
  );
}
