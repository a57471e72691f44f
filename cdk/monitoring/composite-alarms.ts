import { type CfnElement, Stack } from 'aws-cdk-lib';
import { type Alarm, AlarmRule, CompositeAlarm, type IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutCompositeAlarm.html */
const MAX_RULE_CHARACTERS = 10_240;
const MAX_ALARMS_IN_RULE = 100;
const MAX_ALARM_NAME = 255;
/** https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html */
const MAX_STACK_NAME = 128;
/** CloudFormation calls a resource STACK-LOGICALID-SUFFIX: the two hyphens, and a suffix of up to 13 characters. */
const NAME_EXTRAS = 15;

const PARENTHESES = 2;
const OR = ' OR '.length;

/**
 * Composite alarms: the first is on while any of the alarms is. Where their names do not fit into one rule, it names further
 * ones, which name the alarms.
 */
export function addComposites(scope: Construct, alarms: readonly Alarm[]): CompositeAlarm[] {
  const groups = groupsThatFit(alarms);
  const [only] = groups;
  if (groups.length <= 1) return [composite(scope, 'Any', only ?? [])];
  const further = groups.map((group, i) => composite(scope, `Any${i + 1}`, group));
  return [composite(scope, 'Any', further), ...further];
}

function composite(scope: Construct, id: string, alarms: readonly IAlarm[]): CompositeAlarm {
  return new CompositeAlarm(scope, id, {
    // Names are some 60 characters shorter than ARNs.
    alarmRule: AlarmRule.anyOf(
      ...alarms.map(({ alarmName }) => AlarmRule.fromString(`ALARM("${alarmName}")`)),
    ),
    alarmDescription: 'Some alarm of the backlog is on. The dashboard shows which one.',
  });
}

/** The alarms in their order. A rule takes each group whatever the stack is called, as a template can be deployed by any name. */
function groupsThatFit(alarms: readonly Alarm[]): Alarm[][] {
  const groups: Alarm[][] = [];
  let left = 0;
  for (const alarm of alarms) {
    const characters = `ALARM("")`.length + longestNameOf(alarm) + OR;
    const group = groups.at(-1);
    if (group === undefined || characters > left || group.length === MAX_ALARMS_IN_RULE) {
      groups.push([alarm]);
      left = MAX_RULE_CHARACTERS - PARENTHESES - characters;
    } else {
      group.push(alarm);
      left -= characters;
    }
  }
  return groups;
}

function longestNameOf(alarm: Alarm): number {
  const logicalId = Stack.of(alarm).getLogicalId(alarm.node.defaultChild as CfnElement);
  return Math.min(MAX_ALARM_NAME, MAX_STACK_NAME + logicalId.length + NAME_EXTRAS);
}
