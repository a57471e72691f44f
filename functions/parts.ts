import { type Clock, scaledClock, systemClock } from '../src/clock.js';
import { type Random, systemRandom } from '../src/random.js';
import type { BacklogStore } from '../src/store/store.js';
import type { Settings } from './settings.js';

/** What a run works with; tests hand in their own. */
export interface HandlerParts {
  readonly store: BacklogStore;
  readonly clock: Clock;
  readonly random: Random;
}

/** Made once per sandbox: clients keep their connections between invocations. */
export function createParts(settings: Settings, given: Partial<HandlerParts>): HandlerParts {
  const clock = given.clock ?? (settings.clock ? scaledClock(settings.clock) : systemClock);
  return {
    clock,
    random: given.random ?? systemRandom,
    store: given.store ?? createStore(settings, clock),
  };
}

function createStore(_settings: Settings, _clock: Clock): BacklogStore {
  throw new Error('not written yet');
}
