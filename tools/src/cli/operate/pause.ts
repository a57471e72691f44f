import { pauseNote } from 'dynamo-backlog/overview';
import { EXIT, type ExitCode, type Output } from '../output.js';
import { warnOfQueue } from './act.js';
import { type ForceFlags, requireKnownQueue, storeOf } from './known-queue.js';
import { type OperateTargetFlags, operatorAt, userName } from './target.js';
import { usage } from './usage.js';

interface PauseFlags extends OperateTargetFlags, ForceFlags {
  readonly until?: string | undefined;
  readonly reason?: string | undefined;
  readonly by?: string | undefined;
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

function pauseOf({ until, reason, by = userName() }: PauseFlags) {
  return { until, reason, by };
}
