import { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { ConfigurationError } from '../../src/support/errors.js';
import { addIntake, type Intake, type IntakeSettings } from '../functions/intake.js';
import type { EventSource } from '../functions/monitor.js';
import type { IntakeProps } from '../props/intake-props.js';
import { hasBothImages } from '../tables/tables.js';

/** Most changes of one batch: as many as one BatchGetItem reads. */
const ARRIVALS_BATCH = 100;
const RETURNS_BATCH = 10;

/**
 * The age at which a change is given up, and is left to the sweep. It is shorter than the day for which a stream keeps
 * what was written, so that no batch stops all behind it for that long. It is longer than outages of DynamoDB and SQS.
 */
const MAX_RECORD_AGE = Duration.hours(6);

/** An intake with what starts it. */
export interface FedIntake extends Intake {
  readonly eventSources: readonly EventSource[];
}

/** Makes the intake of a Backlog, and hands it the changes of the table of records and what comes back to it. */
export function addFedIntake(scope: Construct, id: string, settings: IntakeSettings): FedIntake {
  const { tables, returns, eventDlq, own, queues } = settings;
  const ordered = queues.find(({ settings: { order } }) => order !== undefined);
  if (ordered && !hasBothImages(tables.records)) {
    throw new ConfigurationError(
      `queues.${ordered.name}.order: expected a table with a stream of new and old images (tableStreamArn; NEW_AND_OLD_IMAGES), as ` +
        'records have their turns by it',
    );
  }
  const intake = addIntake(scope, id, settings);
  const filters = ordered ? orderFilters() : arrivalFilters();
  const sources = [arrivalsSource(tables.records, eventDlq, own, filters), redeliverySource(returns, own)];
  for (const source of sources) intake.lambda.addEventSource(source);
  const eventSources = sources.map((source) => ({
    id: source.eventSourceMappingId,
    arn: source.eventSourceMappingArn,
  }));
  return { ...intake, eventSources };
}

/**
 * The stream of the table, with changes that put records without `lane`, or with one that is not the library's: all
 * that the library writes has a `rev` as long as it has a `lane`.
 *
 * Changes that fail come again. A batch on which the function itself fails (it runs out of memory or time) comes in
 * halves, so that one item does not hold up the others of its batch. The claims of runs that were started for it before
 * keep it from being attempted twice.
 * A batch that is given up goes to the dead-letter queue for events, as its place in the stream. The function's role
 * may send there already.
 */
function arrivalsSource(
  records: ITable,
  eventDlq: IQueue,
  { batchingWindow }: IntakeProps,
  filters: ReturnType<typeof arrivalFilters>,
): DynamoEventSource {
  return new DynamoEventSource(records, {
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: ARRIVALS_BATCH,
    ...(batchingWindow && { maxBatchingWindow: batchingWindow }),
    reportBatchItemFailures: true,
    bisectBatchOnError: true,
    maxRecordAge: MAX_RECORD_AGE,
    onFailure: { bind: () => ({ destination: eventDlq.queueArn }) },
    filters,
  });
}

/** Filters for records that are to be attempted at once, or to be indexed. */
function arrivalFilters() {
  return [
    notIndexed({ S: FilterRule.notEquals('SUCCESS') }),
    // A status of another type, or none at all: the one above does not match what is not there.
    notIndexed({ S: FilterRule.notExists() }),
    ...writtenFilters(),
  ];
}

/** Filters for these, and for the ends of records with numbers. Lambda takes five in all, so the first two are one. */
function orderFilters() {
  return [
    notIndexed({ S: [...FilterRule.notEquals('SUCCESS'), ...FilterRule.notExists()] }),
    ...writtenFilters(),
    FilterCriteria.filter({
      eventName: FilterRule.or('INSERT', 'MODIFY'),
      dynamodb: { NewImage: { seq: { N: FilterRule.exists() }, status: { S: ['SUCCESS', 'DEAD'] } } },
    }),
    FilterCriteria.filter({
      eventName: FilterRule.isEqual('REMOVE'),
      dynamodb: {
        OldImage: { seq: { N: FilterRule.exists() }, status: { S: FilterRule.notEquals('SUCCESS') } },
      },
    }),
  ];
}

function writtenFilters() {
  return [
    // Indexed by their producers.
    FilterCriteria.filter({
      eventName: FilterRule.or('INSERT', 'MODIFY'),
      dynamodb: { NewImage: { lane: { S: FilterRule.exists() }, rev: { S: FilterRule.notExists() } } },
    }),
    // Records that wait for less than a tick: their time is kept to the second.
    FilterCriteria.filter({
      eventName: FilterRule.isEqual('MODIFY'),
      dynamodb: { NewImage: { lane: { S: FilterRule.exists() }, exact: { BOOL: FilterRule.exists() } } },
    }),
  ];
}

/** A filter for records without `lane`. What the library writes itself does not pass: it has a lane until it has succeeded. */
function notIndexed(status: object) {
  return FilterCriteria.filter({
    eventName: FilterRule.or('INSERT', 'MODIFY'),
    dynamodb: { NewImage: { lane: { S: FilterRule.notExists() }, status } },
  });
}

/** The redelivery queue: events that come back, and records that are to be looked at later. */
function redeliverySource(
  returns: IQueue,
  { redeliveryMaxConcurrency: maxConcurrency }: IntakeProps,
): SqsEventSource {
  return new SqsEventSource(returns, {
    batchSize: RETURNS_BATCH,
    reportBatchItemFailures: true,
    ...(maxConcurrency !== undefined && { maxConcurrency }),
  });
}
