import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import * as z from 'zod';
import { ConfigurationError } from '../../src/support/errors.js';
import { refuseProtoName } from '../../src/support/own-names.js';
import { parseOptions, show } from '../../src/support/validation.js';
import { lambdaFunction } from '../support/values.js';
import { EXTERNAL } from './external.js';
import type { EntryFunctionProps } from './function-props.js';
import { entryShape, readEntrySettings } from './function-shape.js';
import type { Queue, Work } from './queue.js';

/** A function that serves several queues: exactly one of `entry` and `handler`, as a queue has them. */
export interface WorkerProps extends EntryFunctionProps {
  /**
   * A module that exports `handler = backlogHandler({ process })`, without a `queue`, or with `queues`.
   *
   * @default - the worker has a `handler`
   */
  readonly entry?: string | undefined;

  /**
   * Environment variables of the function made from `entry`.
   *
   * @default - none but the library's own
   */
  readonly environment?: Readonly<Record<string, string>> | undefined;

  /**
   * A function of your own, of this worker alone.
   *
   * @default - the worker has an `entry`
   */
  readonly handler?: IFunction | undefined;
}

/** The code of a worker, as its props were checked. */
export type WorkerWork = Extract<Work, { type: 'entry' | 'own' }>;

const workerShape = z.strictObject({
  entry: z.string().min(1).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  handler: lambdaFunction.optional(),
  ...entryShape,
});

/**
 * Checks the workers' props, and that each has queues and each queue its worker.
 *
 * @throws ConfigurationError naming the worker or the queue, and the option
 */
export function readWorkers(
  workers: Readonly<Record<string, unknown>>,
  queues: readonly Queue[],
): ReadonlyMap<string, WorkerWork> {
  refuseProtoName(workers, 'workers');
  const known = Object.keys(workers);
  if (known.includes(EXTERNAL)) {
    throw new ConfigurationError(
      `workers: expected other names than "${EXTERNAL}", which says that a queue has no function of this Backlog`,
    );
  }
  const used = new Set<string>();
  for (const { name, work } of queues) {
    if (work.type !== 'worker') continue;
    used.add(work.worker);
    if (known.includes(work.worker)) continue;
    const expected =
      known.length === 0 ? 'one of "workers", which there are none of,' : known.map(show).join(' or ');
    throw new ConfigurationError(
      `queues.${name}.worker: expected ${expected} or "${EXTERNAL}", got ${show(work.worker)}`,
    );
  }
  return new Map(
    known.map((name) => {
      if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(name)) {
        throw new ConfigurationError(
          `workers: expected names that begin with a letter, of letters, digits, "_" and "-", got ${show(name)}`,
        );
      }
      if (!used.has(name))
        throw new ConfigurationError(
          `workers.${name}: expected a queue with "worker": ${show(name)}, got none`,
        );
      return [name, readWorker(workers[name], `workers.${name}`)];
    }),
  );
}

function readWorker(input: unknown, path: string): WorkerWork {
  const props: z.output<typeof workerShape> = parseOptions(workerShape, input, path);
  const { entry, environment, handler } = props;
  if ((entry === undefined) === (handler === undefined)) {
    const got = entry === undefined ? 'neither' : 'both';
    throw new ConfigurationError(`${path}: expected either "entry" or "handler", got ${got}`);
  }
  if (environment !== undefined && entry === undefined) {
    throw new ConfigurationError(
      `${path}.environment: expected with "entry" only, got ${show(Object.keys(environment))}`,
    );
  }
  const settings = readEntrySettings(props, path);
  if (entry !== undefined) return { type: 'entry', entry, environment: environment ?? {}, settings };
  return { type: 'own', handler: handler as IFunction };
}
