import { isKey, KEY_FORM } from '../record/index.js';
import {
  endOfKeyPause,
  type KeyPause,
  keyPausesNow,
  keyPausesText,
  MAX_PAUSED_KEYS,
} from '../store/key-pauses.js';
import type { OperatorStore } from '../store/operator-store.js';
import { toIso } from '../support/clock.js';
import { ConfigurationError } from '../support/errors.js';
import { show } from '../support/validation.js';
import type { ParsedPause } from './parse-pause.js';

/** @inline */
type Queues = Pick<OperatorStore, 'queues'>;

/** Tries to write, while other operators pause and resume keys of the same queue. */
const MAX_TRIES = 20;
/** Keys that an error names. */
const MAX_NAMED = 3;

/**
 * Pauses one key of a queue, or changes the end and the reason of its pause.
 *
 * @returns false: it was paused so already
 * @throws ConfigurationError if as many keys are paused as can be
 */
export async function pauseKey(
  store: Queues,
  queue: string,
  key: string,
  note: ParsedPause,
  now: number,
): Promise<boolean> {
  const { until, reason, by } = note;
  return change(store, queue, now, (pauses) => {
    const before = pauses.find((one) => one.key === key);
    // The name alone changes nothing: the reason that stands is another one's.
    const isAsBefore =
      (until === undefined || (before && endOfKeyPause(before) === until)) &&
      (reason === undefined || before?.reason === reason);
    if (before && isAsBefore) return undefined;
    if (!before && pauses.length >= MAX_PAUSED_KEYS) throw new ConfigurationError(fullText(queue, pauses));
    const next: KeyPause = {
      ...(before ?? { key, since: toIso(now) }),
      ...(until === undefined ? {} : { until: toIso(until) }),
      ...(reason === undefined ? {} : { reason }),
      ...(by === undefined ? {} : { by }),
    };
    return [...pauses.filter((one) => one !== before), next];
  });
}

/** Ends the pause of a key. What runs have put off stays so, for an hour at most. False: it was not paused. */
export async function endKeyPause(store: Queues, queue: string, key: string, now: number): Promise<boolean> {
  return change(store, queue, now, (pauses) => {
    const others = pauses.filter((one) => one.key !== key);
    return others.length < pauses.length ? others : undefined;
  });
}

/** @throws ConfigurationError for what is no key */
export function parseKey(key: unknown, name: string): string {
  if (isKey(key)) return key;
  throw new ConfigurationError(`${name}: key: expected ${KEY_FORM}, got ${show(key)}`);
}

/** Writes what a change makes of the pauses that are not over. Other operators may write theirs at the same time. */
async function change(
  { queues }: Queues,
  queue: string,
  now: number,
  changed: (pauses: readonly KeyPause[]) => readonly KeyPause[] | undefined,
): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { pausedKeys: read } = await queues.read(queue);
    const next = changed(keyPausesNow(read, now));
    if (!next) return false;
    if (await queues.notePausedKeys(queue, keyPausesText(next), read)) return true;
  }
  throw new ConfigurationError(`queue "${queue}": others change its paused keys all the time: try again`);
}

function fullText(queue: string, pauses: readonly KeyPause[]): string {
  const names = pauses.slice(0, MAX_NAMED).map(({ key }) => show(key));
  return (
    `pause: queue "${queue}": ${MAX_PAUSED_KEYS} keys are paused, and no more can be: resume one ` +
    `(${names.join(', ')}, …), or pause the queue`
  );
}
