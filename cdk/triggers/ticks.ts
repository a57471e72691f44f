import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { BacklogEvent } from '../../functions/event.js';
import { caughtUpBy, type TierBand, tierBands } from '../../src/policies/index.js';
import { ConfigurationError } from '../../src/support/errors.js';
import { LANES_AT_ONCE } from '../../src/worker/index.js';
import type { QueueFunction } from '../functions/workers.js';
import type { Queue } from '../props/queue.js';
import { monitorTick, sweepTick } from './own-ticks.js';
import { fitsRule, sharedTicks } from './shared-ticks.js';
import { MAX_TICKS, type Tick } from './tick.js';

const POLL_SECONDS = 60;

/**
 * The ticks of a Backlog: those of its queues, of the sweep and of the monitor.
 *
 * @throws ConfigurationError for a tier that the function's timeout leaves no ages
 */
export function ticksOf(
  assigned: readonly QueueFunction[],
  {
    sweep,
    monitor,
  }: { readonly sweep: LambdaFunction | undefined; readonly monitor: LambdaFunction | undefined },
): Tick[] {
  return [
    ...backlogTicks(assigned),
    ...(sweep ? [sweepTick(sweep)] : []),
    ...(monitor ? [monitorTick(monitor)] : []),
  ];
}

/**
 * The ticks of all queues. Those of a worker that retry per record are polled together, by their weights. Where a function
 * has many, its queues share them.
 */
function backlogTicks(assigned: readonly QueueFunction[]): Tick[] {
  const functions = [...new Set(assigned.map(({ worker }) => worker.lambda))];
  const many = new Set(functions.filter((lambda) => isMany(servedBy(assigned, lambda))));
  return [
    ...ownTicks(assigned.filter(({ worker }) => !many.has(worker.lambda))),
    ...[...many].flatMap((lambda) => ticksOfMany(servedBy(assigned, lambda))),
  ];
}

function servedBy(assigned: readonly QueueFunction[], lambda: IFunction): QueueFunction[] {
  return assigned.filter(({ worker }) => worker.lambda === lambda);
}

function isMany(assigned: readonly QueueFunction[]): boolean {
  if (assigned.length === 1) return false;
  const ticks = ownTicks(assigned);
  return (
    ticks.length > MAX_TICKS ||
    ticks.some(({ events }) => events.some((event) => 'queues' in event && !fitsRule(event, MAX_TICKS)))
  );
}

/**
 * The ticks of many queues, which share events. A queue that is not enabled has no part in them, and no rule that would
 * count.
 */
function ticksOfMany(assigned: readonly QueueFunction[]): Tick[] {
  const turns = assigned
    .filter(({ queue }) => queue.enabled)
    .flatMap((one) =>
      queueTicks(one).flatMap(({ every, events }) =>
        events.map((event) => ({ assigned: one, every, event: event as BacklogEvent })),
      ),
    );
  const [first] = assigned;
  if (!first) return [];
  // The scope of the function, which is a worker's or that of deliveries.
  const scope = first.workerScope ?? first.worker.lambda.node.scope ?? first.scope;
  return sharedTicks(scope, turns);
}

function ownTicks(assigned: readonly QueueFunction[]): Tick[] {
  const shared = new Map<Construct, QueueFunction[]>();
  for (const one of assigned) {
    if (one.workerScope && isPolledTogether(one)) {
      shared.set(one.workerScope, [...(shared.get(one.workerScope) ?? []), one]);
    }
  }
  return [
    ...assigned.filter((one) => !isPolledTogether(one)).flatMap(queueTicks),
    ...[...shared].flatMap(([scope, some]) => workerTicks(scope, some)),
  ];
}

function isPolledTogether({ queue, workerScope }: QueueFunction): boolean {
  return workerScope !== undefined && queue.retryMode === 'perRecord';
}

/** Queues that are not enabled have nothing attempted: a rule of their own, which does not fire, says so. */
function workerTicks(scope: Construct, assigned: readonly QueueFunction[]): Tick[] {
  const enabled = assigned.filter(({ queue }) => queue.enabled);
  const disabled = assigned.filter(({ queue }) => !queue.enabled).flatMap(queueTicks);
  const [first] = enabled;
  if (!first) return disabled;
  const queues = Object.fromEntries(enabled.map(({ queue }) => [queue.name, queue.weight]));
  const tick = {
    scope,
    id: 'Poll',
    lambda: first.worker.lambda,
    enabled: true,
    description: `Backlog queues ${Object.keys(queues).join(', ')}: whatever is due`.slice(0, 512),
    every: POLL_SECONDS,
    events: [{ queues }],
  };
  return [tick, ...disabled];
}

/**
 * The ticks of one queue: one every minute, or one per tier.
 *
 * @throws ConfigurationError for a tier that the function's timeout leaves no ages
 */
function queueTicks({ scope, queue, worker }: QueueFunction): Tick[] {
  const common = { scope, lambda: worker.lambda, enabled: queue.enabled };
  if (queue.retryMode === 'perRecord') {
    const description = `Backlog queue ${queue.name}: whatever is due`;
    const events = eventsOf(queue, { queue: queue.name });
    // Occurrences are full minutes.
    const isAtFullMinute = queue.work.type === 'recurring';
    return [{ ...common, id: 'Poll', description, every: POLL_SECONDS, isAtFullMinute, events }];
  }
  const bands = tierBands(queue.tiers, worker.timeoutSeconds);
  checkBands(queue, bands);
  return bands.map((band) => ({
    ...common,
    id: `Tier${band.number}`,
    description: describeBand(queue, band),
    every: band.every,
    events: eventsOf(queue, { queue: queue.name, tier: band, catchUp: caughtUpBy(band, bands) }),
  }));
}

/** One for as many shards as one run drains at a time. */
function eventsOf({ settings: { shards = 1 } }: Queue, event: BacklogEvent): BacklogEvent[] {
  const of = Math.ceil(shards / LANES_AT_ONCE);
  if (of === 1) return [event];
  return Array.from({ length: of }, (_, number) => ({ ...event, part: { number, of } }));
}

/** A band starts one function timeout after the one before: a short tier may have nothing left. */
function checkBands({ name }: Queue, bands: readonly TierBand[]): void {
  for (const { number, fromAge, untilAge } of bands) {
    if (untilAge <= fromAge) {
      throw new ConfigurationError(
        `queues.${name}.progressive.tiers.${number - 1}.untilAge: expected more than ${fromAge} (the end ` +
          `of the tier before, and one function timeout), got ${untilAge}`,
      );
    }
  }
}

function describeBand({ name, tiers }: Queue, { number, untilAge }: TierBand): string {
  const from = days(tiers[number - 2]?.untilAge ?? 0);
  return `Backlog queue ${name}, tier ${number} of ${tiers.length}: ages ${from} to ${days(untilAge)} days`;
}

function days(seconds: number): string {
  return String(Math.round((seconds / 86_400) * 100) / 100);
}
