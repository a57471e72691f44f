import { Duration } from 'aws-cdk-lib';
import { type IRuleTarget, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { ConfigurationError } from '../src/errors.js';
import { allowRules } from './given-up-events.js';
import type { Tick } from './ticks.js';

/** Each rule adds about 450 bytes to the policy of its function, which holds 20 KB. */
const MAX_RULES = 40;

/**
 * EventBridge rules, one per tick, with a target for each of its events: five at most. What they cannot deliver goes
 * to the dead-letter queue for events.
 */
export function addRules(ticks: readonly Tick[], eventDlq: Queue): Rule[] {
  checkRules(ticks);
  const rules = ticks.map((tick) => addRule(tick, eventDlq));
  allowRules(
    eventDlq,
    rules.map(({ ruleArn }) => ruleArn),
  );
  return rules;
}

function addRule(tick: Tick, eventDlq: IQueue): Rule {
  return new Rule(tick.scope, tick.id, {
    description: tick.description,
    schedule: Schedule.rate(Duration.seconds(tick.every)),
    enabled: tick.enabled,
    targets: tick.events.map((event) => runTarget(tick.lambda, event, eventDlq)),
  });
}

function checkRules(ticks: readonly Tick[]): void {
  for (const lambda of new Set(ticks.map((tick) => tick.lambda))) {
    const rules = ticks.filter((tick) => tick.lambda === lambda);
    if (rules.length > MAX_RULES) {
      const queues = new Set(rules.map(({ scope }) => scope));
      throw new ConfigurationError(
        `queues: the ${queues.size} queues that share a function have ${rules.length} rules, and its policy takes ` +
          `${MAX_RULES}: set trigger to "scheduler", or spread them over several Backlogs on one table`,
      );
    }
  }
}

/**
 * CDK's own target, except for the dead-letter queue: that would add one statement per rule to the queue's policy, which
 * takes 20 (see given-up-events.ts).
 */
function runTarget(lambda: IFunction, event: Tick['events'][number], eventDlq: IQueue): IRuleTarget {
  const target = new LambdaFunction(lambda, {
    event: RuleTargetInput.fromObject(event),
    retryAttempts: 0,
    maxEventAge: Duration.seconds(60),
  });
  return {
    bind: (rule, id) => ({
      ...target.bind(rule, id),
      deadLetterConfig: { arn: eventDlq.queueArn },
    }),
  };
}
