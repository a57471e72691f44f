import type { BacklogRecord, RecordChange, SettleContext } from '../../record/index.js';
import { putOffByPause } from '../../record/put-off-by-pause.js';
import { endOfKeyPause, parseKeyPauses } from '../../store/key-pauses.js';
import type { RunDeps } from '../deps.js';
import type { RunTarget } from '../options.js';

/** The longest time for which a record is put off: whatever becomes of the pause, a run looks at the record again. */
const MAX_PUT_OFF_MS = 3_600_000;

/** The change of a record whose key is paused. Undefined: its key is not. */
export type PutOff = (record: BacklogRecord) => RecordChange | undefined;

/** The loggers of runs that have warned. */
const warned = new WeakSet<object>();

/**
 * Makes the rule that puts records of paused keys off: to the end of the pause, or for half an hour to an hour. So they neither stand at
 * the head of a lane, nor come back together.
 */
export function putOffOf(
  text: string,
  rules: { settleContext(record: BacklogRecord): SettleContext },
  { clock, random, logger }: Pick<RunDeps, 'clock' | 'random' | 'logger'>,
  { queue }: Pick<RunTarget, 'queue'>,
): PutOff {
  const { pauses, isDamaged } = parseKeyPauses(text);
  if (isDamaged && !warned.has(logger)) {
    warned.add(logger);
    logger.warn('some paused keys of the queue cannot be read', { queue });
  }
  const ends = new Map(pauses.map((pause) => [pause.key, endOfKeyPause(pause)]));
  return (record) => {
    const end = record.key === undefined ? undefined : ends.get(record.key);
    const now = clock.now();
    if (end === undefined || end <= now) return undefined;
    const later = now + (MAX_PUT_OFF_MS * (1 + random())) / 2;
    return putOffByPause(record, Math.min(end, later), rules.settleContext(record));
  };
}
