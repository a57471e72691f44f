import { endOutside, type OutsideEnd } from '../../src/client/complete.js';
import { type Item, Pending } from '../../src/record/index.js';
import { StoreError } from '../../src/store/errors.js';
import type { OperatorStore } from '../../src/store/operator-store.js';
import type { Random } from '../../src/support/random.js';
import type { Actor } from './actor.js';
import type { OutsideWitness } from './outside-witness.js';
import { between, chance, pick } from './random.js';
import { replacing } from './replacing.js';
import { resultOf, type Script } from './script.js';

export interface OutsidersDeps {
  readonly random: Random;
  readonly after: (milliseconds: number, action: () => void) => void;
  readonly witness: OutsideWitness;
  readonly newActor: () => Actor;
  /** The store, and the same as an actor sees it. */
  readonly store: OperatorStore;
  readonly faulty: (store: OperatorStore, actor: Actor) => OperatorStore;
  readonly item: (id: string) => Item | undefined;
  /** They are taken at any token. */
  readonly comparesNoToken: boolean;
}

/** The most attempts of a record that end outside, so that it comes to its end. */
const MAX_PENDING = 3;
const SECOND_MS = 1000;

/** People and systems that end attempts from outside: early, in time, late, twice, in two ways, and with old tokens. */
export class Outsiders {
  private readonly tokens = new Map<string, string[]>();

  constructor(private readonly deps: OutsidersDeps) {}

  /** An attempt of the record begins. Returns what it throws at its end; undefined: it ends as its script has it. */
  sees(script: Script, token: string, attempt: number, ms: number): Pending | undefined {
    const { id } = script;
    const { random, after } = this.deps;
    const before = this.tokens.get(id) ?? [];
    const isPoison = script.crashesFirst === Number.POSITIVE_INFINITY;
    if (before.length >= MAX_PENDING || script.end !== 'success' || isPoison || chance(random, 0.3))
      return undefined;
    this.tokens.set(id, [...before, token]);
    const timeout = pick(random, [between(random, 5, 60), between(random, 60, 600), 3600]);
    const calls = between(random, 0, 4);
    for (let i = 0; i < calls; i++) {
      const at = pick(random, [
        between(random, 0, ms),
        ms + between(random, 0, 5 * SECOND_MS),
        ms + between(random, 0, timeout * SECOND_MS),
        ms + timeout * SECOND_MS + between(random, -5 * SECOND_MS, 120 * SECOND_MS),
      ]);
      const used = chance(random, 0.2) ? pick<string>(random, [token, ...before]) : token;
      const end = this.someEnd(attempt);
      after(at, () => void this.call(id, used, end));
    }
    return chance(random, 0.75) ? new Pending({ timeout }) : undefined;
  }

  private someEnd(attempt: number): OutsideEnd {
    const { random } = this.deps;
    return pick<OutsideEnd>(random, [
      { type: 'done', result: JSON.stringify(resultOf(attempt)) },
      { type: 'done', result: JSON.stringify(resultOf(attempt)) },
      { type: 'failed', error: { name: 'FailedOutside', message: 'scripted' } },
      { type: 'heartbeat', seconds: chance(random, 0.5) ? undefined : between(random, 10, 900) },
    ]);
  }

  /** A call, and mostly the same once more where it had no answer. */
  private async call(id: string, token: string, end: OutsideEnd, tries = 3): Promise<void> {
    const { random, after, newActor, faulty, witness, comparesNoToken } = this.deps;
    const actor = newActor();
    const call = witness.calls(id, token, end);
    const store = faulty(this.watched(call), actor);
    try {
      const present = comparesNoToken ? this.presentToken(id, token) : token;
      const answer = await endOutside(id, present, end, {
        records: store.records,
        clock: actor.clock,
        random,
      });
      witness.answers(call, answer);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (tries > 1 && chance(random, 0.8))
        after(between(random, 0, 60 * SECOND_MS), () => void this.call(id, token, end, tries - 1));
    }
  }

  private presentToken(id: string, token: string): string {
    const { pending } = (this.deps.item(id)?.notBefore ?? {}) as { pending?: { token: string } };
    return pending?.token ?? token;
  }

  /** Looks on while writes take effect. */
  private watched(call: ReturnType<OutsideWitness['calls']>): OperatorStore {
    const { store, item, witness } = this.deps;
    const change: OperatorStore['records']['change'] = async (record, written, rev) => {
      const before = item(record.id);
      const answer = await store.records.change(record, written, rev);
      if (answer === 'settled' && before?.rev !== rev) witness.changes(call, written, before);
      return answer;
    };
    const note: OperatorStore['records']['note'] = async (record, noted) => {
      const before = item(record.id);
      const answer = await store.records.note(record, noted);
      if (answer === 'settled' && item(record.id) !== before) witness.notes(call, before);
      return answer;
    };
    return replacing({ records: { change, note } }, store);
  }
}
