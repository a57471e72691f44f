import {
  Alarm,
  ComparisonOperator,
  type CompositeAlarm,
  type IAlarmAction,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { AlarmActions, Severity } from '../props/alarm-props.js';
import type { AlarmDefinition } from './alarm-definition.js';
import { addComposites } from './composite-alarms.js';
import { functionAlarms } from './function-alarms.js';
import { intakeAlarms } from './intake-alarms.js';
import { ownerAlarms } from './owner-alarms.js';
import { queueAlarms } from './queue-alarms.js';
import { recordEventsAlarms } from './record-events-alarms.js';
import { tableAlarms } from './table-alarms.js';
import type { Watched } from './watched.js';

export interface AlarmOptions {
  readonly alarms: boolean | 'essential';
  readonly alarmActions?: AlarmActions | undefined;
  readonly okActions?: AlarmActions | undefined;
  readonly compositeAlarm: boolean;
  readonly runbookUrl?: string | undefined;
}

/** All alarms of a backlog, and the one that is on while any of them is. */
export interface Alarms {
  readonly all: readonly Alarm[];
  /** The alarms of the severity `page`. */
  readonly pages: readonly Alarm[];
  readonly composite: CompositeAlarm | undefined;
  /** The composite alarm, and those that it is made of where there are many alarms. */
  readonly composites: readonly CompositeAlarm[];
}

/** One alarm for each state that needs a person; docs/runbook.md has a paragraph on each. */
export function addAlarms(backlog: Construct, watched: Watched, options: AlarmOptions): Alarms {
  if (options.alarms === false) return { all: [], pages: [], composite: undefined, composites: [] };
  const scope = new Construct(backlog, 'Alarms');
  const definitions = definitionsOf(watched, options.alarms === 'essential');
  const all = definitions.map((definition) => addAlarm(scope, definition, options));
  const pages = all.filter((_, i) => definitions[i]?.severity === 'page');
  const composites = options.compositeAlarm ? addComposites(scope, all) : [];
  return { all, pages, composite: composites[0], composites };
}

/**
 * The alarms that the options ask for. Without metrics of the library's own, only alarms on what Lambda and SQS measure
 * are left.
 */
function definitionsOf(watched: Watched, onlyEssential: boolean): AlarmDefinition[] {
  const hasMetrics = watched.metrics !== 'off';
  const all = [
    ...functionAlarms(watched),
    ...intakeAlarms(watched),
    ...recordEventsAlarms(watched),
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
    keepsState = false,
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
    // A metric that is zero is not written; a heartbeat that is missing has stopped.
    treatMissingData: keepsState
      ? TreatMissingData.IGNORE
      : above === undefined
        ? TreatMissingData.BREACHING
        : TreatMissingData.NOT_BREACHING,
    alarmDescription: `[${severity}] ${description} Runbook: ${options.runbookUrl ?? 'dynamo-backlog, docs/runbook.md'}#${runbook}`,
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
