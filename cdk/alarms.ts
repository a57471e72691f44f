import {
  Alarm,
  AlarmRule,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  type IAlarm,
  type IAlarmAction,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { AlarmDefinition } from './alarm-definition.js';
import type { AlarmActions, Severity } from './alarm-props.js';
import { functionAlarms } from './function-alarms.js';
import { intakeAlarms } from './intake-alarms.js';
import { ownerAlarms } from './owner-alarms.js';
import { queueAlarms } from './queue-alarms.js';
import { tableAlarms } from './table-alarms.js';
import type { Watched } from './watched.js';

export interface AlarmOptions {
  readonly alarms: boolean | 'essential';
  readonly alarmActions?: AlarmActions | undefined;
  readonly okActions?: AlarmActions | undefined;
  readonly compositeAlarm: boolean;
}

/** All alarms of a backlog, and the one that is on while any of them is. */
export interface Alarms {
  readonly all: readonly Alarm[];
  readonly composite: CompositeAlarm | undefined;
  /** It, and those that it is made of where there are many alarms. */
  readonly composites: readonly CompositeAlarm[];
}

/** One alarm for each state that needs a person; docs/runbook.md has a paragraph on each. */
export function addAlarms(backlog: Construct, watched: Watched, options: AlarmOptions): Alarms {
  if (options.alarms === false) return { all: [], composite: undefined, composites: [] };
  const scope = new Construct(backlog, 'Alarms');
  const all = definitionsOf(watched, options.alarms === 'essential').map((definition) =>
    addAlarm(scope, definition, options),
  );
  if (!options.compositeAlarm) return { all, composite: undefined, composites: [] };
  const composites = addComposites(scope, all);
  return { all, composite: composites[0], composites };
}

/** A rule takes 10,240 characters; the ARN of an alarm has about 150 of them, and 340 at most. */
const MOST_NAMED_IN_ONE = 60;
const MOST_IN_A_RULE = 30;

/** The first is on while any alarm is: of many alarms, by others in between. */
function addComposites(scope: Construct, all: readonly Alarm[]): CompositeAlarm[] {
  const composite = (id: string, some: readonly IAlarm[]) =>
    new CompositeAlarm(scope, id, {
      alarmRule: AlarmRule.anyOf(...some.map((alarm) => AlarmRule.fromAlarm(alarm, AlarmState.ALARM))),
      alarmDescription: 'Some alarm of the backlog is on. The dashboard shows which one.',
    });
  if (all.length <= MOST_NAMED_IN_ONE) return [composite('Any', all)];
  const between: CompositeAlarm[] = [];
  for (let from = 0; from < all.length; from += MOST_IN_A_RULE) {
    between.push(composite(`Any${between.length + 1}`, all.slice(from, from + MOST_IN_A_RULE)));
  }
  return [composite('Any', between), ...between];
}

/** Without metrics of its own, what Lambda and SQS measure is left. */
function definitionsOf(watched: Watched, onlyEssential: boolean): AlarmDefinition[] {
  const hasMetrics = watched.metrics !== 'off';
  const all = [
    ...functionAlarms(watched),
    ...intakeAlarms(watched),
    ...(hasMetrics && onlyEssential ? tableAlarms(watched) : []),
    ...ownerAlarms(watched),
    ...(hasMetrics ? watched.queues.flatMap((queue) => queueAlarms(watched, queue)) : []),
  ];
  return all.filter(({ essential }) => essential || !onlyEssential);
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
