import { EXIT, type ExitCode, type Output } from '../output.js';
import { usage, warnOfQueue } from './act.js';
import { type OperateTargetFlags, operatorAt } from './target.js';

/** `backlog pause` and `backlog resume`. */
export async function setPaused(
  queue: string,
  paused: boolean,
  flags: OperateTargetFlags,
  output: Output,
): Promise<ExitCode> {
  const { operator, target } = await operatorAt(flags);
  try {
    const changed = await usage(() => (paused ? operator.pause(queue) : operator.resume(queue)));
    warnOfQueue(queue, target, output);
    const state = paused ? 'paused' : 'not paused';
    output.message(`${queue} of ${target.where} is ${state}${changed ? ' now' : ' already'}`);
    return EXIT.ok;
  } finally {
    target.client.destroy();
  }
}
