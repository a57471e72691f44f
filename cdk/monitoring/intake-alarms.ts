import { Duration } from 'aws-cdk-lib';
import { MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { AlarmDefinition } from './alarm-definition.js';
import { tableMetric } from './metrics.js';
import type { Watched } from './watched.js';

const PERIOD = Duration.minutes(5);
/** Most delay of the intake. Beyond it, records that others put are attempted late. */
const MAX_INTAKE_AGE = Duration.minutes(5);

/** The alarms on records that are put without an index entry. */
export function intakeAlarms(watched: Watched): AlarmDefinition[] {
  const { intake, tableName, metrics } = watched;
  if (!intake) return [];
  return [
    ageAlarm(intake),
    metrics === 'off'
      ? { ...errorAlarm, metric: intake.metricErrors({ period: PERIOD }) }
      : troubleAlarm(intake, tableName),
    ...(metrics === 'off' ? [] : findings(watched)),
  ];
}

/** The alarm on the time since the record was put that the intake is handed now, as the stream measures it. */
function ageAlarm(intake: IFunction): AlarmDefinition {
  return {
    id: 'IntakeAge',
    essential: true,
    severity: 'page',
    runbook: 'intakeage',
    metric: intake.metric('IteratorAge', { period: PERIOD, statistic: Stats.MAXIMUM }),
    above: MAX_INTAKE_AGE.toMilliseconds(),
    description:
      'Records that were put without a lane wait more than 5 minutes in the stream to be attempted or indexed: the log of the intake ' +
      'has a line at level ERROR that says why. After 24 hours the stream forgets them, and only the sweep finds them.',
  };
}

const errorAlarm = {
  id: 'IntakeErrors',
  severity: 'ticket',
  runbook: 'intakeerrors',
  above: 0,
  description:
    'The intake failed, or could not reach DynamoDB, SQS or Lambda for some records: its log has a line at level ERROR that says ' +
    'why. The stream or the redelivery queue hands it the same records again.',
} as const;

/**
 * The alarm on failures of the intake. Lambda counts no error for a batch of which a part fails, so a metric of the
 * library counts as well.
 */
function troubleAlarm(intake: IFunction, tableName: string): AlarmDefinition {
  return {
    ...errorAlarm,
    metric: new MathExpression({
      expression: 'FILL(errors, 0) + FILL(unprocessed, 0)',
      usingMetrics: {
        errors: intake.metricErrors({ period: PERIOD }),
        unprocessed: tableMetric(tableName, 'Unprocessed'),
      },
      label: 'Failed batches and records that come again',
      period: PERIOD,
    }),
  };
}

/**
 * The alarms on what the intake, the sweep and the monitor find. None is essential: where there are alarms of all
 * queues, the monitor fails if a source has stopped, and its alarm says so.
 */
function findings({ tableName, countsGroups }: Watched): AlarmDefinition[] {
  return [
    {
      id: 'IntakeStopped',
      severity: 'page',
      runbook: 'intakestopped',
      metric: tableMetric(tableName, 'SourcesStopped'),
      above: 0,
      periods: 2,
      description:
        'The intake is not handed what is put into the table: the event source mapping of the stream or of the redelivery queue is ' +
        'disabled, deleted, or fails. The log of the monitor says which one, and why. Records that are put without a lane wait ' +
        'meanwhile; after 24 hours only the sweep finds them. If it is the mapping of RecordEvents, others do not learn of ends' +
        (countsGroups ? ', and groups do not end.' : '.'),
    },
    {
      id: 'NotIndexed',
      severity: 'ticket',
      runbook: 'notindexed',
      metric: tableMetric(tableName, 'NotIndexed'),
      above: 0,
      description:
        'The sweep found records that no event had reached, and had them indexed: the stream was off, the table was restored, or ' +
        'an operator set dead records to NEW by hand. They were not attempted until now.',
    },
    {
      id: 'UnknownQueue',
      severity: 'ticket',
      runbook: 'unknownqueue',
      metric: tableMetric(tableName, 'UnknownQueue'),
      above: 0,
      description:
        'Records name a queue that no rule serves: the log of the intake has their ids. They wait until a queue of that ' +
        'name is deployed, or their queue is corrected.',
    },
    {
      id: 'Refused',
      severity: 'ticket',
      runbook: 'refused',
      metric: tableMetric(tableName, 'Refused'),
      above: 0,
      description:
        'Records cannot be handled: they are quarantined (DEAD, and deadReason says why), or DynamoDB takes not even ' +
        'that change of them (an item of 400 KB has no room for it). The log of the intake, or of the run that attempted ' +
        'them, has their ids at level ERROR. First: "backlog doctor".',
    },
  ];
}
