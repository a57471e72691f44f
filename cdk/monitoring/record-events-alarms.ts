import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmDefinition } from './alarm-definition.js';
import type { Watched } from './watched.js';

const PERIOD = Duration.minutes(5);
/** Most delay of an event of a record, and of the end of a group. */
const MAX_AGE = Duration.minutes(5);

const OF_EVENTS =
  'Others learn more than 5 minutes late of the ends of records: the bus, topic or queue of recordEvents does not take the ' +
  'events.';
const OF_GROUPS = 'Groups end more than 5 minutes late: their members cannot be counted.';
const THE_LOG = 'The log of the function RecordEvents has a line at level ERROR that says why.';

/** The alarm on events of records that their target does not take, and on members of groups that are not counted. */
export function recordEventsAlarms(watched: Watched): AlarmDefinition[] {
  const { recordEvents } = watched;
  if (!recordEvents) return [];
  return [
    {
      id: 'RecordEventsAge',
      essential: true,
      severity: 'page',
      runbook: 'recordeventsage',
      metric: recordEvents.metric('IteratorAge', { period: PERIOD, statistic: Stats.MAXIMUM }),
      above: MAX_AGE.toMilliseconds(),
      description: textOf(watched),
    },
  ];
}

function textOf({ sendsEvents, countsGroups }: Watched): string {
  const untouched = 'The records themselves are not affected.';
  const ofEvents = 'Events that are 20 hours late are given up.';
  const ofGroups = 'What is 20 hours late is left to the daily check of groups.';
  if (!countsGroups) return [OF_EVENTS, THE_LOG, ofEvents, untouched].join(' ');
  if (!sendsEvents) return [OF_GROUPS, THE_LOG, ofGroups].join(' ');
  return [
    OF_EVENTS,
    'Or groups end late: their members cannot be counted.',
    THE_LOG,
    ofEvents,
    ofGroups,
  ].join(' ');
}
