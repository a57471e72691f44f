import { Duration } from 'aws-cdk-lib';
import { type IRuleTarget, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { BacklogEvent } from '../functions/event.js';
import { ConfigurationError } from '../src/errors.js';
import { caughtUpBy, type TierBand, tierBands } from '../src/policies/index.js';
import type { Worker } from './functions.js';
import type { Queue } from './queue.js';

/** The rules of one queue: one every minute, or one per tier. */
export function queueRules(scope: Construct, queue: Queue, worker: Worker, givenUpEvents: IQueue): Rule[] {
  const rule = (id: string, everySeconds: number, description: string, event: BacklogEvent) =>
    new Rule(scope, id, {
      description,
      schedule: Schedule.rate(Duration.seconds(everySeconds)),
      enabled: queue.enabled,
      targets: [runTarget(worker, event, givenUpEvents)],
    });

  if (queue.way === 'retry') {
    return [rule('Poll', 60, `Backlog queue ${queue.name}: whatever is due`, { queue: queue.name })];
  }
  const bands = tierBands(queue.tiers, worker.timeoutSeconds);
  checkBands(queue, bands);
  return bands.map((band) =>
    rule(`Tier${band.number}`, band.everySeconds, describeBand(queue, band), {
      queue: queue.name,
      tier: band,
      catchUp: caughtUpBy(band, bands),
    }),
  );
}

/** A band starts one function timeout after the one before: a short tier may have nothing left. */
function checkBands({ name }: Queue, bands: readonly TierBand[]): void {
  for (const { number, fromAgeSeconds, untilAgeSeconds } of bands) {
    if (untilAgeSeconds <= fromAgeSeconds) {
      throw new ConfigurationError(
        `queues.${name}.progressive.tiers.${number - 1}.untilAgeSeconds: expected more than ${fromAgeSeconds} (the end ` +
          `of the tier before, and one function timeout), got ${untilAgeSeconds}`,
      );
    }
  }
}

function describeBand({ name, tiers }: Queue, { number, untilAgeSeconds }: TierBand): string {
  const from = days(tiers[number - 2]?.untilAgeSeconds ?? 0);
  return `Backlog queue ${name}, tier ${number} of ${tiers.length}: ages ${from} to ${days(untilAgeSeconds)} days`;
}

function days(seconds: number): string {
  return String(Math.round((seconds / 86_400) * 100) / 100);
}

/**
 * CDK's own target, but for the dead-letter queue: that would add one statement per rule to the queue's policy, which
 * takes 20 (see given-up-events.ts).
 */
function runTarget({ lambda }: Worker, event: BacklogEvent, givenUpEvents: IQueue): IRuleTarget {
  const target = new LambdaFunction(lambda, {
    event: RuleTargetInput.fromObject(event),
    retryAttempts: 0,
    maxEventAge: Duration.seconds(60),
  });
  return {
    bind: (rule, id) => ({
      ...target.bind(rule, id),
      deadLetterConfig: { arn: givenUpEvents.queueArn },
    }),
  };
}
