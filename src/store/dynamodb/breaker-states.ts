import type { BreakerState } from '../store.js';
import { isMap, isText, isTimeUntil, LAST_TIME } from './control-values.js';

/** The breakers of a queue's item, by destination. */
export function parseBreakers(stored: unknown): ReadonlyMap<string, BreakerState> {
  if (!isMap(stored)) return new Map();
  return new Map(
    Object.entries(stored).map(([name, state]) => [
      name.startsWith('%') ? name.slice(1) : name,
      parseState(state),
    ]),
  );
}

/** Reads a breaker. A damaged one is no longer open: the next attempt is a probe, and its result overwrites the state. */
function parseState(state: unknown): BreakerState {
  const { until, since, token } = isMap(state) ? state : {};
  return {
    until: isTimeUntil(until, LAST_TIME) ? until : 0,
    since: isTimeUntil(since, LAST_TIME) ? since : 0,
    token: isText(token) ? token : '',
  };
}
