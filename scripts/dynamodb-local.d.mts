/** Error if Java or Maven is not installed. */
export declare class MissingProgramError extends Error {}

/**
 * Starts DynamoDB Local on 127.0.0.1; fetches it once.
 *
 * @throws MissingProgramError
 */
export declare function startDynamoDbLocal(): Promise<{
  readonly endpoint: string;
  stop(): Promise<void>;
  /** Ends it at once. */
  kill(): void;
}>;
