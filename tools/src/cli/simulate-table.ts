import { age } from 'dynamo-backlog/engine';
import type { FigureTable } from '../charts/picture.js';
import type { Scenario } from '../lab/scenario.js';
import type { Simulation } from '../lab/simulate.js';
import type { SimulationResult } from '../lab/simulation-result.js';
import { counted, printable } from './output.js';
import type { Paint } from './paint.js';
import { plainTable } from './plain-table.js';
import type { PolicyData } from './policy-input.js';
import { durationText } from './policy-table.js';

/** A policy and what came of it. */
export interface Simulated extends Simulation {
  readonly data: PolicyData;
}

/** A row for each figure, a column for each policy. */
export function simulationTable(simulated: readonly Simulated[], scenario: Scenario, paint: Paint): string {
  const several = simulated.length > 1;
  const { head, rows } = figureTable(simulated);
  return [
    ...simulated.map(({ data }, i) =>
      paint('bold', printable(`${several ? `${i + 1} ` : ''}${JSON.stringify(data)}`)),
    ),
    paint('dim', scenarioText(scenario, simulated)),
    '',
    plainTable(
      head.map((name, i) => [name, i === 0 ? 'left' : 'right'] as const),
      rows,
      paint,
    ),
  ].join('\n');
}

/** The figures as texts: a row for each, a column for each policy. */
export function figureTable(simulated: readonly Simulated[]): FigureTable {
  const several = simulated.length > 1;
  const heads = simulated.map(({ data }, i) => printable(`${several ? `${i + 1} ` : ''}${data.type}`));
  return {
    caption: 'What it came to',
    head: ['', ...heads],
    rows: FIGURES.map(([name, text]) => [name, ...simulated.map(({ result }) => text(result))]),
  };
}

const FIGURES: readonly (readonly [name: string, text: (result: SimulationResult) => string])[] = [
  ['records', ({ records }) => countText(records)],
  ['succeeded', ({ succeeded }) => countText(succeeded)],
  ['dead', ({ dead }) => countText(dead)],
  ['open at the horizon', ({ open }) => countText(open)],
  ['attempts', ({ attempts }) => countText(attempts)],
  ['wasted attempts', ({ wastedAttempts }) => countText(wastedAttempts)],
  ['peak of retries per second', ({ retryPeakPerSecond }) => countText(retryPeakPerSecond)],
  ['per 10 seconds', ({ retryPeakPer10Seconds }) => countText(retryPeakPer10Seconds)],
  ['per minute', ({ retryPeakPerMinute }) => countText(retryPeakPerMinute)],
  ['dispersion of retries', ({ indexOfDispersion }) => figureText(indexOfDispersion)],
  ['deviation, mean', ({ meanDeviation }) => figureText(meanDeviation)],
  ['deviation, greatest', ({ greatestDeviation }) => figureText(greatestDeviation)],
  ['drained after', ({ drainedSeconds }) => timeText(drainedSeconds)],
  ['oldest age', ({ oldestAgeSeconds }) => timeText(oldestAgeSeconds)],
];

export function scenarioText(scenario: Scenario, simulated: readonly Simulated[]): string {
  const { records, recordsPerSecond, outage, failingShare, capacityPerSecond, attemptsPerSecond } = scenario;
  const progressive = simulated.filter(({ data }) => data.type === 'progressive').length;
  const parts = [
    recordsPerSecond === undefined
      ? `${counted(records, 'record', countText(records))} at once`
      : `${counted(records, 'record', countText(records))}, ${recordsPerSecond} a second`,
    outage && `outage from ${age(outage.fromMs)} to ${age(outage.toMs)}`,
    failingShare > 0 && `${Number((failingShare * 100).toPrecision(3))} % never succeed`,
    capacityPerSecond && `capacity ${capacityPerSecond} a second`,
    `attempts of ${scenario.attemptMs} ms, ${scenario.concurrency} at once`,
    attemptsPerSecond && `${attemptsPerSecond} a second`,
    scenario.breaker && 'with a breaker',
    scenario.maxAttempts && `no more than ${scenario.maxAttempts} of a record`,
    progressive < simulated.length && `rules every ${age(scenario.tickSeconds * 1000)}`,
    progressive > 0 && 'progressive: a rule for each tier',
    `horizon ${age(scenario.horizonMs)}`,
    `seed ${scenario.seed}`,
  ];
  return `${parts.filter(Boolean).join('; ')}.`;
}

function countText(count: number): string {
  return count.toLocaleString('en-US');
}

function figureText(figure: number | null): string {
  return figure === null ? '-' : String(Number(figure.toPrecision(3)));
}

function timeText(seconds: number | null): string {
  return seconds === null ? '-' : durationText(seconds);
}
