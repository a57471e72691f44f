import { count } from 'dynamo-backlog/overview';

interface BarsProps {
  readonly values: readonly number[];
  /** A text below the bar of that place, if any. */
  readonly label: (i: number) => string | undefined;
  /** The content of the picture, for people who do not see it. */
  readonly title: string;
  /** The least end of the scale. Default: the greatest of the values. */
  readonly most?: number | undefined;
  /** The place from which on nothing is known; undefined: all is. */
  readonly unknownFrom?: number | undefined;
}

const WIDE = 520;
const NARROW = 330;
const HEIGHT = 190;
const MIN_LEFT = 44;
/** The width of a figure of the scale, about. */
const FIGURE = 7.5;
const TOP = 12;
const BOTTOM = 24;

/** Counts by time, one bar each. The scale begins at 0. */
export function Bars(props: BarsProps) {
  return (
    <>
      <div class="only-wide">
        <Picture {...props} width={WIDE} />
      </div>
      <div class="only-narrow">
        <Picture {...props} width={NARROW} />
      </div>
    </>
  );
}

function Picture(props: BarsProps & { width: number }) {
  const { values, label, title, unknownFrom, width: whole } = props;
  const most = Math.max(...values, props.most ?? 1, 1);
  const step = niceStep(most);
  const top = Math.ceil(most / step) * step;
  const lines = Array.from({ length: Math.round(top / step) + 1 }, (_, i) => i * step);
  // The figures of the scale stand left of the bars, however long they are.
  const left = Math.max(MIN_LEFT, 10 + FIGURE * count(top).length);
  const width = (whole - left) / values.length;
  const base = HEIGHT - BOTTOM;
  const y = (value: number) => base - (value / top) * (base - TOP);
  const path = values
    .map((value, i) =>
      value === 0
        ? ''
        : `M${(left + i * width).toFixed(1)} ${base}V${y(value).toFixed(1)}h${(width - 1).toFixed(1)}V${base}z`,
    )
    .join('');
  return (
    <svg class="bars" viewBox={`0 0 ${whole} ${HEIGHT}`} role="img" aria-label={title}>
      {unknownFrom === undefined ? null : (
        <>
          <rect
            class="c-shade"
            x={left + unknownFrom * width}
            y={TOP}
            width={(values.length - unknownFrom) * width}
            height={base - TOP}
          />
          <text class="c-label" x={whole - 6} y={TOP + 14} text-anchor="end">
            not read
          </text>
        </>
      )}
      {lines.map((value) => (
        <>
          <path class="c-grid" d={`M${left} ${y(value).toFixed(1)}H${whole}`} />
          <text x={left - 6} y={y(value) + 4} text-anchor="end">
            {count(value)}
          </text>
        </>
      ))}
      <path class="c-new" d={path} />
      <path class="c-axis" d={`M${left} ${base}.5H${whole}`} />
      {values.map((_, i) => {
        const text = label(i);
        return text === undefined ? null : (
          <text x={left + (i + 0.5) * width} y={HEIGHT - 6} text-anchor={i === 0 ? 'start' : 'middle'}>
            {text}
          </text>
        );
      })}
    </svg>
  );
}

/** The step of the scale: 1, 2 or 5 times a power of ten, so that there are two to five lines. */
export function niceStep(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most / 2)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => most / one <= 5);
  return Math.max(1, step ?? power);
}
