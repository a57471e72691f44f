import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { RetryMode } from '../../src/record/index.js';
import { ConfigurationError } from '../../src/support/errors.js';
import type { Queue } from '../props/queue.js';
import type { WorkerWork } from '../props/worker-props.js';
import { grantSign } from './completion-url.js';
import type { FunctionSettings } from './function-settings.js';
import { deliveryFunction, entryFunction, ownFunction, type Served, type Worker } from './queue-functions.js';
import { recurringFunction } from './recurring.js';

/** A queue with the scope of its constructs and what does its work. */
export interface QueueFunction {
  readonly queue: Queue;
  readonly scope: Construct;
  readonly worker: Worker;
  /** The scope of what it shares with the other queues of its worker; missing where it shares nothing. */
  readonly workerScope?: Construct | undefined;
}

/**
 * One function for each queue with code of its own, one for each worker, and one for all queues of a retry mode that have the
 * built-in delivery, or the schedules of recurring records. None for those that a process elsewhere attempts: they are left out.
 */
export function assignFunctions(
  scope: Construct,
  queues: readonly Queue[],
  workers: ReadonlyMap<string, WorkerWork>,
  settings: FunctionSettings,
): QueueFunction[] {
  checkOwnFunctions(queues, workers);
  const delivery = deliveryFunctions(scope, queues, settings);
  const shared = sharedFunctions(scope, queues, workers, settings);
  const queuesScope = new Construct(scope, 'Queues');
  return queues.flatMap((queue) => {
    const { work } = queue;
    if (work.type === 'external') return [];
    const queueScope = new Construct(queuesScope, queue.name);
    if (work.type === 'delivery') return { queue, scope: queueScope, worker: delivery(queue.retryMode) };
    if (work.type === 'worker') return { queue, scope: queueScope, ...shared(work.worker) };
    if (work.type === 'recurring')
      return { queue, scope: queueScope, worker: recurringFunction(queueScope, queue, work, settings) };
    const served = { name: queue.name, path: `queues.${queue.name}`, queues: [queue] };
    return { queue, scope: queueScope, worker: functionFor(queueScope, served, work, settings) };
  });
}

function functionFor(scope: Construct, served: Served, work: WorkerWork, settings: FunctionSettings): Worker {
  const { links } = settings;
  const ofHandlers = { ...settings, linkVariables: links?.variables };
  const worker =
    work.type === 'entry'
      ? entryFunction(scope, served, work, ofHandlers)
      : ownFunction(served, work.handler, ofHandlers);
  if (links) grantSign(worker.lambda, links.secret);
  return worker;
}

/** Gives the function of a worker, which is made when the first of its queues asks for it. */
function sharedFunctions(
  scope: Construct,
  queues: readonly Queue[],
  workers: ReadonlyMap<string, WorkerWork>,
  settings: FunctionSettings,
): (name: string) => Required<Pick<QueueFunction, 'worker' | 'workerScope'>> {
  const made = new Map<string, Required<Pick<QueueFunction, 'worker' | 'workerScope'>>>();
  return (name) => {
    const known = made.get(name);
    if (known) return known;
    const parent = scope.node.tryFindChild('Workers') ?? new Construct(scope, 'Workers');
    const workerScope = new Construct(parent as Construct, name);
    const its = queues.filter(({ work }) => work.type === 'worker' && work.worker === name);
    const work = workers.get(name);
    if (!work) throw new ConfigurationError(`workers.${name}: expected a worker, got nothing`);
    const served = { name: `worker-${name}`, path: `workers.${name}`, queues: its };
    const worker = functionFor(workerScope, served, work, settings);
    made.set(name, { worker, workerScope });
    return { worker, workerScope };
  };
}

function deliveryFunctions(
  scope: Construct,
  queues: readonly Queue[],
  settings: FunctionSettings,
): (retryMode: RetryMode) => Worker {
  const made = new Map<RetryMode, Worker>();
  return (retryMode) => {
    const sharing = queues.filter((queue) => queue.retryMode === retryMode && queue.work.type === 'delivery');
    const worker = made.get(retryMode) ?? deliveryFunction(scope, retryMode, sharing, settings);
    made.set(retryMode, worker);
    return worker;
  };
}

/** The environment of a function describes the queues of one owner. */
function checkOwnFunctions(queues: readonly Queue[], workers: ReadonlyMap<string, WorkerWork>): void {
  const owners = new Map<IFunction, string>();
  const all = [
    ...queues.map(({ name, work }) => ({ path: `queues.${name}`, owner: `the queue "${name}"`, work })),
    ...[...workers].map(([name, work]) => ({ path: `workers.${name}`, owner: `the worker "${name}"`, work })),
  ];
  for (const { path, owner, work } of all) {
    if (work.type !== 'own') continue;
    const other = owners.get(work.handler);
    if (other !== undefined) {
      throw new ConfigurationError(
        `${path}.handler: expected a function of its own, got the one of ${other}: "workers" serve several queues`,
      );
    }
    owners.set(work.handler, owner);
  }
}

/** The functions that attempt records, by queue. */
export function functionsOf(assigned: readonly QueueFunction[]): Record<string, IFunction> {
  return Object.fromEntries(assigned.map(({ queue, worker }) => [queue.name, worker.lambda]));
}

/** The functions that are made here, by queue. */
export function createdOf(assigned: readonly QueueFunction[]): Record<string, LambdaFunction> {
  return Object.fromEntries(
    assigned.flatMap(({ queue, worker }) => (worker.created ? [[queue.name, worker.created]] : [])),
  );
}

/** The queues that the intake knows functions of. */
export interface Arrivals {
  /** Queues whose records are attempted on insertion. */
  readonly onArrival: readonly QueueFunction[];
  /** Queues whose function the intake may start without arrivals: for short waits, or again when a run has died. */
  readonly restarted: readonly QueueFunction[];
}

/** @throws ConfigurationError for a queue whose function would lose records that are attempted on insertion */
export function arrivalsOf(assigned: readonly QueueFunction[]): Arrivals {
  return { onArrival: attemptedOnArrival(assigned), restarted: restartedOf(assigned) };
}

/** Rules by age keep the schedule of a progressive queue, which has no short waits. */
function restartedOf(assigned: readonly QueueFunction[]): QueueFunction[] {
  return assigned.filter(
    ({ queue, worker }) => queue.enabled && (worker.redeliveryEvents || queue.retryMode === 'perRecord'),
  );
}

function attemptedOnArrival(assigned: readonly QueueFunction[]): QueueFunction[] {
  return assigned.filter(({ queue, worker }) => {
    if (queue.firstAttempt === 'scheduled') return false;
    if (worker.redeliveryEvents) return true;
    if (queue.firstAttempt === undefined) return false;
    throw new ConfigurationError(
      `queues.${queue.name}.firstAttempt: expected "scheduled", as the handler's asynchronous invocation is configured ` +
        'elsewhere and records would be lost with an invocation that fails, got "onInsert"',
    );
  });
}
