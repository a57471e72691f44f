import type { Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import * as z from 'zod';

// By their methods, not their classes: an app can hold two copies of aws-cdk-lib.

export const duration = z.custom<Duration>(
  (value) => typeof (value as Duration | undefined)?.toSeconds === 'function',
  'expected a Duration',
);

/** Whether it is a function of this CDK app, not an imported one, a version or an alias. */
export function isOwnFunction(lambda: object): lambda is LambdaFunction {
  return typeof (lambda as Partial<LambdaFunction>).addEnvironment === 'function';
}
