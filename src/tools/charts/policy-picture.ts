import type { ResolvedPolicy } from '../../policies/index.js';
import type { ScheduleRow } from '../lab/schedule-of.js';
import { CURVE_FAILURES, type Curve, scheduleCurves } from './curves.js';
import { DOT_RECORDS, dotChart } from './dots.js';
import type { Picture } from './picture.js';
import { AGE_FAILURES, waitsByAge } from './waits-by-age.js';

/** A policy and its schedule. */
export interface PolicyFigures {
  readonly data: Readonly<Record<string, unknown>>;
  readonly policy: ResolvedPolicy;
  readonly rows: readonly ScheduleRow[];
}

/** So many failures the picture of a policy wants to know of. */
export function failuresShown({ type }: ResolvedPolicy): number {
  return type === 'progressive' ? AGE_FAILURES : CURVE_FAILURES;
}

/** The curves of 20 failures, and the retries of 100 records, as dots; for a policy of ages, the curve of a year. */
export function policyPicture(
  policies: readonly PolicyFigures[],
  { seed = 1 }: { readonly seed?: number | undefined } = {},
): Picture {
  const names = namesOf(policies);
  const rows = policies.map(({ policy }, i) => ({ name: names[i] ?? '', policy }));
  const curves: Curve[] = policies.map((one, i) => ({ name: names[i] ?? '', rows: one.rows }));
  const isSpread = curves.some((curve) =>
    curve.rows.some(({ minSeconds, maxSeconds }) => minSeconds < maxSeconds),
  );
  const byAge = policies.every(({ policy }) => policy.type === 'progressive');
  const dots = byAge ? [] : dotChart(rows, seed);
  return {
    title: policies.length === 1 ? `When ${names[0]} tries again` : 'When these policies try again',
    notes: [
      ...(byAge ? ['One mark for each attempt of a record that never succeeds.'] : []),
      ...(dots.length === 0
        ? []
        : [
            isSpread
              ? 'Above: the wait after every failure; the band is from the least to the greatest that any record waits.'
              : 'Above: the wait after every failure, the same for every record.',
            `Below: ${DOT_RECORDS} records that fail at the same moment and ever after, one dot per retry; each has a height of its own. ` +
              `Ids order-1 to order-${DOT_RECORDS} of the queue default; what is random is drawn with seed ${seed}.`,
            jitterText(policies, names),
          ]),
    ],
    panels: byAge ? waitsByAge(curves) : [...scheduleCurves(curves), ...dots],
    tables: curves.map(({ name, rows: schedule }) => ({
      caption: name,
      head: ['failures', 'wait, seconds', 'least', 'greatest', 'total'],
      rows: schedule.map((row) =>
        [row.failures, row.waitSeconds, row.minSeconds, row.maxSeconds, row.totalSeconds].map((value) =>
          String(Number(value.toFixed(3))),
        ),
      ),
    })),
  };
}

function jitterText(policies: readonly PolicyFigures[], names: readonly string[]): string {
  const texts = policies.map(({ policy: { jitter } }, i) => {
    const amplitude = jitter.type === 'phase' ? ` ${Number(jitter.amplitude.toFixed(3))}` : '';
    return `${names[i]}: ${jitter.type}${amplitude}`;
  });
  return `Jitter of ${texts.join(', ')}.`;
}

/** Two of the same name would be one row of the chart. */
export function namesOf(policies: readonly { readonly data: Readonly<Record<string, unknown>> }[]): string[] {
  const names = policies.map(({ data }) => policyName(data));
  return names.map((name, i) =>
    names.indexOf(name) === names.lastIndexOf(name) ? name : `${i + 1} ${name}`,
  );
}

const MAX_CHARS = 90;

/** `fibonacci`, `list waits=[60,120]`: short enough for a legend. */
function policyName(data: Readonly<Record<string, unknown>>): string {
  const { type, ...options } = data;
  const settings = Object.entries(options).map(([key, value]) => `${key}=${textOf(value)}`);
  const name = [textOf(type), ...settings].join(' ');
  return name.length <= MAX_CHARS ? name : `${name.slice(0, MAX_CHARS - 1)}…`;
}

function textOf(value: unknown): string {
  // JSON writes control characters and halves of characters as what can be read.
  const json = JSON.stringify(value);
  return typeof value === 'string' ? json.slice(1, -1) : json;
}
