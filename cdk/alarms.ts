import {
  Alarm,
  AlarmRule,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  type IAlarmAction,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { AlarmDefinition } from './alarm-definition.js';
import type { AlarmActions, Severity } from './alarm-props.js';
import { functionAlarms } from './function-alarms.js';
import { intakeAlarms } from './intake-alarms.js';
import { ownerAlarms } from './owner-alarms.js';
import { queueAlarms } from './queue-alarms.js';
import type { Watched } from './watched.js';

export interface AlarmOptions {
  readonly alarmActions?: AlarmActions | undefined;
  readonly okActions?: AlarmActions | undefined;
  readonly composite: boolean;
  readonly onlyEssential: boolean;
}

/** All alarms of a backlog, and the one that is on while any of them is. */
export interface Alarms {
  readonly all: readonly Alarm[];
  readonly composite: CompositeAlarm | undefined;
}

/** One alarm for each state that needs a person; docs/runbook.md has a paragraph on each. */
export function addAlarms(scope: Construct, watched: Watched, options: AlarmOptions): Alarms {
  const all = definitionsOf(watched)
    .filter(({ essential }) => essential || !options.onlyEssential)
    .map((definition) => addAlarm(scope, definition, options));
  if (!options.composite) return { all, composite: undefined };
  const composite = new CompositeAlarm(scope, 'Any', {
    alarmRule: AlarmRule.anyOf(...all.map((alarm) => AlarmRule.fromAlarm(alarm, AlarmState.ALARM))),
    alarmDescription: 'Some alarm of the backlog is on. The dashboard shows which one.',
  });
  return { all, composite };
}

/** Without metrics of its own, what Lambda and SQS measure is left. */
function definitionsOf(watched: Watched): AlarmDefinition[] {
  const hasMetrics = watched.metrics !== 'off';
  return [
    ...functionAlarms(watched),
    ...intakeAlarms(watched),
    ...ownerAlarms(watched),
    ...(hasMetrics ? watched.queues.flatMap((queue) => queueAlarms(watched.tableName, queue)) : []),
  ];
}

function addAlarm(scope: Construct, definition: AlarmDefinition, options: AlarmOptions): Alarm {
  const {
    id,
    severity,
    runbook,
    metric,
    above,
    below,
    periods = 1,
    datapoints = periods,
    description,
  } = definition;
  const alarm = new Alarm(scope, id, {
    metric,
    threshold: above ?? below,
    comparisonOperator:
      above === undefined
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: periods,
    datapointsToAlarm: datapoints,
    // What is zero is not written; a heartbeat that is missing has stopped.
    treatMissingData: above === undefined ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    alarmDescription: `[${severity}] ${description} Runbook: dynamo-backlog, docs/runbook.md#${runbook}`,
  });
  const actions = actionsFor(severity, options.alarmActions);
  if (actions.length > 0) alarm.addAlarmAction(...actions);
  const ok = actionsFor(severity, options.okActions);
  if (ok.length > 0) alarm.addOkAction(...ok);
  return alarm;
}

function actionsFor(severity: Severity, actions: AlarmActions | undefined): readonly IAlarmAction[] {
  if (actions === undefined) return [];
  return 'page' in actions || 'ticket' in actions
    ? (actions[severity] ?? [])
    : (actions as readonly IAlarmAction[]);
}
