import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnSchedule, CfnScheduleGroup, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { useOf } from '../support/encryption.js';
import { eventDlqQueue } from './given-up-events.js';
import { EACH_FULL_MINUTE, type Tick, type Triggers } from './tick.js';
import { clockCron } from './time-zone.js';

/** Settings that all schedules of a Backlog have in common. */
interface Common {
  readonly groupName: string;
  readonly roleArn: string;
  readonly deadLettersArn: string;
  readonly timeZone: string | undefined;
}

/**
 * Schedules of EventBridge Scheduler, one per event of each tick, in a group of their own.
 *
 * CloudFormation's own resources, not CDK's constructs around them: those let the role invoke every version of a
 * function, and give the group a name that is fixed at synthesis.
 */
export function addSchedules(
  scope: Construct,
  id: string,
  ticks: readonly Tick[],
  { timeZone, key }: { readonly timeZone: string | undefined; readonly key: IKey | undefined },
): Triggers {
  const inner = new Construct(scope, id);
  const deadLetters = eventDlqQueue(inner, 'DeadLetters', key);
  const group = new CfnScheduleGroup(inner, 'Group');
  const role = invokingRole(inner, group, ticks, deadLetters);
  const common: Common = {
    groupName: group.ref,
    roleArn: role.roleArn,
    deadLettersArn: deadLetters.queueArn,
    timeZone,
  };
  const schedules = ticks.flatMap((tick) =>
    tick.events.map((event, i) => addSchedule(tick, event, i, common)),
  );
  return { rules: [], schedules, scheduleDeadLetters: deadLetters };
}

/**
 * The role that starts the functions. Its policy is a part of it, so a schedule that fires as soon as it is there finds
 * it complete.
 */
function invokingRole(
  scope: Construct,
  group: CfnScheduleGroup,
  ticks: readonly Tick[],
  deadLetters: Queue,
): Role {
  const functions = new Set(ticks.map(({ lambda }) => lambda.functionArn));
  return new Role(scope, 'Role', {
    description: 'Lets the schedules of a backlog start its functions',
    // The role is only for schedules of this group.
    // https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: {
        StringEquals: { 'aws:SourceAccount': Stack.of(scope).account, 'aws:SourceArn': group.attrArn },
      },
    }),
    inlinePolicies: {
      Start: new PolicyDocument({
        statements: [
          new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [...functions] }),
          new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [deadLetters.queueArn] }),
          ...useOf(deadLetters),
        ],
      }),
    },
  });
}

/** A schedule, of another id than the rule that does the same: CloudFormation cannot make a schedule of what was a rule. */
function addSchedule(tick: Tick, event: Tick['events'][number], index: number, common: Common): CfnSchedule {
  return new CfnSchedule(tick.scope, `${tick.id}Schedule${index === 0 ? '' : index + 1}`, {
    description: tick.description,
    groupName: common.groupName,
    ...expressionOf(tick, common.timeZone),
    flexibleTimeWindow: { mode: 'OFF' },
    state: tick.enabled ? 'ENABLED' : 'DISABLED',
    target: {
      arn: tick.lambda.functionArn,
      roleArn: common.roleArn,
      input: JSON.stringify(event),
      // As for the rules: the next tick does what this one did not.
      retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
      deadLetterConfig: { arn: common.deadLettersArn },
    },
  });
}

function expressionOf({ every, isAtFullMinute }: Tick, timeZone: string | undefined) {
  if (isAtFullMinute) return { scheduleExpression: EACH_FULL_MINUTE };
  const cron = clockCron(every);
  return timeZone !== undefined && cron !== undefined
    ? { scheduleExpression: cron, scheduleExpressionTimezone: timeZone }
    : { scheduleExpression: ScheduleExpression.rate(Duration.seconds(every)).expressionString };
}
