import type { ArrivalsEvent } from '../../../functions/intake/arrivals.js';
import type { RuleEvent } from '../../../functions/intake/dead-run.js';
import type { Invoker } from '../../../functions/intake/invoker.js';
import { renderRedelivery } from '../../../functions/intake/queue-event.js';
import type { Chaos } from '../../../tools/src/lab/cloud/chaos.js';
import type { Actor, Faults } from '../actor.js';
import { chance } from '../random.js';

export interface Services {
  accept(event: ArrivalsEvent | RuleEvent): void;
  send(body: string, delaySeconds: number): void;
}

/**
 * Lambda and SQS as one sandbox reaches them: requests take time, are lost before or after they took effect, or
 * repeated.
 */
export function faultyRemote(services: Services, actor: Actor, faults: () => Faults, chaos: Chaos): Invoker {
  const { random } = chaos;
  const request = <T>(effect: () => T, lost: (settle: (value: T) => void, fail: () => void) => void) =>
    new Promise<T>((resolve, reject) => {
      const answer = (settle: () => void) => actor.step(actor.answerLatencyMs(), settle);
      const unanswered = () =>
        answer(() =>
          lost(resolve, () => {
            reject(new Error('no answer'));
          }),
        );
      actor.step(actor.latencyMs(), () => {
        if (chance(random, faults().errorBefore)) return unanswered();
        const first = effect();
        // The answer to the first try was lost: only that of the second one is seen.
        const value = chance(random, faults().repeat) ? effect() : first;
        if (chance(random, faults().errorAfter)) return unanswered();
        answer(() => resolve(value));
      });
    });
  return {
    invoke: ({ event }) =>
      request<'accepted' | 'refused' | 'unknown'>(
        () => {
          if (chaos.happens('refused')) return 'refused';
          services.accept(event);
          return 'accepted';
        },
        (settle) => settle('unknown'),
      ),
    sendToRedelivery: (ids, delaySeconds, swept) =>
      request<void>(
        () => {
          for (const body of renderRedelivery(ids, swept)) services.send(body, delaySeconds);
        },
        (_, fail) => fail(),
      ),
    sendShortWait: (wait, delaySeconds) =>
      request<void>(
        () => services.send(JSON.stringify({ shortWait: wait }), delaySeconds),
        (_, fail) => fail(),
      ),
    giveUp: async (body) => {
      // Reports of runs that died or failed are left to people.
      if (!body.includes('requestContext'))
        throw new Error(`expected a report of a failed event, got ${body}`);
    },
  };
}
