import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';

/** As many as one BatchGetItem reads. */
const ARRIVALS_BATCH = 100;
const RETURNS_BATCH = 10;

/**
 * What is put into the table without `lane`. A batch that fails comes again as it was, until it is 24 hours old: not in
 * halves, so that runs that were started for it before are recognized.
 */
export function arrivalsSource(records: ITable): DynamoEventSource {
  return new DynamoEventSource(records, {
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: ARRIVALS_BATCH,
    reportBatchItemFailures: true,
    filters: [
      unplaced({ S: FilterRule.notEquals('SUCCESS') }),
      // A status of another type, or none at all: the one above does not match what is not there.
      unplaced({ S: FilterRule.notExists() }),
    ],
  });
}

/** Not what the library writes itself: that has a lane until it has succeeded. */
function unplaced(status: object) {
  return FilterCriteria.filter({
    eventName: FilterRule.or('INSERT', 'MODIFY'),
    dynamodb: { NewImage: { lane: { S: FilterRule.notExists() }, status } },
  });
}

/** What comes back, or is to be looked at later. */
export function returnsSource(returns: IQueue): SqsEventSource {
  return new SqsEventSource(returns, { batchSize: RETURNS_BATCH, reportBatchItemFailures: true });
}
