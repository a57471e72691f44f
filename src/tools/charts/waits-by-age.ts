import * as Plot from '@observablehq/plot';
import type { Curve } from './curves.js';
import { COLORS, legend, type Panel, panel, SYMBOLS } from './plot.js';

/** More attempts than the default tiers come to in their 360 days. */
export const AGE_FAILURES = 1_000;

/** The wait over the age of a record: what a policy that goes by age is about. One mark for each attempt. */
export function waitsByAge(curves: readonly Curve[]): Panel[] {
  const styled = curves.map((curve, i) => ({
    ...curve,
    color: COLORS[i % COLORS.length] ?? 'black',
    symbol: SYMBOLS[i % SYMBOLS.length] ?? 'circle',
    points: curve.rows.map(({ waitSeconds, totalSeconds }) => ({
      days: (totalSeconds - waitSeconds) / 86_400,
      hours: waitSeconds / 3600,
    })),
  }));
  return [
    legend(styled),
    panel({
      height: 344,
      marginBottom: 60,
      x: { label: 'age of the record in days', labelAnchor: 'center', zero: true },
      y: { label: 'wait in hours', grid: true, zero: true, nice: true },
      marks: [
        Plot.ruleY([0]),
        ...styled.flatMap(({ points, color, symbol }) => [
          Plot.lineY(points, {
            x: 'days',
            y: 'hours',
            stroke: color,
            strokeOpacity: 0.5,
            curve: 'step-after',
          }),
          Plot.dot(points, { x: 'days', y: 'hours', symbol, stroke: color, fill: 'white', r: 2.4 }),
        ]),
      ],
    }),
  ];
}
