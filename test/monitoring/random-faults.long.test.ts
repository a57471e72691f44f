import { readFileSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { Backlog } from '../../cdk/index.js';
import { newStack } from '../cdk/support.js';
import type { MetricAlarm } from '../cloudwatch/alarm.js';
import { alarmsOf, stateChanges } from '../cloudwatch/alarms.js';
import { MetricData } from '../cloudwatch/metric-data.js';
import { FaultyQueue, MINUTE, QUEUE, START } from './faulty-queue.js';
import { type Fault, faultOf } from './random-fault.js';

/** `FIRST_FAULT=163 RANDOM_FAULTS=1` plays one of them. */
const FIRST = Number(process.env.FIRST_FAULT ?? 0);
const COUNT = Number(process.env.RANDOM_FAULTS ?? 500);
const GROUPS = 10;
/** Minutes that are left of a fault whose third record has failed, if people have to learn of it. */
const MIN_OUTAGE = 20;
/** Part of the attempts that fail at least in an outage: of fewer, retries make successes. */
const OUTAGE_SHARE = 0.9;
/** Time after the end in which a page is that of the fault. */
const LATE_MS = 6 * MINUTE;

interface Verdict {
  readonly seed: number;
  readonly fault: Fault;
  readonly isPaged: boolean;
  /** It had to page, and did not. */
  readonly isMissed: boolean;
  /** Pages while nothing failed but what fails at any time. */
  readonly falsePages: number;
  /** All-clears while the fault lasted, and nothing had succeeded since the page. */
  readonly falseClears: number;
  /** Minutes from the third record that failed to the page. */
  readonly toPage: number | undefined;
  /** Minutes from the end of the fault to the all-clear. */
  readonly toClear: number | undefined;
}

const alarm = failuresAlarm();
const verdicts: Verdict[] = [];

function failuresAlarm(): MetricAlarm {
  const stack = newStack();
  const entry = 'test/cdk/fixtures/handler.ts';
  new Backlog(stack, 'Backlog', { queues: { [QUEUE]: { retry: { type: 'fibonacci' }, entry } } });
  const found = alarmsOf(Template.fromStack(stack).toJSON()).find(({ id }) => /AlarmsFailures/.test(id));
  if (found?.type !== 'metric') throw new Error('no alarm on failures');
  return found;
}

async function play(seed: number): Promise<Verdict> {
  const fault = faultOf(seed);
  const data = new MetricData();
  const [query] = alarm.queries;
  if (!query || !('metric' in query)) throw new Error('expected an alarm on one metric');
  const queue = new FaultyQueue(fault, seed, data, query.metric);
  await queue.live((queue.endedAt - START) / MINUTE);
  for (let hours = 0; queue.backAt === undefined && !queue.isOver && hours < 24; hours++)
    await queue.live(60);
  await queue.live(30);
  return verdictOf(seed, fault, queue, data);
}

function verdictOf(seed: number, fault: Fault, queue: FaultyQueue, data: MetricData): Verdict {
  const { begunAt, endedAt, thirdFailedAt = Number.POSITIVE_INFINITY, successes } = queue;
  const knownAt = (queue.backAt ?? queue.now) + LATE_MS;
  const changes = stateChanges([alarm], data, { from: START, until: queue.now }).map((change) => ({
    ...change,
    at: START + change.minutes * MINUTE,
  }));
  const isOfFault = (at: number) => fault.kind !== 'nothing' && at >= begunAt && at < knownAt;
  const raised = changes.filter(({ state }) => state === 'ALARM');
  const cleared = changes.filter(({ state, before }) => state === 'OK' && before === 'ALARM');
  const pagedAt = raised.find(({ at }) => isOfFault(at))?.at;
  const clearedAt = cleared.findLast(({ at }) => at >= endedAt)?.at;
  const hasRecovered = (until: number) => successes.some((at) => at >= Number(pagedAt) && at <= until);
  const mustPage = fault.share > OUTAGE_SHARE && endedAt - thirdFailedAt >= MIN_OUTAGE * MINUTE;
  const isFalseClear = (at: number) => at > Number(pagedAt) && at < endedAt && !hasRecovered(at);
  const minutes = (from: number, to: number | undefined) => to && (to - from) / MINUTE;
  return {
    ...{ seed, fault, isPaged: pagedAt !== undefined, isMissed: pagedAt === undefined && mustPage },
    falsePages: raised.filter(({ at }) => !isOfFault(at)).length,
    falseClears: cleared.filter(({ at }) => isFalseClear(at)).length,
    toPage: minutes(Math.min(thirdFailedAt, pagedAt ?? 0), pagedAt),
    toClear: pagedAt && queue.backAt && minutes(endedAt, clearedAt),
  };
}

/** The minutes that half of them, and 95 in 100, have at most. */
function quantiles(values: readonly (number | undefined)[]): [median: number, p95: number] {
  const known = values.flatMap((value) => value ?? []).sort((a, b) => a - b);
  const at = (part: number) => Math.round(known[Math.floor(known.length * part)] ?? Number.NaN);
  return [at(0.5), at(0.95)];
}

describe('the alarm on failures, at random faults that its rule was not made for,', () => {
  it.each(Array.from({ length: GROUPS }, (_, group) => group))(
    'plays a tenth of them: %i',
    async (group) => {
      for (let seed = FIRST + group; seed < FIRST + COUNT; seed += GROUPS) verdicts.push(await play(seed));
    },
    1_200_000,
  );

  it('notices them, stays on while they last, and is silent otherwise', () => {
    const isWrong = (one: Verdict) => one.isMissed || one.falseClears + one.falsePages > 0;
    const wrong = JSON.stringify(verdicts.filter(isWrong).map(({ seed, fault }) => [seed, fault.kind]));
    const count = (is: (one: Verdict) => boolean | number) => verdicts.filter(is).length;
    expect(
      count(({ isMissed }) => isMissed),
      wrong,
    ).toBeLessThanOrEqual(COUNT / 100);
    expect(
      count(({ falseClears }) => falseClears),
      wrong,
    ).toBeLessThanOrEqual(COUNT / 200);
    expect(
      count(({ falsePages }) => falsePages),
      wrong,
    ).toBeLessThanOrEqual(COUNT / 50);
    expect(quantiles(verdicts.map(({ toPage }) => toPage))[1]).toBeLessThanOrEqual(30);
    expect(quantiles(verdicts.map(({ toClear }) => toClear))[1]).toBeLessThanOrEqual(20);
  });

  it.runIf(FIRST === 0 && COUNT === 500)('has its figures in docs/monitoring.md', () => {
    const count = (is: (one: Verdict) => boolean | number) => verdicts.filter(is).length;
    const [page, clear] = [
      quantiles(verdicts.map((one) => one.toPage)),
      quantiles(verdicts.map((one) => one.toClear)),
    ];
    const [paged, missed] = [count(({ isPaged }) => isPaged), count(({ isMissed }) => isMissed)];
    const [clears, pages] = [count(({ falseClears }) => falseClears), count(({ falsePages }) => falsePages)];
    expect(readFileSync('docs/monitoring.md', 'utf8')).toContain(
      `Of ${COUNT} random faults, ${paged} paged, ${missed} were missed, ${clears} had an all-clear before their end, and ${pages} ` +
        `had a page for what fails at any time. Minutes to the page after the third failed record: ${page[0]} (95 %: ${page[1]}); ` +
        `to the all-clear: ${clear[0]} (95 %: ${clear[1]}).`,
    );
  });
});
