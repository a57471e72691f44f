import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmDefinition } from './alarm-definition.js';
import type { Watched } from './watched.js';

const PERIOD = Duration.minutes(5);
/** Most delay of an event of a record. */
const MAX_AGE = Duration.minutes(5);

/** The alarm on events of records that their target does not take. */
export function recordEventsAlarms({ recordEvents }: Watched): AlarmDefinition[] {
  if (!recordEvents) return [];
  return [
    {
      id: 'RecordEventsAge',
      essential: true,
      severity: 'page',
      runbook: 'recordeventsage',
      metric: recordEvents.metric('IteratorAge', { period: PERIOD, statistic: Stats.MAXIMUM }),
      above: MAX_AGE.toMilliseconds(),
      description:
        'Others learn more than 5 minutes late of the ends of records: the bus, topic or queue of recordEvents does not take the ' +
        'events. The log of the function RecordEvents has a line at level ERROR that says why. Events that are 20 hours late are ' +
        'given up. The records themselves are not affected.',
    },
  ];
}
