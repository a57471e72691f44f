import { Annotations, Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import {
  Code,
  FilterCriteria,
  FilterRule,
  type IFunction,
  Function as LambdaFunction,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ownRoleAndLogs, RUNTIME } from './functions.js';
import { handlerFolder } from './handler-folder.js';
import type { Queue } from './queue.js';
import { grantPlace, hasNewImages, type Tables } from './tables.js';

const TIMEOUT = Duration.minutes(1);
/** As many as one BatchGetItem reads. */
const BATCH = 100;

export interface IntakeSettings {
  readonly queues: readonly Queue[];
  readonly tables: Tables;
  readonly memorySize: number;
  readonly logRetention: RetentionDays;
}

/**
 * Picks up from the table's stream what was put without `lane`, and gives it its place. Missing for a table that has
 * no stream of new images: what is put there without `lane` is never attempted, which a warning says.
 */
export function addIntake(scope: Construct, id: string, settings: IntakeSettings): IFunction | undefined {
  const { queues, tables, ...rest } = settings;
  const { records } = tables;
  if (!hasNewImages(records)) {
    warnOfNoStream(scope);
    return undefined;
  }
  const inner = new Construct(scope, id);
  // Their names are all that it knows of queues: those of many would not fit into the environment.
  const named = queues.map((queue) => ({ ...queue, settings: { way: queue.way } }));
  const lambda = new LambdaFunction(inner, 'Function', {
    ...ownRoleAndLogs(inner, named, { ...rest, tables, timeout: TIMEOUT }),
    description: 'Gives records that were put into the backlog without a lane their place',
    runtime: RUNTIME,
    handler: 'index.handler',
    code: Code.fromAsset(handlerFolder('intake')),
  });
  grantPlace(lambda, records);
  lambda.addEventSource(streamOf(records));
  return lambda;
}

function streamOf(records: ITable): DynamoEventSource {
  return new DynamoEventSource(records, {
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: BATCH,
    // A batch that cannot be placed comes again until it is 24 hours old; one that ends the function is halved.
    bisectBatchOnError: true,
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

function warnOfNoStream(scope: Construct): void {
  Annotations.of(scope).addWarningV2(
    'dynamo-backlog:no-stream',
    'the table has no stream of new images that is known here (tableStreamArn): records that are put without ' +
      '"lane" and "dueAt" will never be attempted; give the table such a stream, or set "intake" to false if every ' +
      'producer is a BacklogClient or another Backlog looks after the table',
  );
}
