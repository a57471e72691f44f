import { type Duration, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import * as z from 'zod';
import { ConfigurationError } from '../../src/support/errors.js';
import { nearest } from '../../src/support/nearest.js';
import { parseOptions, show } from '../../src/support/validation.js';
import { isExternal, runSeconds } from '../props/external.js';
import type { Queue } from '../props/queue.js';
import { type EnvironmentSettings, handlerEnvironment } from './environment.js';
import { bytesOf } from './settings-files.js';

/** Options of `Backlog.workEnvironment`. */
export interface WorkEnvironmentOptions {
  /**
   * The queues that the process attempts: of this Backlog, and none with `deliverTo`. A queue that has a function may be one
   * of them: both then attempt its records, and never the same one at the same time.
   *
   * @default - the queues with `worker: 'external'`
   */
  readonly queues?: readonly string[] | undefined;
}

const optionsShape = z.strictObject({
  queues: z.array(z.string()).min(1, 'expected at least one queue').optional(),
});

/** Settings that a Backlog has for the processes that attempt its queues. */
export interface WorkSettings {
  readonly queues: readonly Queue[];
  readonly environment: EnvironmentSettings;
  readonly logLevel: string;
  /** The longest time that a run takes. */
  readonly runSeconds: number;
  /** There are alarms of all queues, whose metrics the processes write. */
  readonly hasTableAlarms: boolean;
}

/** @param options those of the Backlog */
export function workSettings(
  options: { readonly alarms: boolean | string; readonly logLevel: string; readonly timeout: Duration },
  queues: readonly Queue[],
  environment: EnvironmentSettings,
): WorkSettings {
  const { alarms, logLevel, timeout } = options;
  const hasTableAlarms = alarms === 'essential';
  return { queues, environment, logLevel, runSeconds: runSeconds(timeout), hasTableAlarms };
}

/**
 * ECS takes 65,536 bytes of a task definition, in which the quotes of JSON are escaped, and Linux 131,072 of a variable. Some 250
 * queues with the usual settings have room.
 */
const MAX_BYTES = 32_768;

/** @throws ConfigurationError naming the queue, or what is too large */
export function workEnvironment(
  backlog: IConstruct,
  { queues, environment, logLevel, runSeconds, hasTableAlarms }: WorkSettings,
  options: WorkEnvironmentOptions,
): Record<string, string> {
  const { queues: names } = parseOptions(optionsShape, options, 'workEnvironment');
  const chosen = names ? chosenOf(queues, names) : queues.filter(isExternal);
  if (chosen.length === 0) {
    throw new ConfigurationError(
      'workEnvironment: expected a queue with "worker": "external", or the names of "queues", got neither',
    );
  }
  // The intake starts no process, so `onArrival` of a function does not hold for it.
  const served = chosen.map((queue) => ({ ...queue, settings: { ...queue.settings, onArrival: undefined } }));
  const bytes = bytesOf(JSON.stringify(served.map(({ name, settings }) => [name, settings])));
  if (bytes > MAX_BYTES) {
    throw new ConfigurationError(
      `workEnvironment: expected at most ${MAX_BYTES} bytes of settings, as ECS takes 65536 of a whole task definition, got ${bytes} ` +
        `of ${served.length} queues: give them to several processes, each with some of the "queues"`,
    );
  }
  return {
    ...handlerEnvironment(backlog, served, { ...environment, room: Number.POSITIVE_INFINITY }, runSeconds),
    ...(hasTableAlarms ? { BACKLOG_TABLE_ALARMS: 'true' } : {}),
    ...(logLevel === 'INFO' ? {} : { POWERTOOLS_LOG_LEVEL: logLevel }),
    // Fargate sets it as well, a virtual machine does not.
    AWS_REGION: Stack.of(backlog).region,
  };
}

function chosenOf(queues: readonly Queue[], names: readonly string[]): Queue[] {
  return [...new Set(names)].map((name) => {
    const queue = queues.find((one) => one.name === name);
    if (!queue) {
      const known = queues.map((one) => one.name);
      const meant = nearest(name, known);
      const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
      throw new ConfigurationError(
        `workEnvironment.queues: expected queues of this Backlog (${known.map(show).join(', ')}), got ${show(name)}${hint}`,
      );
    }
    if (queue.work.type === 'delivery') {
      throw new ConfigurationError(
        `workEnvironment.queues: expected queues without "deliverTo", whose function delivers them, got ${show(name)}`,
      );
    }
    if (queue.work.type === 'recurring') {
      throw new ConfigurationError(
        `workEnvironment.queues: expected queues of yours, got ${show(name)}, whose function inserts recurring records`,
      );
    }
    return queue;
  });
}
