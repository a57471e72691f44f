import { Validations } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type IFunction, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import type { Tables } from '../tables/tables.js';
import type { Network } from './network.js';

/** Says that a rule of cdk-nag does not apply here, and why. */
export function acknowledge(construct: IConstruct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason });
}

const NO_TRACES =
  'Traces are billed by the run, and most polls find nothing; logs and metrics report each that did. The prop "tracing" turns them on.';
const ANY_TRACE =
  'X-Ray has no resources that a right to write traces could name: https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsx-ray.html';

const ANY_INTERFACE =
  'Lambda makes the network interfaces of functions in a VPC, which have no names before: the right is denied to the code itself.';

const KEY_ACTIONS = ['kms:GenerateDataKey*', 'kms:ReEncrypt*'];
const ANY_KEY_ACTION =
  'The right is for one key. The action has a wildcard as DynamoDB asks for it: with and without the plaintext of the data key, from ' +
  'and to: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html';

/** Settings that the findings depend on. */
interface Settings {
  readonly tables: Tables;
  readonly encryptionKey?: IKey | undefined;
  readonly tracing: Tracing;
  readonly network: Network;
}

function acknowledgeSettings(lambda: IFunction, settings: Settings): void {
  const { tracing, network, tables, encryptionKey = tables.records.encryptionKey } = settings;
  if (tracing !== Tracing.ACTIVE) acknowledge(lambda, 'Serverless-LambdaTracing', NO_TRACES);
  const reasons = [
    ...(tracing === Tracing.DISABLED ? [] : [ANY_TRACE]),
    ...(network.vpc === undefined ? [] : [ANY_INTERFACE]),
  ];
  const { role } = lambda;
  if (!role) return;
  if (encryptionKey ?? tables.control.encryptionKey) {
    for (const action of KEY_ACTIONS)
      acknowledge(role, `AwsSolutions-IAM5[Action::${action}]`, ANY_KEY_ACTION);
  }
  if (reasons.length === 0) return;
  acknowledge(role, 'AwsSolutions-IAM5[Resource::*]', reasons.join(' '));
}

/** Acknowledges the findings of a function whose failed asynchronous events go to a destination. */
export function acknowledgeRuns(lambda: IFunction, settings: Settings): void {
  acknowledgeSettings(lambda, settings);
  acknowledge(
    lambda,
    'Serverless-LambdaDLQ',
    'Events that it fails on go to an on-failure destination, with the reason.',
  );
}

/** Acknowledges the findings of a function that event source mappings alone start. */
export function acknowledgeEventSources(lambda: IFunction, settings: Settings): void {
  acknowledgeSettings(lambda, settings);
  acknowledge(
    lambda,
    'Serverless-LambdaDLQ',
    'It is started by event source mappings only, which keep what fails.',
  );
  acknowledge(
    lambda,
    'Serverless-LambdaEventSourceMappingDestination',
    'What it fails on goes to the dead-letter queue for events: of a stream by its mapping, of a queue as its dead letter.',
  );
}

/** Says why asynchronous events that a function fails on are not kept. */
function acknowledgeLostEvents(lambda: IFunction, reason: string): void {
  acknowledge(lambda, 'Serverless-LambdaDLQ', reason);
  acknowledge(lambda, 'Serverless-LambdaAsyncFailureDestination', reason);
}

export function acknowledgeSweep(lambda: IFunction, settings: Settings): void {
  acknowledgeSettings(lambda, settings);
  acknowledgeLostEvents(
    lambda,
    'The next hour does what a lost event did not, and an alarm reports failures.',
  );
}

export function acknowledgeCompletionUrl(lambda: IFunction, secret: IConstruct, settings: Settings): void {
  acknowledgeSettings(lambda, settings);
  acknowledgeLostEvents(lambda, 'Its URL calls it and waits for its answer: it gets no asynchronous events.');
  acknowledge(
    secret,
    'AwsSolutions-SMG4',
    'A second rotation ends all links before it, which people may still have: docs/completion.md says how and when to rotate.',
  );
}

export function acknowledgeWidget(lambda: IFunction, settings: Settings): void {
  acknowledgeSettings(lambda, settings);
  acknowledgeLostEvents(
    lambda,
    'The dashboard calls it and waits for its answer: it gets no asynchronous events.',
  );
}
