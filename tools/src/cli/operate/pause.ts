import { keyPausesNow } from 'dynamo-backlog/engine';
import { keyPauseNote, pauseNote, records } from 'dynamo-backlog/overview';
import { EXIT, type ExitCode, type Output, printable } from '../output.js';
import { warnOfQueue } from './act.js';
import { type ForceFlags, requireKnownQueue, storeOf } from './known-queue.js';
import { type OperateTargetFlags, operatorAt, userName } from './target.js';
import { usage } from './usage.js';

interface PauseFlags extends OperateTargetFlags, ForceFlags {
  readonly until?: string | undefined;
  readonly reason?: string | undefined;
  readonly by?: string | undefined;
  /** The key. Default: the whole queue is meant. */
  readonly key?: string | undefined;
  readonly json?: boolean | undefined;
}

/** `backlog pause` and `backlog resume`. */
export async function setPaused(
  queue: string,
  paused: boolean,
  flags: PauseFlags,
  output: Output,
): Promise<ExitCode> {
  const at = await operatorAt(flags);
  const { operator, target } = at;
  try {
    if (!flags.force) await requireKnownQueue(queue, at);
    if (flags.key !== undefined) return await setKeyPaused(queue, flags.key, paused, { flags, at, output });
    const changed = await usage(() =>
      paused ? operator.pause(queue, pauseOf(flags)) : operator.resume(queue),
    );
    warnOfQueue(queue, target, output);
    const note = pauseNote(await storeOf(at).queues.read(queue), target.clock.now());
    output.message(
      `${queue} of ${target.where} is ${paused ? 'paused' : 'not paused'}${changed ? ' now' : ' already'}${note}`,
    );
    if (flags.json) output.data(JSON.stringify({ queue, paused, changed }));
    return EXIT.ok;
  } finally {
    target.client.destroy();
  }
}

interface KeyContext {
  readonly flags: PauseFlags;
  readonly at: Awaited<ReturnType<typeof operatorAt>>;
  readonly output: Output;
}

/** The same for one key of the queue. */
async function setKeyPaused(
  queue: string,
  key: string,
  paused: boolean,
  { flags, at, output }: KeyContext,
): Promise<ExitCode> {
  const { operator, target } = at;
  const name = `${printable(key)} in ${queue} of ${target.where}`;
  if (paused) {
    const changed = await usage(() => operator.pauseKey(queue, key, pauseOf(flags)));
    warnOfQueue(queue, target, output);
    const now = target.clock.now();
    const { pausedKeys } = await storeOf(at).queues.read(queue);
    const pause = keyPausesNow(pausedKeys, now).find((one) => one.key === key);
    const note = pause ? printable(keyPauseNote(pause, now)) : '';
    output.message(`${name} is paused${changed ? ' now' : ' already'}${note}`);
    if (flags.json) output.data(JSON.stringify({ queue, key, paused, changed }));
    return EXIT.ok;
  }
  const onTrouble = (message: string) => output.message(message);
  const { resumed, changed } = await usage(() => operator.resumeKey(queue, key, { onTrouble }));
  warnOfQueue(queue, target, output);
  const due = `${records(changed)} made due`;
  output.message(`${name} ${resumed ? 'goes on' : 'was not paused'}: ${due}`);
  if (resumed) output.message(LATE);
  if (flags.json) output.data(JSON.stringify({ queue, key, paused, changed: resumed, due: changed }));
  return EXIT.ok;
}

const LATE =
  'A run may put off more of them within this minute, for an hour at most: the same command makes them due.';

function pauseOf({ until, reason, by = userName() }: PauseFlags) {
  return { until, reason, by };
}
