import { GetEventSourceMappingCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { CLIENT_LIMITS } from '../service-limits.js';

/** Tells why an event source mapping hands nothing over; undefined: it works. */
export type SourceTrouble = (mapping: string) => Promise<string | undefined>;

const WORKING: ReadonlySet<string> = new Set(['Creating', 'Enabling', 'Enabled', 'Updating']);

/** The client is made when it is first needed: a backlog without an intake has no mappings. */
export function sourceTrouble(): SourceTrouble {
  let lambda: LambdaClient | undefined;
  return async (mapping) => {
    lambda ??= new LambdaClient(CLIENT_LIMITS);
    try {
      const { State, LastProcessingResult } = await lambda.send(
        new GetEventSourceMappingCommand({ UUID: mapping }),
      );
      if (State !== undefined && !WORKING.has(State)) return State;
      // https://docs.aws.amazon.com/lambda/latest/api/API_GetEventSourceMapping.html
      return LastProcessingResult?.startsWith('PROBLEM') ? LastProcessingResult : undefined;
    } catch (error) {
      if ((error as Error).name === 'ResourceNotFoundException') return 'Deleted';
      throw error;
    }
  };
}
