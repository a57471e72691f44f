import type { RedactPayload } from 'dynamo-backlog';
import type { RunReport } from 'dynamo-backlog/overview';
import type { AlarmEpisode } from './alarms/alarm-watch.js';
import type { DescribeChanges, ReloadNews } from './reload/news.js';
import type { Notice } from './sandbox/function-logs.js';
import type { OutputLine } from './sandbox/handler-output.js';
import type { RuntimeActions } from './status/runtime-actions.js';
import type { RuntimeStatus } from './status/status.js';

export interface RuntimeOptions {
  /** A shell command that synthesizes a CDK app, or a synthesized folder. Default: this package's own app. */
  readonly app?: string | undefined;
  /** The port of the embedded DynamoDB; 0 for any that is free. Default 8000, or the next one that is free. */
  readonly dynamodbPort?: number | undefined;
  /** The URL of another DynamoDB, which is used instead of the embedded one. */
  readonly dynamodbEndpoint?: string | undefined;
  /** The port of the console; 0 for any that is free. Default 8080, or the next one that is free. */
  readonly port?: number | undefined;
  /** The port of function URLs; 0 for any that is free. Default 8090, or the next one that is free. */
  readonly functionUrlPort?: number | undefined;
  /** Keeps records, time and logs between starts. Default: nothing is kept. */
  readonly dataDir?: string | undefined;
  /** Seconds of the backlog that pass in a real one. Default 1. */
  readonly speed?: number | undefined;
  /** Destination of the app's queues, as its context value `deliverTo`. */
  readonly deliverTo?: string | undefined;
  /** A JSON file with the values of the app's secrets and parameters, by name. */
  readonly secrets?: string | undefined;
  /** Runs the shop, and the ERP unless there is a `deliverTo`. Default true. */
  readonly sample?: boolean | undefined;
  /** Debuggers listen from this port of 127.0.0.1 on, one for each function of the app's own; 0 for any that are free. Default: none. */
  readonly inspect?: number | undefined;
  /** Chooses what the console shows of a payload. Default: all of it. */
  readonly redact?: RedactPayload | undefined;
  /** Default: the process's. */
  readonly cwd?: string | undefined;
  /** A rule's run has ended. */
  readonly onRun?: ((report: RunReport) => void) | undefined;
  /** A function has logged a warning or an error. */
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  /** Code of the app has written a line. */
  readonly onOutput?: ((line: OutputLine) => void) | undefined;
  /** An alarm of the app has gone on or off. */
  readonly onAlarm?: ((episode: AlarmEpisode) => void) | undefined;
  /** All is ready, and the clock has begun to go. Gets what is to be seen, and what the keys of a terminal do. */
  readonly onReady?: ((status: () => RuntimeStatus, actions: RuntimeActions) => void) | undefined;
  /** Runs what is saved of the app while it is at work. Default false. */
  readonly watch?: boolean | undefined;
  /** Called with the result of a save. */
  readonly onReload?: ((news: ReloadNews) => void) | undefined;
  /** Says what another synthesis changes for the queues. Default: nothing is said of them. */
  readonly describeChanges?: DescribeChanges | undefined;
  /** Called with each step of the start. */
  readonly onProgress?: ((step: string) => void) | undefined;
  /** Ends a start that is under way: a synthesis at once, all else at its next step. Later it does nothing. */
  readonly signal?: AbortSignal | undefined;
}
