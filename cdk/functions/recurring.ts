import { Duration, Stack, Token } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Queue, Work } from '../props/queue.js';
import type { Definitions } from '../props/recurring-schedule.js';
import { grantPut } from '../tables/table-grants.js';
import { builtIn } from './bundles.js';
import type { FunctionSettings } from './function-settings.js';
import { acknowledgeRuns } from './nag.js';
import { commonProps, finish, type Worker } from './queue-functions.js';
import { variableBytes } from './settings-files.js';

/** Bytes for the definitions, of Lambda's 4 KB of variables; the others need up to 1,400. */
const MAX_DEFINITIONS_BYTES = 2_000;
/** The shortest timeout that has room for an attempt: no option of the queue makes attempts shorter. */
const MIN_TIMEOUT_SECONDS = 60;
const VARIABLE = 'BACKLOG_RECURRING';

/** The function that attempts schedules: it inserts the records of their occurrences, and writes the schedules of the CDK app. */
export function recurringFunction(
  scope: Construct,
  queue: Queue,
  { definitions }: Extract<Work, { type: 'recurring' }>,
  common: FunctionSettings,
): Worker {
  const { variables, ...files } = variablesOf(scope, definitions);
  const timeout = Duration.seconds(Math.max(MIN_TIMEOUT_SECONDS, common.timeout.toSeconds()));
  const settings = { ...common, ...files, timeout };
  const environment = { ...variables, ...(common.indexesAtOnce && { BACKLOG_INDEX_AT_ONCE: 'true' }) };
  const lambda = new LambdaFunction(scope, 'Function', {
    ...commonProps(scope, [queue], settings, 'Backlog', environment),
    description: 'Inserts the recurring records of the backlog as their schedules say',
    ...builtIn('recurring'),
  });
  grantPut(lambda, settings.tables.records);
  acknowledgeRuns(lambda, settings);
  const worker = { name: queue.name, lambda, redeliveryEvents: true, created: lambda };
  return finish({ ...worker, logGroup: lambda.logGroup }, [queue], timeout, settings.tables);
}

/** The definitions: in a variable, or in a file if it has no room for them. */
function variablesOf(scope: Construct, definitions: Definitions) {
  const json = JSON.stringify(definitions);
  if (variableBytes(json) > MAX_DEFINITIONS_BYTES)
    return { variables: {}, inFiles: { [VARIABLE]: definitions } };
  const text = Token.isUnresolved(json) ? Stack.of(scope).toJsonString(definitions) : json;
  return { variables: { [VARIABLE]: text } };
}
