import { BacklogOperator } from '../../src/operate/index.js';
import { StoreError } from '../../src/store/errors.js';
import type { OperatorStore } from '../../src/store/operator-store.js';
import type { Random } from '../../src/support/random.js';
import type { Actor } from './actor.js';
import { between, chance, pick } from './random.js';

export type OperatorKind = 'redrive' | 'discard' | 'snooze' | 'runNow' | 'move';

export interface OperatorDeps {
  readonly random: Random;
  readonly after: (milliseconds: number, action: () => void) => void;
  /** Milliseconds for which they are at work. */
  readonly horizonMs: number;
  readonly ids: readonly string[];
  /** Time for which discarded records are kept. */
  readonly retention: number | undefined;
  readonly newActor: () => Actor;
  /** The store as that actor sees it, and as the witness sees what is done by it. */
  readonly storeOf: (actor: Actor, kind: OperatorKind) => OperatorStore;
  /** A rule that comes at the worst moment. */
  readonly fire: (queue: string) => void;
}

const QUEUES = ['q', 'r'] as const;

/** Operators who do anything to any record at any time, several at once, and are killed and frozen as runs are. */
export class Operators {
  constructor(private readonly deps: OperatorDeps) {}

  schedule(): void {
    const { random, after, horizonMs } = this.deps;
    const count = between(random, 2, 12);
    for (let i = 0; i < count; i++) after(between(random, 0, horizonMs), () => void this.act());
  }

  /** An attempt of the record begins: an operator may do something about it meanwhile. */
  sees(id: string): void {
    const { random, after, fire } = this.deps;
    if (!chance(random, 0.15)) return;
    const begin = between(random, 0, 1500);
    after(begin, () => void this.act([id]));
    after(begin + between(random, 0, 10_000), () => fire(pick(random, QUEUES)));
  }

  private async act(about?: string[]): Promise<void> {
    const { random, ids, newActor } = this.deps;
    const kind = pick<OperatorKind>(random, [
      'redrive',
      'redrive',
      'snooze',
      'runNow',
      'move',
      'move',
      'discard',
    ]);
    const actor = newActor();
    const which = about ?? (chance(random, 0.3) ? { queue: pick(random, QUEUES) } : this.some(ids));
    try {
      await this.one(actor, kind, which);
      // What was given up by mistake is brought back at once, or as soon as that can be done.
      for (let tries = 0; kind === 'discard' && tries < 40; tries++) {
        const { skipped, changed } = await this.one(actor, 'redrive', which, { deadReason: 'discarded' });
        if (changed === 0 && (skipped.inFlight ?? 0) === 0) return;
        await actor.clock.sleep(between(random, 1, 20_000));
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  private one(actor: Actor, kind: OperatorKind, which: string[] | { queue: string }, more: object = {}) {
    const { random, storeOf, retention } = this.deps;
    const operator = new BacklogOperator({
      table: 'records',
      controlTable: 'control',
      store: storeOf(actor, kind),
      clock: actor.clock,
      random,
    });
    const selection = Array.isArray(which) ? which : { ...which, ...more };
    switch (kind) {
      case 'redrive':
        return operator.redrive(selection, chance(random, 0.3) ? { queue: pick(random, QUEUES) } : {});
      case 'discard':
        return operator.discard(Array.isArray(which) ? which : { ...which, status: ['NEW', 'ERROR'] }, {
          retention,
        });
      case 'snooze':
        return operator.snooze(which, { delay: between(random, 1, 400) });
      case 'runNow':
        return operator.runNow(which);
      case 'move':
        return operator.move(which, { queue: pick(random, QUEUES) });
      default:
        throw new Error(`unknown kind ${kind satisfies never}`);
    }
  }

  private some(ids: readonly string[]): string[] {
    const { random } = this.deps;
    return ids.filter(() => chance(random, 0.3));
  }
}
