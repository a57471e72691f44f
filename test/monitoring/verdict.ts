import { Template } from 'aws-cdk-lib/assertions';
import { Backlog } from '../../cdk/index.js';
import type { MetricAlarm } from '../../tools/src/cloudwatch/alarm.js';
import { MetricData } from '../../tools/src/cloudwatch/metric-data.js';
import { newStack } from '../cdk/support.js';
import { alarmsOf, stateChanges } from '../cloudwatch/alarms.js';
import { FaultyQueue, MINUTE, type Outage, QUEUE, START } from './faulty-queue.js';
import { type Fault, faultOf } from './random-fault.js';

/** Minutes that are left of a fault whose third record has failed, if people have to learn of it. */
const MIN_OUTAGE = 20;
/** Part of the attempts that fail at least in an outage: of fewer, retries make successes. */
const OUTAGE_SHARE = 0.9;
/** Time after the end in which a page is that of the fault. */
const LATE_MS = 6 * MINUTE;

export interface Verdict {
  readonly seed: number;
  readonly fault: Fault;
  readonly isPaged: boolean;
  /** Outages that had to page, and did not. */
  readonly missed: number;
  /** Pages while nothing failed but what fails at any time. */
  readonly falsePages: number;
  /** All-clears while an outage lasted, and nothing had succeeded since the page. */
  readonly falseClears: number;
  /** Minutes from the third record that failed to the page, of each outage. */
  readonly toPage: readonly (number | undefined)[];
  /** Minutes from the end of the fault to the all-clear. */
  readonly toClear: number | undefined;
}

const alarm = failuresAlarm();

function failuresAlarm(): MetricAlarm {
  const stack = newStack();
  const entry = 'test/cdk/fixtures/handler.ts';
  new Backlog(stack, 'Backlog', { queues: { [QUEUE]: { retry: { type: 'fibonacci' }, entry } } });
  const found = alarmsOf(Template.fromStack(stack).toJSON()).find(({ id }) => /AlarmsFailures/.test(id));
  if (found?.type !== 'metric') throw new Error('no alarm on failures');
  return found;
}

/** Plays the fault of a seed, and judges the alarm on failures. */
export async function play(seed: number): Promise<Verdict> {
  const fault = faultOf(seed);
  const data = new MetricData();
  const [query] = alarm.queries;
  if (!query || !('metric' in query)) throw new Error('expected an alarm on one metric');
  const queue = new FaultyQueue(fault, seed, data, query.metric);
  await queue.live((queue.endedAt - START) / MINUTE);
  for (let hours = 0; queue.backAt() === undefined && !queue.isOver && hours < 24; hours++)
    await queue.live(60);
  await queue.live(30);
  return verdictOf(seed, fault, queue, data);
}

function verdictOf(seed: number, fault: Fault, queue: FaultyQueue, data: MetricData): Verdict {
  const changes = stateChanges([alarm], data, { from: START, until: queue.now }).map((change) => ({
    ...change,
    at: START + change.minutes * MINUTE,
  }));
  const raised = changes.flatMap(({ state, at }) => (state === 'ALARM' ? at : []));
  const cleared = changes.flatMap(({ state, before, at }) =>
    state === 'OK' && before === 'ALARM' ? at : [],
  );
  const outages = fault.kind === 'nothing' ? [] : queue.outages;
  const isOf = ({ begunAt, endedAt }: Outage, at: number) =>
    at >= begunAt && at < (queue.backAt(endedAt) ?? queue.now) + LATE_MS;
  const pageOf = (outage: Outage) => raised.find((at) => isOf(outage, at));
  const isOnAt = (time: number) =>
    Math.max(0, ...raised.filter((at) => at < time)) > Math.max(0, ...cleared.filter((at) => at < time));
  const isMissed = (outage: Outage) => {
    const { endedAt, thirdFailedAt = Number.POSITIVE_INFINITY } = outage;
    const mustPage = fault.share > OUTAGE_SHARE && endedAt - thirdFailedAt >= MIN_OUTAGE * MINUTE;
    return mustPage && pageOf(outage) === undefined && !isOnAt(endedAt);
  };
  const isFalseClear = (outage: Outage, at: number) => {
    const pagedAt = pageOf(outage) ?? at;
    const hasRecovered = queue.successes.some((success) => success >= pagedAt && success <= at);
    return at > pagedAt && at < outage.endedAt && !hasRecovered;
  };
  const minutes = (from: number, to: number | undefined) => to && (to - from) / MINUTE;
  const isPaged = outages.some(pageOf);
  const clearedAt = cleared.findLast((at) => at >= queue.endedAt);
  return {
    ...{ seed, fault, isPaged, missed: outages.filter(isMissed).length },
    falsePages: raised.filter((at) => !outages.some((outage) => isOf(outage, at))).length,
    falseClears: outages.flatMap((outage) => cleared.filter((at) => isFalseClear(outage, at))).length,
    toPage: outages.map((outage) => {
      const pagedAt = pageOf(outage);
      return minutes(Math.min(outage.thirdFailedAt ?? Number.POSITIVE_INFINITY, pagedAt ?? 0), pagedAt);
    }),
    toClear: isPaged && queue.backAt() ? minutes(queue.endedAt, clearedAt) : undefined,
  };
}
