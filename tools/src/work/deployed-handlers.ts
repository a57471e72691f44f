import type { BacklogStore, Clock, Random, RunSummary } from 'dynamo-backlog/engine';
import {
  type BacklogLambdaHandler,
  backlogHandler,
  type LambdaContext,
  type Process,
} from 'dynamo-backlog/lambda';
import { BatchKeys } from '../../../functions/intake/batch-keys.js';
import {
  type BatchResponse,
  type IntakeSeams,
  intakeHandler,
} from '../../../functions/intake/intake-handler.js';
import { readIntakeSettings } from '../../../functions/intake/settings.js';

export { renderRedelivery } from '../../../functions/intake/queue-event.js';
export type { BatchResponse };

/** The requests of the intake to other services. */
export type Invoker = NonNullable<IntakeSeams['invoker']>;

/** The parts that a deployed handler gets in place of AWS. */
export interface HandlerParts {
  readonly store: BacklogStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Readonly<Record<string, string>>;
  /** Gets the messages of lines of the log at WARN and ERROR. */
  readonly warned: (message: string) => void;
}

/** The handler of a queue with code of its own. @param ended gets the summary of each run */
export function queueHandler(
  parts: HandlerParts,
  process: Process,
  ended: (summary: RunSummary) => void,
): BacklogLambdaHandler {
  const { warned, ...deps } = parts;
  return backlogHandler({ ...deps, logger: loggerOf(warned), process, emit: ended });
}

/** The handler of the intake. */
export function intakeWith(
  parts: HandlerParts,
  invoker: Invoker,
): (event: unknown, context: LambdaContext) => Promise<BatchResponse> {
  const { warned, ...deps } = parts;
  const logger = loggerOf(warned) as unknown as NonNullable<IntakeSeams['logger']>;
  return intakeHandler({ ...deps, logger, invoker, batchKeys: BatchKeys, emit() {} });
}

/** @throws ConfigurationError for variables with which the intake would fail every event, which then comes again */
export function checkIntake(env: HandlerParts['env']): void {
  readIntakeSettings(env);
}

function loggerOf(warned: (message: string) => void) {
  return { debug() {}, info() {}, warn: warned, error: warned };
}
