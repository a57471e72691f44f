import type { ConfigurationError } from 'dynamo-backlog';
import type { DynamoDBClient } from 'dynamo-backlog/engine';
import type { TakenPort } from '../status/status.js';
import type { Change } from '../streams/change.js';
import type { LocalApp } from '../template/local-app.js';

/** The DynamoDB that has the app's tables. */
export interface Database {
  /** Such as `http://127.0.0.1:8000`. */
  readonly endpoint: string;
  /** True if it may hold what a runtime before this one has begun. */
  readonly mayHoldRecords: boolean;
  /**
   * Makes the tables that are missing, and reports what is written from then on. It may be called again for another app.
   *
   * @throws ConfigurationError if a table cannot be used
   */
  prepare(app: LocalApp, client: DynamoDBClient): Promise<void>;
  stop(): Promise<void>;
}

export interface DatabaseOptions {
  /** Called for every write to a table whose stream the app reads. */
  readonly onChange: (change: Change) => void;
  /** Called once with what keeps it from knowing the writes. */
  readonly onTrouble: (table: string, error: Error) => void;
  /** The default port of an embedded database is taken, and it has another one. */
  readonly onPortTaken: (taken: TakenPort) => void;
  /** Called once when it can be used no longer. */
  readonly onFailure: (error: ConfigurationError) => void;
}
