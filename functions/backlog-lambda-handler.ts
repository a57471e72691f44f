import type { RunSummary } from '../src/worker/index.js';
import type { LambdaContext } from './lambda-context.js';

/** A Lambda handler for a rule's event. Its result is the run's summary. */
export type BacklogLambdaHandler = (event: unknown, context: LambdaContext) => Promise<RunSummary>;
