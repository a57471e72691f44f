import { endOf, type Mute, type MuteSchedule } from '../mute/rule.js';
import type { CloudWatch } from './ask.js';

/** The rule that mutes the alarms of a queue, as CloudWatch has it now. */
export interface FoundMute extends Mute {
  /** Names of the alarms that it mutes now. */
  readonly mutes: readonly string[];
}

/** Reads the rule of this name. Undefined: there is none. */
export async function readMute(
  { client, sdk }: CloudWatch,
  { name, now, signal }: { readonly name: string; readonly now: number; readonly signal?: AbortSignal },
): Promise<FoundMute | undefined> {
  const request = new sdk.GetAlarmMuteRuleCommand({ AlarmMuteRuleName: name });
  const options = signal ? { abortSignal: signal } : {};
  const found = await client.send(request, options).catch((error: unknown) => {
    if (/^ResourceNotFound/.test((error as Error).name)) return undefined;
    throw error;
  });
  if (!found) return undefined;
  const { Rule, Status, Description: note = '', MuteTargets } = found;
  const until = endOf((Rule?.Schedule ?? {}) as Partial<MuteSchedule>);
  const isOver = Status === 'EXPIRED' || (until !== undefined && until <= now);
  // A schedule that was set by hand may mute at some hours only.
  const isMuting = !isOver && (until !== undefined || Status === 'ACTIVE');
  return { until, note, isOver, mutes: isMuting ? (MuteTargets?.AlarmNames ?? []) : [] };
}
