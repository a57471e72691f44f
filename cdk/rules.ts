import { Duration } from 'aws-cdk-lib';
import { type IRuleTarget, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { ConfigurationError } from '../src/errors.js';
import type { Worker } from './functions.js';
import { allowRules } from './given-up-events.js';
import { queueTicks, type Tick } from './ticks.js';
import type { StaffedQueue } from './workers.js';

/** Each rule adds about 450 bytes to the policy of its function, which holds 20 KB. */
const MAX_RULES = 40;

/** EventBridge rules, one per tick. What they cannot deliver goes to the queue of given-up events. */
export function addRules(staffed: readonly StaffedQueue[], givenUpEvents: Queue): void {
  checkRules(staffed);
  const rules = staffed.flatMap((one) =>
    queueTicks(one.queue, one.worker).map((tick) => addRule(one, tick, givenUpEvents)),
  );
  allowRules(
    givenUpEvents,
    rules.map(({ ruleArn }) => ruleArn),
  );
}

function addRule({ scope, queue, worker }: StaffedQueue, tick: Tick, givenUpEvents: IQueue): Rule {
  return new Rule(scope, tick.id, {
    description: tick.description,
    schedule: Schedule.rate(Duration.seconds(tick.everySeconds)),
    enabled: queue.enabled,
    targets: [runTarget(worker, tick, givenUpEvents)],
  });
}

function checkRules(staffed: readonly StaffedQueue[]): void {
  for (const worker of new Set(staffed.map(({ worker }) => worker))) {
    const sharing = staffed.filter((one) => one.worker === worker).map(({ queue }) => queue);
    const rules = sharing.reduce((sum, { tiers }) => sum + Math.max(1, tiers.length), 0);
    if (rules > MAX_RULES) {
      throw new ConfigurationError(
        `queues: the ${sharing.length} queues that share a function have ${rules} rules, and its policy takes ` +
          `${MAX_RULES}: set trigger to "scheduler", or spread them over several Backlogs on one table`,
      );
    }
  }
}

/**
 * CDK's own target, but for the dead-letter queue: that would add one statement per rule to the queue's policy, which
 * takes 20 (see given-up-events.ts).
 */
function runTarget({ lambda }: Worker, { event }: Tick, givenUpEvents: IQueue): IRuleTarget {
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
