import { Duration } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import * as z from 'zod';

/** A value that is recognized by one of its members, not by its class: an app can hold two copies of aws-cdk-lib. */
export function having<T>(member: keyof T, type: 'string' | 'function' | 'object', expectation: string) {
  return z.custom<T>((value) => typeof (value as T | undefined | null)?.[member] === type, expectation);
}

export const duration = having<Duration>('toSeconds', 'function', 'expected a Duration');
export const lambdaFunction = having<IFunction>(
  'functionArn',
  'string',
  'expected a Lambda function (IFunction)',
);
export const table = having<ITable>('tableName', 'string', 'expected a DynamoDB table (ITable)');
export const key = having<IKey>('keyArn', 'string', 'expected a KMS key (IKey)');
export const eventBus = having<IEventBus>('eventBusArn', 'string', 'expected an event bus (IEventBus)');
const alarmAction = having<IAlarmAction>('bind', 'function', 'expected an alarm action (IAlarmAction)');
const actionList = z.array(alarmAction);
/** Actions for all alarms, or by severity. */
export const alarmActions = z.union(
  [actionList, z.strictObject({ page: actionList.optional(), ticket: actionList.optional() })],
  'expected a list of alarm actions, or { page: [...], ticket: [...] }',
);

/** Descriptions of alarms, in which it stands, have up to 1024 characters. */
export const runbookUrl = z
  .string()
  .max(200)
  .regex(/^https?:\/\/[^\s#]+$/, 'expected the URL of a page, without "#"');

/** The timeout of a Lambda function. In seconds for the error, which says what came. */
export const functionTimeout = duration
  .transform((timeout) => timeout.toSeconds())
  .pipe(z.number().max(900, 'expected at most 900 seconds'))
  .transform((seconds) => Duration.seconds(seconds));

/** Tells whether it is a function of this CDK app, not an imported one, a version or an alias. */
export function isOwnFunction(lambda: object): lambda is LambdaFunction {
  return typeof (lambda as Partial<LambdaFunction>).addEnvironment === 'function';
}
