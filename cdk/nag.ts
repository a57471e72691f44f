import { Validations } from 'aws-cdk-lib';
import { type IFunction, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';

/** Says that a rule of cdk-nag does not apply here, and why. */
export function acknowledge(construct: IConstruct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason });
}

const NO_TRACES =
  'Traces are billed by the run, and most polls find nothing; logs and metrics report each that did. The prop "tracing" turns them on.';
const ANY_TRACE =
  'X-Ray has no resources that a right to write traces could name: https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsx-ray.html';

function acknowledgeTracing(lambda: IFunction, tracing: Tracing): void {
  if (tracing !== Tracing.ACTIVE) acknowledge(lambda, 'Serverless-LambdaTracing', NO_TRACES);
  if (tracing === Tracing.DISABLED || !lambda.role) return;
  acknowledge(lambda.role, 'AwsSolutions-IAM5[Resource::*]', ANY_TRACE);
}

/** For a function whose asynchronous events go to a destination if it fails on them. */
export function acknowledgeRuns(lambda: IFunction, tracing: Tracing): void {
  acknowledgeTracing(lambda, tracing);
  acknowledge(
    lambda,
    'Serverless-LambdaDLQ',
    'Events that it fails on go to an on-failure destination, with the reason.',
  );
}

export function acknowledgeIntake(lambda: IFunction, tracing: Tracing): void {
  acknowledgeTracing(lambda, tracing);
  acknowledge(
    lambda,
    'Serverless-LambdaDLQ',
    'It is started by event source mappings only, which keep what fails.',
  );
  acknowledge(
    lambda,
    'Serverless-LambdaEventSourceMappingDestination',
    'What fails of the stream goes to the dead-letter queue for events, and so does what fails of the redelivery queue, ' +
      'as its dead letter.',
  );
}

export function acknowledgeSweep(lambda: IFunction, tracing: Tracing): void {
  const reason = 'The next hour does what a lost event did not, and an alarm reports failures.';
  acknowledgeTracing(lambda, tracing);
  acknowledge(lambda, 'Serverless-LambdaDLQ', reason);
  acknowledge(lambda, 'Serverless-LambdaAsyncFailureDestination', reason);
}

export function acknowledgeWidget(lambda: IFunction, tracing: Tracing): void {
  const reason = 'The dashboard calls it and waits for its answer: it gets no asynchronous events.';
  acknowledgeTracing(lambda, tracing);
  acknowledge(lambda, 'Serverless-LambdaDLQ', reason);
  acknowledge(lambda, 'Serverless-LambdaAsyncFailureDestination', reason);
}
