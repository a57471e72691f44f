import { isServed } from '../registry/serving.js';
import type { QueueState, Registry } from '../store/store.js';
import { nearest } from '../support/nearest.js';

/** The source of which queues have a rule: the app of a local runtime, or the control table. */
export type ServingFacts =
  | {
      /** The queues of the app. */
      readonly app: readonly string[];
    }
  | {
      /** The owners and functions of queues in the control table. */
      readonly registry: Pick<Registry, 'queues'>;
      /** The items of the queues in the control table. */
      readonly states: ReadonlyMap<string, Pick<QueueState, 'retryMode'>>;
      /** Queues that have a function, though none has registered or run. Default: none are known. */
      readonly deployed?: ReadonlySet<string> | undefined;
      /** The backlog's time, epoch milliseconds. */
      readonly now: number;
    };

/** Knows the queues that no rule serves, so that records wait there until one does. */
export class Serving {
  /** @param facts undefined: it is not known which queues have a rule */
  constructor(private readonly facts: ServingFacts | undefined) {}

  /** Tells whether no rule serves a queue. False also where it is not known. */
  isUnserved(queue: string): boolean {
    const { facts } = this;
    if (facts === undefined) return false;
    // Functions without settings of queues do not tell which they serve.
    if ('app' in facts) return facts.app.length > 0 && !facts.app.includes(queue);
    const { registry, states, deployed, now } = facts;
    if (!registry.queues.has(queue) && deployed?.has(queue)) return false;
    return isServed(queue, registry, states.get(queue), now) === false;
  }

  /** The queue with a rule that was probably meant. */
  meant(queue: string): string | undefined {
    const { facts } = this;
    if (facts === undefined) return undefined;
    const known = 'app' in facts ? facts.app : [...facts.registry.queues.keys(), ...(facts.deployed ?? [])];
    return nearest(
      queue,
      known.filter((name) => !this.isUnserved(name)),
    );
  }
}
