import { Annotations, Duration } from 'aws-cdk-lib';
import { type IRuleTarget, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { ConfigurationError } from '../src/support/errors.js';
import { allowRules } from './triggers/given-up-events.js';
import { EACH_FULL_MINUTE, MAX_TICKS, type Tick, type Triggers } from './triggers/tick.js';

/**
 * Most rules of an event bus, for all that the account has there:
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html
 */
const MAX_RULES = 300;
const MANY_RULES = 200;
const WAY = 'set "trigger": "scheduler", whose schedules have no such limit';

/**
 * EventBridge rules, one per tick, with a target for each of its events: five at most. What they cannot deliver goes
 * to the dead-letter queue for events.
 */
export function addRules(scope: Construct, ticks: readonly Tick[], eventDlq: Queue): Triggers {
  checkRules(scope, ticks);
  const rules = ticks.map((tick) => addRule(tick, eventDlq));
  allowRules(
    eventDlq,
    rules.map(({ ruleArn }) => ruleArn),
  );
  return { rules, schedules: [], scheduleDeadLetters: undefined };
}

function addRule(tick: Tick, eventDlq: IQueue): Rule {
  return new Rule(tick.scope, tick.id, {
    description: tick.description,
    schedule: tick.isAtFullMinute
      ? Schedule.expression(EACH_FULL_MINUTE)
      : Schedule.rate(Duration.seconds(tick.every)),
    enabled: tick.enabled,
    targets: tick.events.map((event) => runTarget(tick.lambda, event, eventDlq)),
  });
}

/**
 * Refuses more rules than a function or an event bus takes. Queues of a function share rules, so hardly two of very
 * many queues have the same tiers.
 */
function checkRules(scope: Construct, ticks: readonly Tick[]): void {
  for (const lambda of new Set(ticks.map((tick) => tick.lambda))) {
    const rules = ticks.filter((tick) => tick.lambda === lambda).length;
    if (rules > MAX_TICKS) {
      throw new ConfigurationError(
        `queues: a function has ${rules} rules, and its policy takes ${MAX_TICKS}: give more of its queues the same tiers, as ` +
          `these share rules, or ${WAY}`,
      );
    }
  }
  if (ticks.length > MAX_RULES) {
    throw new ConfigurationError(
      `queues: the Backlog has ${ticks.length} rules, and an event bus takes ${MAX_RULES} (in some regions 100) of all applications together: ` +
        `${WAY}, or let a worker serve several queues, which then share rules`,
    );
  }
  if (ticks.length >= MANY_RULES) {
    Annotations.of(scope).addWarningV2(
      'dynamo-backlog:rules',
      `The Backlog has ${ticks.length} rules, and an event bus takes ${MAX_RULES} (in some regions 100) of all applications together: ${WAY}`,
    );
  }
}

/**
 * A target of a rule: CDK's own, except for the dead-letter queue. CDK would add one statement per rule to the queue's
 * policy, which takes 20 (see given-up-events.ts).
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
