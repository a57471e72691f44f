import { age, type ResolvedPolicy } from 'dynamo-backlog/engine';
import type { ScheduleRow } from '../lab/schedule-of.js';
import { MAX_ATTEMPTS, type PlayedTiers, tiersOf } from '../lab/tiers-of.js';
import { type Curve, scheduleCurves } from './curves.js';
import { dotChart } from './dots.js';
import { MAX_LABEL_WIDTH } from './end-labels.js';
import type { FigureTable, Picture } from './picture.js';
import { FONT_SIZE, type Section } from './plot.js';
import { shortened } from './text.js';
import { tierCharts } from './tiers.js';

export { CURVE_FAILURES } from './curves.js';

/** A policy and its schedule. */
export interface PolicyFigures {
  readonly data: Readonly<Record<string, unknown>>;
  readonly policy: ResolvedPolicy;
  /** The first `CURVE_FAILURES` failures. */
  readonly rows: readonly ScheduleRow[];
}

/**
 * The curves of 20 failures, and the retries of 100 records, as dots. A policy that goes by the record's age has every
 * attempt by age.
 */
export function policyPicture(
  policies: readonly PolicyFigures[],
  { seed = 1 }: { readonly seed?: number | undefined } = {},
): Picture {
  const names = namesOf(policies);
  const isOne = policies.length === 1;
  const curves: Curve[] = policies.map(({ rows }, i) => ({ name: names[i] ?? '', rows }));
  const tiers = policies.flatMap(({ policy }, place) => {
    const played = tiersOf(policy);
    return played ? [{ name: isOne ? undefined : names[place], place, played }] : [];
  });
  const byAge = tiers.length === policies.length;
  const what = byAge ? 'attempts by the age of the record' : 'when a failed record is tried again';
  const dots = byAge ? [] : dotSections(policies, names, seed);
  return {
    title: isOne ? `${names[0]}: ${what}` : `${policies.length} policies: ${what}`,
    notes: dots.length > 0 ? [`Ids order-1 to order-100 of the queue default; seed ${seed}.`] : [],
    sections: [...(byAge ? [] : [curveSection(curves)]), ...dots, ...tierCharts(tiers)],
    tables: [
      ...(byAge ? [] : curves.map(curveTable)),
      ...tiers.map(({ place, played }) => tierTable(names[place] ?? '', played)),
    ],
  };
}

function curveSection(curves: readonly Curve[]): Section {
  const isSpread = curves.some(({ rows }) => rows.some((row) => row.minSeconds < row.maxSeconds));
  return {
    heading: 'Wait after each failure',
    text: isSpread
      ? 'Shaded: from the shortest wait of any record to the longest.'
      : 'The same for every record.',
    panel: scheduleCurves(curves),
  };
}

function dotSections(
  policies: readonly PolicyFigures[],
  names: readonly string[],
  seed: number,
): readonly Section[] {
  const rows = policies.map((one, i) => ({
    name: names[i] ?? '',
    text: jitterText(one),
    policy: one.policy,
  }));
  return dotChart(rows, seed);
}

function jitterText({ policy: { jitter }, rows }: PolicyFigures): string {
  switch (jitter.type) {
    case 'none':
      return rows.some(({ minSeconds, maxSeconds }) => minSeconds < maxSeconds)
        ? 'random waits'
        : 'no jitter';
    case 'phase':
      return `jitter: phase, amplitude ${Number(jitter.amplitude.toFixed(3))}`;
    case 'percent':
      return `jitter: ${Number(jitter.percent.toFixed(3))} percent`;
    default:
      return `jitter: ${jitter.type}`;
  }
}

function curveTable({ name, rows }: Curve): FigureTable {
  return {
    caption: name,
    head: ['failures', 'wait, seconds', 'shortest', 'longest', 'total'],
    rows: rows.map((row) =>
      [row.failures, row.waitSeconds, row.minSeconds, row.maxSeconds, row.totalSeconds].map((value) =>
        String(Number(value.toFixed(3))),
      ),
    ),
  };
}

function tierTable(name: string, { figures }: PlayedTiers): FigureTable {
  return {
    caption: name,
    head: ['tier', 'every', 'from age', 'until age', 'attempts'],
    rows: figures.map(({ everySeconds, fromAgeSeconds, untilAgeSeconds, attempts }, i) => [
      String(i + 1),
      ...[everySeconds, fromAgeSeconds, untilAgeSeconds].map((seconds) => age(seconds * 1000)),
      attempts === undefined ? `> ${MAX_ATTEMPTS}` : String(attempts),
    ]),
  };
}

/** No two of them are the same, neither in full nor as a curve's label. */
export function namesOf(policies: readonly { readonly data: Readonly<Record<string, unknown>> }[]): string[] {
  const names = policies.map(({ data }) => policyName(data));
  const labels = new Set(names.map((name) => shortened(name, MAX_LABEL_WIDTH, FONT_SIZE)));
  return labels.size === names.length ? names : names.map((name, i) => `${i + 1} ${name}`);
}

const MAX_CHARS = 90;

/** `fibonacci`, `list waits=[60,120]`. */
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
