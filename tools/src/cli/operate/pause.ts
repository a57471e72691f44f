import { EXIT, type ExitCode, type Output } from '../output.js';
import { warnOfQueue } from './act.js';
import { type ForceFlags, requireKnownQueue } from './known-queue.js';
import { type OperateTargetFlags, operatorAt } from './target.js';
import { usage } from './usage.js';

interface PauseFlags extends OperateTargetFlags, ForceFlags {
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
    const changed = await usage(() => (paused ? operator.pause(queue) : operator.resume(queue)));
    warnOfQueue(queue, target, output);
    const state = paused ? 'paused' : 'not paused';
    output.message(`${queue} of ${target.where} is ${state}${changed ? ' now' : ' already'}`);
    if (flags.json) output.data(JSON.stringify({ queue, paused, changed }));
    return EXIT.ok;
  } finally {
    target.client.destroy();
  }
}
