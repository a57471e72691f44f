import type { RetryPolicy, Tier } from './policies/index.js';
import type { RetryMode } from './record/index.js';

/** The key in a template's `Metadata` under which its Backlogs describe themselves, by their path in the stack. */
export const METADATA_KEY = 'DynamoBacklog';

/** The version of the description. A reader of an older version says that it cannot read a newer one. */
export const METADATA_VERSION = 1;

/**
 * The description of one Backlog in its template, for `backlog diff`. Values that only the deployment knows are texts that
 * begin with `TOKEN`.
 */
export interface BacklogDescription {
  /** `METADATA_VERSION` of the library that wrote it. */
  readonly version: number;
  /** EventBridge rules, or EventBridge Scheduler. */
  readonly trigger: 'rules' | 'scheduler';
  /** The time zone of schedules. Absent: UTC. */
  readonly timeZone?: string | undefined;
  /** The primary region. Absent: the backlog is in one region. */
  readonly primaryRegion?: string | undefined;
  /** The page that its alarms and incidents link to. Absent: that of the docs. */
  readonly runbookUrl?: string | undefined;
  /** The ends of records that have events, by queue. Absent: none have. */
  readonly recordEvents?:
    | Readonly<
        Record<
          string,
          {
            /** The ends. */
            readonly on: readonly string[];
            /** Parts that the events have beside the facts. */
            readonly include: readonly string[];
          }
        >
      >
    | undefined;
  /** The ends of groups have events. Absent: they have none. */
  readonly groupEvents?: boolean | undefined;
  /** The members of groups are counted. Absent: they are not. */
  readonly groups?: boolean | undefined;
  /** The recurring records by name. Absent: there is no function for any. */
  readonly recurring?: Readonly<Record<string, RecurringDescription>> | undefined;
  /** It has an intake. */
  readonly intake: boolean;
  /** It has a sweep. */
  readonly sweep: boolean;
  /** The table of records. */
  readonly records: TableDescription;
  /** The control table. */
  readonly control: TableDescription;
  /** The queues by name. */
  readonly queues: Readonly<Record<string, QueueDescription>>;
}

/** A recurring record as it was checked at synthesis. What is absent has its default. */
export interface RecurringDescription {
  /** The cron or the rate. */
  readonly schedule: string;
  /** The time zone of a cron. */
  readonly timeZone?: string | undefined;
  /** The queue of its records, the default one too. */
  readonly queue: string;
  /** A hash of its payload. */
  readonly payload?: string | undefined;
  /** The other options. Durations are in seconds. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

/** A table of the template, or a given one. */
export interface TableDescription {
  /** The resource in the same template. Absent: the table is given. */
  readonly logicalId?: string | undefined;
  /** The name that was given. Absent: CloudFormation makes one. */
  readonly name?: string | undefined;
}

/** A queue as it was checked at synthesis. Durations are in seconds; what is absent has its default. */
export interface QueueDescription {
  /** The retry mode. */
  readonly retryMode: RetryMode;
  /** The retry policy. */
  readonly retry?: RetryPolicy | undefined;
  /** The tiers of a progressive queue, the default ones too. */
  readonly tiers?: readonly Tier<number>[] | undefined;
  /** The worker: `deliverTo`, `entry`, `handler`, `worker NAME`, `external`, or `recurring`. */
  readonly work: string;
  /** The destination of the built-in delivery. */
  readonly deliverTo?: DeliveryDescription | undefined;
  /** Its rules fire. */
  readonly enabled: boolean;
  /** The time of first attempts: on insertion, or by a rule. */
  readonly firstAttempt: 'onInsert' | 'scheduled';
  /** The timeout of its function, or how long a run of its process may be. */
  readonly timeout: number;
  /** The queue's other settings, as `BACKLOG_QUEUES` has them. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

/** A delivery without what may be secret: no query, user or password of the URL, no values of headers. */
export interface DeliveryDescription {
  /** The URL without what may be secret. */
  readonly url: string;
  /** The HTTP method. */
  readonly method?: string | undefined;
  /** Names of headers. */
  readonly headers?: readonly string[] | undefined;
  /** Requests are signed. */
  readonly signed?: boolean | undefined;
  /** The option of the same name. */
  readonly answers?: unknown;
  /** Seconds until a request is given up. */
  readonly requestTimeout?: number | undefined;
  /** The option of the same name. */
  readonly allowPrivateAddresses?: unknown;
}

/** Begins a text in place of a value that only the deployment knows; behind it is a hash of what stands for it. */
export const TOKEN = 'known at deployment';
