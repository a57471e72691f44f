import { Duration, Stack, Token } from 'aws-cdk-lib';
import {
  FilterCriteria,
  FilterRule,
  type Function as LambdaFunction,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Construct } from 'constructs';
import { DEFAULT_QUEUE, type RecordEnd } from '../../src/record/index.js';
import { ConfigurationError } from '../../src/support/errors.js';
import type { EventSource } from '../functions/monitor.js';
import { addRecordEvents, type RecordEventsSettings } from '../functions/record-events.js';
import type { RecordEvents } from '../props/record-events-props.js';
import { hasBothImages, hasNewImages } from '../tables/tables.js';
import { endOfGroupFilter, memberFilters } from './member-filters.js';

const BATCH = 100;
/**
 * The age at which events are given up that their target does not take. It is shorter than the day for which a stream keeps what
 * was written: the dead-letter queue then names where in it they are.
 */
const MAX_RECORD_AGE = Duration.hours(20);
/** https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html */
const MAX_PATTERN_CHARACTERS = 4_096;

/** Filters that Lambda takes, unless its quota is raised. */
const MAX_FILTERS = 5;

/** The function that tells others of the ends of records, and counts the members of groups, with what starts it. */
export interface FedRecordEvents {
  readonly lambda: LambdaFunction;
  readonly eventSource: EventSource;
}

/**
 * Tells others of the ends of records, and counts the members of groups, from the table's stream: its second reader beside the
 * intake, and it has room for two.
 *
 * @throws ConfigurationError if the table has no stream that shows what was written, or the target is in another region
 */
export function addFedRecordEvents(
  scope: Construct,
  id: string,
  settings: RecordEventsSettings,
): FedRecordEvents {
  const { tables, eventDlq, events, groups } = settings;
  if (events && !hasNewImages(tables.records)) {
    throw new ConfigurationError(
      'Backlog.recordEvents: expected a table with a stream of new images (tableStreamArn), as the events come from there',
    );
  }
  if (groups && !hasBothImages(tables.records)) {
    throw new ConfigurationError(
      'Backlog.groups: expected a table with a stream of new and old images (tableStreamArn; NEW_AND_OLD_IMAGES), as the members of ' +
        'groups are counted from there',
    );
  }
  if (events?.groups && !groups) {
    throw new ConfigurationError(
      'Backlog.recordEvents.groups: expected "groups: true" of the Backlog, as no group ends without',
    );
  }
  if (events) checkRegion(scope, events);
  const lambda = addRecordEvents(scope, id, settings);
  const source = new DynamoEventSource(tables.records, {
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: BATCH,
    reportBatchItemFailures: true,
    bisectBatchOnError: true,
    maxRecordAge: MAX_RECORD_AGE,
    // The function's role may send there already.
    onFailure: { bind: () => ({ destination: eventDlq.queueArn }) },
    filters: filtersOf(settings),
  });
  lambda.addEventSource(source);
  return { lambda, eventSource: { id: source.eventSourceMappingId, arn: source.eventSourceMappingArn } };
}

function filtersOf({ events, groups }: Pick<RecordEventsSettings, 'events' | 'groups'>) {
  const ofEvents = events ? eventFilters(events) : [];
  const ofMembers = groups ? memberFilters() : [];
  const ofEnds = groups && events?.groups ? [endOfGroupFilter()] : [];
  const all = [...ofEvents, ...ofMembers, ...ofEnds];
  if (!events || all.length <= MAX_FILTERS) return all;
  // The function looks at the queues itself.
  if (events.groups) return [...memberFilters(true), ...ofEnds];
  const statuses = [...new Set(Object.values(events.queues).flatMap(({ on }) => on.map(statusOf)))];
  return [endFilter(statuses, {}), ...ofMembers];
}

function eventFilters(events: RecordEvents) {
  return [
    ...endsOf('SUCCESS', queuesWith(events, ['succeeded'])),
    ...endsOf('DEAD', queuesWith(events, ['dead', 'cancelled'])),
  ];
}

function statusOf(end: RecordEnd): string {
  return end === 'succeeded' ? 'SUCCESS' : 'DEAD';
}

/** Refuses a target that the services of this region do not know: it would take no event. */
function checkRegion(scope: Construct, { to }: RecordEvents): void {
  const { region } = Stack.of(scope);
  const other = to.env.region;
  if (Token.isUnresolved(region) || Token.isUnresolved(other) || region === other) return;
  throw new ConfigurationError(
    `Backlog.recordEvents.to: expected a target in this region (${region}), got one in ${other}: give it to a bus here, ` +
      'with a rule that sends the events on',
  );
}

function queuesWith({ queues }: RecordEvents, ends: readonly RecordEnd[]): string[] {
  return Object.entries(queues).flatMap(([name, { on }]) =>
    on.some((end) => ends.includes(end)) ? [name] : [],
  );
}

/**
 * Filters for records of these queues that have ended so. A record that names no queue is one of the default queue. Names that
 * the filter has no room for are looked at by the function.
 */
function endsOf(status: string, queues: readonly string[]) {
  if (queues.length === 0) return [];
  const patternFor = (queue: object) => endFilter([status], queue);
  const named = patternFor({ queue: { S: queues } });
  if (JSON.stringify(named).length > MAX_PATTERN_CHARACTERS) return [patternFor({})];
  return queues.includes(DEFAULT_QUEUE)
    ? [named, patternFor({ queue: { S: FilterRule.notExists() } })]
    : [named];
}

/** A filter for records that the library has ended so. */
function endFilter(statuses: readonly string[], queue: object) {
  return FilterCriteria.filter({
    eventName: FilterRule.or('INSERT', 'MODIFY'),
    dynamodb: { NewImage: { status: { S: statuses }, rev: { S: FilterRule.exists() }, ...queue } },
  });
}
