import { InvocationType, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { asText, CLIENT_LIMITS } from '../service-limits.js';
import type { Invocation } from './arrivals.js';
import type { RuleInvocation } from './dead-run.js';
import { createMessages, type Messages } from './messages.js';
import type { IntakeSettings } from './settings.js';

/** The requests of the intake to other services than DynamoDB. */
export interface Invoker extends Messages {
  /**
   * Starts a function. `refused`: this request did not start it (its first try, whose answer was lost, may have).
   * `unknown`: no answer came, it may have been started.
   */
  invoke(invocation: Invocation | RuleInvocation): Promise<'accepted' | 'refused' | 'unknown'>;
}

/** Clients are made when they are first needed: most batches need one of them only. */
export function createInvoker(settings: IntakeSettings): Invoker {
  let lambda: LambdaClient | undefined;
  return {
    ...createMessages(settings),
    async invoke({ functionName, event }) {
      lambda ??= new LambdaClient(CLIENT_LIMITS);
      try {
        await lambda.send(
          new InvokeCommand({
            FunctionName: functionName,
            InvocationType: InvocationType.Event,
            Payload: Buffer.from(asText(event)),
          }),
        );
        return 'accepted';
      } catch (error) {
        const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0;
        return status >= 400 && status < 500 ? 'refused' : 'unknown';
      }
    },
  };
}
