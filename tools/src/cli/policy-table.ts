import { age, phaseOf, type ResolvedPolicy } from 'dynamo-backlog/engine';
import type { Schedule } from '../lab/schedule-of.js';
import type { PlayedTiers } from '../lab/tiers-of.js';
import { printable } from './output.js';
import type { Paint } from './paint.js';
import { plainTable } from './plain-table.js';
import type { PolicyData } from './policy-input.js';
import { tierTable } from './tier-table.js';

/** A policy and what the lab found out about it. */
export interface Looked {
  readonly data: PolicyData;
  readonly policy: ResolvedPolicy;
  /** Tiers of a progressive policy; undefined for any other. */
  readonly tiers: PlayedTiers | undefined;
  readonly schedule: Schedule;
}

/** Options with which the policy was looked at. */
export interface View {
  readonly record: { readonly id: string; readonly queue: string } | undefined;
  readonly seed: number | undefined;
  /** Number of attempts that the user has asked for. */
  readonly attempts?: number | undefined;
}

/** One policy, with the least and the greatest wait. */
export function scheduleTable(looked: Looked, view: View, paint: Paint): string {
  const { data, policy, tiers } = looked;
  const all = [
    ...(tiers ? [tierTable(tiers.figures, paint)] : []),
    ...(tiers?.schedule.end ? [endText(policy, tiers.schedule)] : []),
    // The same wait hundreds of times says little: --attempts shows it.
    ...(!tiers || view.attempts !== undefined || view.record ? failureLines(looked, paint) : []),
  ];
  return [paint('bold', dataText(data)), paint('dim', sentence(waitsText(policy, view))), '', ...all].join(
    '\n',
  );
}

function failureLines({ policy, tiers, schedule }: Looked, paint: Paint): string[] {
  const columns = ['FAILURE', 'WAIT', 'LEAST', 'GREATEST', 'TOTAL'].map((head) => [head, 'right'] as const);
  const rows = schedule.rows.map((row) => [
    String(row.failures),
    ...[row.waitSeconds, row.minSeconds, row.maxSeconds, row.totalSeconds].map(durationText),
  ]);
  return [
    ...(tiers ? [''] : []),
    ...(rows.length > 0 ? [plainTable(columns, rows, paint)] : []),
    ...(schedule.end ? [endText(policy, schedule)] : []),
  ];
}

/** Several, side by side: the wait and the total of each. */
export function comparison(looked: readonly Looked[], view: View, paint: Paint): string {
  const columns = [
    ['FAILURE', 'right'] as const,
    ...looked.flatMap(({ policy }, i) => [
      [`${i + 1} ${policy.type}`, 'right'] as const,
      ['TOTAL', 'right'] as const,
    ]),
  ];
  const count = Math.max(...looked.map(({ schedule }) => schedule.rows.length + (schedule.end ? 1 : 0)));
  const rows = Array.from({ length: count }, (_, i) => [
    String(i + 1),
    ...looked.flatMap(({ schedule }) => cells(schedule, i)),
  ]);
  return [
    ...looked.map(
      ({ data, policy }, i) =>
        `${paint('bold', `${i + 1} ${dataText(data)}`)}  ${paint('dim', waitsText(policy, view))}`,
    ),
    '',
    plainTable(columns, rows, paint),
    // The first failures of a progressive policy all fall into its first tier.
    ...looked.flatMap(({ policy, tiers }, i) =>
      tiers ? ['', paint('bold', `${i + 1} ${policy.type}`), tierTable(tiers.figures, paint)] : [],
    ),
  ].join('\n');
}

function cells({ rows, end }: Schedule, i: number): [wait: string, total: string] {
  const row = rows[i];
  if (row) return [durationText(row.waitSeconds), durationText(row.totalSeconds)];
  return [end && i === rows.length ? `dead: ${end.reason}` : '', ''];
}

/** `53.2 s`, `2 min`, `1 h 10 min`, `3 d 4 h` */
export function durationText(seconds: number): string {
  const short = Number(seconds.toPrecision(3));
  return short < 60 ? `${short} s` : age(seconds * 1000);
}

function dataText(data: PolicyData): string {
  return printable(JSON.stringify(data));
}

/** Describes the waits that are shown. */
function waitsText({ type, jitter }: ResolvedPolicy, { record, seed }: View): string {
  if (type === 'none') return 'never again';
  const byAge =
    type === 'progressive' ? 'by age: the interval of the tier that the failing record is in; ' : '';
  if (jitter.type === 'phase') return `${byAge}${phaseText(jitter.amplitude, record)}`;
  const random = jitter.type !== 'none' || RANDOM.has(type);
  if (!random) return `${byAge}no jitter`;
  const name = jitter.type === 'none' ? 'random by itself' : `jitter ${jitter.type}`;
  return `${byAge}${name}: ${seed === undefined ? 'the middle of what is drawn (--seed N draws)' : `drawn with seed ${seed}`}`;
}

/** Policies that draw their waits without a jitter. */
const RANDOM: ReadonlySet<string> = new Set(['window', 'sidekiq', 'buckets']);

function phaseText(amplitude: number, record: View['record']): string {
  const jitter = `jitter phase, amplitude ${Number(amplitude.toFixed(3))}`;
  if (!record) return `${jitter}: base waits (--id ID has those of a record)`;
  const phase = phaseOf(record.id, record.queue).toFixed(3);
  return `${jitter}: record ${printable(record.id)} of queue ${printable(record.queue)}, its phase u = ${phase}`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function endText({ maxAge }: ResolvedPolicy, { rows, end }: Schedule): string {
  const why =
    end?.reason === 'expired'
      ? `expired (the next wait would pass the greatest age, ${age(maxAge * 1000)})`
      : 'maxAttempts';
  return `Dead at failure ${rows.length + 1}: ${why}.`;
}
