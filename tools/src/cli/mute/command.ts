import type { Command } from 'commander';
import { ConfigurationError } from 'dynamo-backlog';
import { examples } from '../command-parts.js';
import { flags } from '../flags.js';
import { endsWith } from '../operate/end.js';
import { type ForceFlags, force, requireKnownQueue } from '../operate/known-queue.js';
import { type OperateTargetFlags, tablesAt, target, userName } from '../operate/target.js';
import { usage } from '../operate/usage.js';
import { counted, EXIT, type ExitCode, type Output } from '../output.js';
import { AlarmMutes, muteRefusal } from './alarm-mutes.js';
import { muteText, parseMute } from './rule.js';

interface UnmuteFlags extends OperateTargetFlags, ForceFlags {
  readonly json?: boolean | undefined;
}

interface MuteFlags extends UnmuteFlags {
  readonly until: string;
  readonly reason?: string | undefined;
  readonly by?: string | undefined;
}

/** Adds `backlog mute` and `backlog unmute`. */
export function addMute(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  const end = endsWith(onExit);
  const muting = force(target(program.command('mute')))
    .description(
      'Silence the alarms of a queue for some time. They still change their state, and the queue goes on.',
    )
    .argument('<queue>', 'its name', flags.queue)
    .requiredOption(
      '--until <time>',
      'such as 2h, 16:00Z or 2026-12-24T18:00:00Z, at most 15 days; what is still on then notifies',
    )
    .option('--reason <text>', 'why, for other operators: up to 200 characters')
    .option('--by <name>', 'your name (default: the user of this machine)')
    .option('--json', 'the result for programs')
    .addHelpText(
      'after',
      examples(['backlog mute orders --stack Shop --until 2h --reason "the bank is down"', '']),
    );
  muting.action((queue: string, given: MuteFlags) => end(muting, () => mute(queue, given, output)));

  const unmuting = force(target(program.command('unmute')))
    .description('End the mute of a queue: its alarms notify again, and those that are on do so at once.')
    .argument('<queue>', 'its name', flags.queue)
    .option('--json', 'the result for programs')
    .addHelpText('after', examples(['backlog unmute orders --stack Shop', '']));
  unmuting.action((queue: string, given: UnmuteFlags) => end(unmuting, () => unmute(queue, given, output)));
}

async function mute(queue: string, given: MuteFlags, output: Output): Promise<ExitCode> {
  const { until, reason, by = userName(), json } = given;
  return withMutes(queue, given, async (mutes, { where, now }) => {
    const options = await usage(async () => parseMute({ until, reason, by }, now));
    const muted = await mutes.mute(queue, options);
    const alarms = counted(muted.alarms.length, 'alarm');
    output.message(
      `${queue} of ${where}: ${alarms} muted ${muteText(muted, now)}; what is still on then notifies`,
    );
    const result = {
      ...{ queue, muted: true, until: muted.until && new Date(muted.until).toISOString() },
      ...{ rule: mutes.ruleOf(queue), alarms: muted.alarms },
    };
    if (json) output.data(JSON.stringify(result));
  });
}

async function unmute(queue: string, given: UnmuteFlags, output: Output): Promise<ExitCode> {
  return withMutes(queue, given, async (mutes, { where, now }) => {
    const found = await mutes.unmute(queue);
    const before = found
      ? `its alarms notify again; the mute ${found.isOver ? 'is over: it was' : 'was'} ${muteText(found, now)}`
      : 'its alarms were not muted';
    output.message(`${queue} of ${where}: ${before}`);
    if (given.json) output.data(JSON.stringify({ queue, muted: false, changed: found?.isOver === false }));
  });
}

async function withMutes(
  queue: string,
  given: UnmuteFlags,
  work: (mutes: AlarmMutes, at: { readonly where: string; readonly now: number }) => Promise<void>,
): Promise<ExitCode> {
  const at = await tablesAt(given);
  const { client, clock, where } = at.target;
  try {
    const refusal = muteRefusal(at.target);
    if (refusal !== undefined) throw new ConfigurationError(refusal);
    if (!given.force) await requireKnownQueue(queue, at);
    await work(new AlarmMutes(at.target), { where, now: clock.now() });
    return EXIT.ok;
  } finally {
    client.destroy();
  }
}
