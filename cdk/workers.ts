import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ConfigurationError } from '../src/errors.js';
import type { Way } from '../src/record/index.js';
import {
  deliveryFunction,
  entryFunction,
  type FunctionSettings,
  ownFunction,
  type Worker,
} from './functions.js';
import type { Queue } from './queue.js';

/** A queue with the scope of its constructs and what does its work. */
export interface StaffedQueue {
  readonly queue: Queue;
  readonly scope: Construct;
  readonly worker: Worker;
}

/** One function for each queue with code of its own, and one for all queues of a way that have the built-in delivery. */
export function staffQueues(
  scope: Construct,
  queues: readonly Queue[],
  settings: FunctionSettings,
): StaffedQueue[] {
  checkOwnFunctions(queues);
  const delivery = deliveryFunctions(scope, queues, settings);
  const queuesScope = new Construct(scope, 'Queues');
  return queues.map((queue) => {
    const queueScope = new Construct(queuesScope, queue.name);
    return { queue, scope: queueScope, worker: workerOf(queue, queueScope, delivery, settings) };
  });
}

function workerOf(
  queue: Queue,
  scope: Construct,
  delivery: (way: Way) => Worker,
  settings: FunctionSettings,
): Worker {
  switch (queue.work.type) {
    case 'delivery':
      return delivery(queue.way);
    case 'entry':
      return entryFunction(scope, queue, queue.work, settings);
    case 'own':
      return ownFunction(queue, queue.work.handler, settings);
    default:
      return queue.work satisfies never;
  }
}

function deliveryFunctions(
  scope: Construct,
  queues: readonly Queue[],
  settings: FunctionSettings,
): (way: Way) => Worker {
  const made = new Map<Way, Worker>();
  return (way) => {
    const sharing = queues.filter((queue) => queue.way === way && queue.work.type === 'delivery');
    const worker = made.get(way) ?? deliveryFunction(scope, way, sharing, settings);
    made.set(way, worker);
    return worker;
  };
}

/** A `backlogHandler` is for one queue, and its environment describes one. */
function checkOwnFunctions(queues: readonly Queue[]): void {
  const owners = new Map<IFunction, string>();
  for (const { name, work } of queues) {
    if (work.type !== 'own') continue;
    const owner = owners.get(work.handler);
    if (owner !== undefined) {
      throw new ConfigurationError(
        `queues.${name}.handler: expected a function of its own, got the one of the queue "${owner}"`,
      );
    }
    owners.set(work.handler, name);
  }
}
