import type { BundleDescription, Schedule } from 'dynamo-backlog/engine';
import type { TableShape } from '../../../../src/store/dynamodb/create-tables.js';
import type { Alarm } from '../../cloudwatch/alarm.js';
import type { Stack, TemplateResource } from './assembly.js';
import type { References } from './intrinsics.js';

/** A table as it is created on the embedded DynamoDB. */
export interface LocalTable extends TableShape {
  readonly logicalId: string;
}

export interface LocalFunction {
  readonly name: string;
  /** Lambda's handler string, such as `index.handler`. */
  readonly handler: string;
  /** The folder of the bundled code. */
  readonly folder: string;
  /** Key of the code. Another one means other code. */
  readonly codeKey?: string | undefined;
  /** Description of the bundling of its code, if the function has one. */
  readonly bundle?: BundleDescription | undefined;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
  /** The queue that asynchronous events go to which it fails on. */
  readonly failureQueue: string | undefined;
}

/** A scheduled rule of EventBridge, or a schedule of EventBridge Scheduler. */
export interface LocalRule {
  /** Stable between starts: its phase is kept under this name. */
  readonly id: string;
  readonly label: string;
  readonly expression: string;
  /** The time zone of a schedule that has one. */
  readonly timeZone?: string | undefined;
  readonly schedule: Schedule;
  readonly enabled: boolean;
  readonly functionName: string;
  readonly event: unknown;
}

/** Changes of a table that a function is handed. */
export interface LocalStream {
  /** Name of the mapping, the same in each synthesis. */
  readonly id: string;
  readonly table: string;
  readonly functionName: string;
  readonly batchSize: number;
  /** A batch that the function fails on comes again in halves. */
  readonly bisects: boolean;
  /** Age in seconds at which what the function fails on is given up. Default: never. */
  readonly maxAgeSeconds?: number | undefined;
  /** Name of the queue that receives what is given up. */
  readonly failureQueue?: string | undefined;
  /** Such as `NEW_IMAGE`. */
  readonly viewType: string;
  /** Tells whether the function wants to receive an event. */
  readonly matches: (event: unknown) => boolean;
}

export interface LocalQueue {
  readonly name: string;
  /** Number of deliveries of a message that fails each time; infinite without a dead-letter queue. */
  readonly maxReceives: number;
  readonly deadLetterQueue: string | undefined;
}

/** Messages of a queue that a function is handed. */
export interface LocalQueueReader {
  readonly queue: string;
  readonly functionName: string;
  readonly batchSize: number;
}

/** A URL at which a function answers requests. */
export interface LocalFunctionUrl {
  readonly functionName: string;
  readonly url: string;
}

/** A secret whose value is made up. */
export interface LocalSecret {
  readonly name: string;
  /** Number of random characters. */
  readonly length: number;
  /** The characters to choose from. */
  readonly characters: string;
  /** The object whose JSON is the secret, and the key of the random text in it. Absent: the text is the secret. */
  readonly field?: { readonly of: Readonly<Record<string, unknown>>; readonly key: string } | undefined;
}

/** The CloudWatch alarms of a stack. */
export interface LocalAlarms {
  /** Alarms that can be evaluated, by the names that people know. */
  readonly alarms: readonly Alarm[];
  /** Names of the others. */
  readonly unknown: readonly string[];
}

/** The parts of an app that run on one machine. */
export interface LocalApp {
  readonly stacks: readonly string[];
  readonly tables: readonly LocalTable[];
  readonly functions: readonly LocalFunction[];
  readonly rules: readonly LocalRule[];
  readonly streams: readonly LocalStream[];
  readonly queues: readonly LocalQueue[];
  readonly queueReaders: readonly LocalQueueReader[];
  readonly functionUrls: readonly LocalFunctionUrl[];
  readonly secrets: readonly LocalSecret[];
  /** The alarms of each stack. */
  readonly alarms: readonly LocalAlarms[];
}

/** A stack with the names that its resources get here. */
export interface StackContext {
  readonly stack: Stack;
  readonly references: References;
  /** The URL that those of functions begin with. Undefined: they are not served. */
  readonly functionUrls: string | undefined;
  /** The name of a table, function or rule. */
  nameOf(logicalId: string): string;
  resource(logicalId: string): TemplateResource | undefined;
}
