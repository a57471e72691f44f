import { age } from 'dynamo-backlog/engine';
import type { Delays, Report } from '../../lab/keys/report.js';
import { workloadKind } from '../../lab/keys/workloads.js';
import type { Paint } from '../paint.js';
import { plainTable } from '../plain-table.js';
import type { KeysQueue, KeysScenario } from './input.js';
import type { PlayedQueue } from './played-queue.js';

/** A row for each figure, a column for each queue, and what they mean. */
export function keysTable(played: readonly PlayedQueue[], scenario: KeysScenario, paint: Paint): string {
  const number = (i: number) => (played.length > 1 ? `${i + 1} ` : '');
  return [
    ...played.map(({ queue }, i) => paint('bold', `${number(i)}${JSON.stringify(queue)}`)),
    ...scenarioLines(scenario).map((line) => paint('dim', line)),
    '',
    plainTable(
      [
        ['', 'left'] as const,
        ...played.map(({ queue }, i) => [`${number(i)}${queueName(queue)}`, 'right'] as const),
      ],
      FIGURES.map(([name, text]) => [name, ...played.map(({ report }) => text(report))]),
      paint,
    ),
    '',
    ...meaning(played),
  ].join('\n');
}

/** The queue in two words: the head of its column. */
export function queueName({ fairness }: KeysQueue): string {
  return fairness ? 'with fairness' : 'without fairness';
}

type Figure = readonly [name: string, text: (report: Report) => string];

const FIGURES: readonly Figure[] = [
  ...delayFigures('quiet keys, during the noise: records', ({ quietInNoise }) => quietInNoise),
  ...delayFigures('quiet keys, in all: records', ({ quiet }) => quiet),
  ...delayFigures('noisy keys: records', ({ noisy }) => noisy),
  ['  last success after', ({ noisySucceeded }) => timeText(noisySucceeded)],
  ['most attempts of one key at once', ({ mostOfKey }) => countText(mostOfKey)],
  ['first attempts per second', ({ perSecond }) => String(perSecond)],
  ['writes per record', ({ writesPerRecord }) => writesPerRecord.toFixed(2)],
];

function delayFigures(name: string, delays: (report: Report) => Delays): Figure[] {
  return [
    [name, (report) => countText(delays(report).records)],
    ['  first attempt after, median', (report) => timeText(delays(report).p50)],
    ['  99 %', (report) => timeText(delays(report).p99)],
    ['  longest', (report) => timeText(delays(report).max)],
  ];
}

function scenarioLines({ name, scale, figures, attemptMs, failingAttempts, seed }: KeysScenario): string[] {
  const failing = Number((failingAttempts * 100).toPrecision(3));
  const part = scale === 1 ? '' : `scale ${scale}, and so are waits behind a pile; `;
  return [
    `${name}: ${workloadKind(name).text({ scale, figures })};`,
    `${part}attempts of ${attemptMs} ms, of which ${failing} % fail; seed ${seed}.`,
  ];
}

/** The meaning of the figures, in sentences. */
function meaning(played: readonly PlayedQueue[]): string[] {
  const last = played.at(-1);
  const before = played.length > 1 ? played[0] : undefined;
  if (!last) return [];
  const compared = (text: (report: Report) => string) =>
    before ? `${text(last.report)}; without fairness, ${text(before.report)}` : text(last.report);
  const { quietInNoise, noisySucceeded } = last.report;
  return [
    quietInNoise.records === 0
      ? 'No quiet key put a record during the noise: more quiet keys (--quiet) or a longer noise shows their waits.'
      : `During the noise, first attempts of quiet keys came ${compared((report) => waitText(report.quietInNoise))}.`,
    Number.isFinite(noisySucceeded)
      ? `The last record of the noisy keys succeeded ${compared((report) => afterText(report.noisySucceeded))}.`
      : 'Not every record of the noisy keys succeeded by the end.',
    ...(last.queue.concurrencyPerKey === undefined
      ? []
      : [`Attempts of one key at once: at most ${compared(({ mostOfKey }) => countText(mostOfKey))}.`]),
  ];
}

/** The 99 % of fewer than a hundred records are no other figure than the longest one. */
const MIN_FOR_PERCENT = 100;
/** Text for what had not come when the play ended. */
const NOT_BY_THE_END = 'not by the end';

function waitText({ records, p50, p99, max }: Delays): string {
  if (!Number.isFinite(p50)) return NOT_BY_THE_END;
  const isFew = records < MIN_FOR_PERCENT;
  const most = `${isFew ? 'at most' : '99 %:'} ${timeText(isFew ? max : p99)}`;
  return `${afterText(p50)} (${Number.isFinite(isFew ? max : p99) ? most : `some ${NOT_BY_THE_END}`})`;
}

function afterText(seconds: number): string {
  return Number.isFinite(seconds) ? `after ${timeText(seconds)}` : NOT_BY_THE_END;
}

function countText(count: number): string {
  return count.toLocaleString('en-US');
}

/** `0.18 s`, `58 s`, `9 min 40 s`; `-` where no record was counted, and `not by the end`. */
function timeText(seconds: number): string {
  if (Number.isNaN(seconds)) return '-';
  if (!Number.isFinite(seconds)) return NOT_BY_THE_END;
  return seconds < 60 ? `${Number(seconds.toPrecision(2))} s` : age(seconds * 1000);
}
