import type { RunReport } from 'dynamo-backlog/overview';
import type { ConsoleRuntime } from '../../console/deps.js';
import type { SampleErp } from '../sample/sample-erp.js';
import { SPEEDS } from '../speed.js';
import type { RunLog } from './run-log.js';
import { ENDS } from './run-report.js';
import type { RuntimeStatus } from './status.js';

export interface RuntimeActionsDeps {
  readonly status: () => RuntimeStatus;
  readonly log: Pick<RunLog, 'lastOf'>;
  readonly runRule: ConsoleRuntime['runRule'];
  readonly clock: ConsoleRuntime['clock'];
  readonly erp: Pick<SampleErp, 'set' | 'state'> | undefined;
}

/** Called at once with what an action does, and again when it has ended. */
export type Say = (text: string) => void;

/** Actions of the terminal's keys. None of them rejects. */
export class RuntimeActions {
  #runsNow = false;

  constructor(private readonly deps: RuntimeActionsDeps) {}

  /** Fires all rules that attempt records, whatever the clock shows. */
  async runNow(say: Say): Promise<void> {
    const { status, log, runRule } = this.deps;
    const rules = status().rules.filter(({ enabled, queues }) => enabled && queues.length > 0);
    if (this.#runsNow) return say('the runs of the last r are still at work');
    if (rules.length === 0) return say('no rule that attempts records is enabled');
    this.#runsNow = true;
    const many = rules.length === 1 ? '1 rule' : `${rules.length} rules`;
    say(`running ${many} …`);
    await attempt(say, async () => {
      await Promise.all(rules.map(({ id }) => runRule(id)));
      say(`ran ${many}: ${resultOf(rules.flatMap(({ id }) => log.lastOf(id) ?? []))}`);
    });
    this.#runsNow = false;
  }

  /** Goes to when the next rule fires. */
  async nextTick(say: Say): Promise<void> {
    const { status, log, clock } = this.deps;
    await attempt(say, async () => {
      const advance = await clock.advance();
      if (!advance) return say('no rule is to fire');
      const time = new Date(advance.at).toISOString().slice(11, 19);
      const labels = advance.rules.map((id) => status().rules.find((rule) => rule.id === id)?.label ?? id);
      const fired = `next tick, ${time}: fired ${labels.join('; ')}`;
      say(`${fired} …`);
      await advance.ended;
      say(`${fired}: ${resultOf(advance.rules.flatMap((id) => log.lastOf(id) ?? []))}`);
    });
  }

  /** Takes the sample's ERP down, or up again. Its own ups and downs are over then. */
  outage(say: Say): void {
    const { erp } = this.deps;
    if (!erp) return;
    const up = !erp.state.up;
    erp.set(up);
    say(up ? 'the ERP is up, and stays up' : 'the ERP is down, until o brings it up');
  }

  async pause(say: Say): Promise<void> {
    const { status, clock } = this.deps;
    const paused = !status().paused;
    await attempt(say, async () => {
      await clock.change({ paused });
      say(paused ? 'clock paused: no rule fires until p lets it go on' : 'the clock goes on');
    });
  }

  /** Changes to the next of the usual speeds. */
  async changeSpeed(direction: 'faster' | 'slower', say: Say): Promise<void> {
    const { status, clock } = this.deps;
    const { speed, askedSpeed: present = speed } = status();
    const next =
      direction === 'faster'
        ? SPEEDS.presets.find((one) => one > present)
        : SPEEDS.presets.findLast((one) => one < present);
    if (next === undefined) return say(`the clock goes no ${direction} by this key: ${present} × real time`);
    await attempt(say, async () => {
      await clock.change({ speed: next });
      say(next === 1 ? 'the clock goes as fast as real time' : `the clock goes ${next} × real time`);
    });
  }
}

async function attempt(say: Say, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    say((error as Error).message);
  }
}

/** `attempted 5: 3 ok, 2 failed, 0 dead; bulk: paused` */
function resultOf(runs: readonly RunReport[]): string {
  const summaries = runs.flatMap(({ summary }) => summary?.queues ?? (summary ? [summary] : []));
  const sum = (name: 'attempted' | 'succeeded' | 'failed' | 'dead') =>
    summaries.reduce((total, summary) => total + summary[name], 0);
  const broken = runs.filter(({ outcome }) => outcome !== 'ok').length;
  // Why a queue was left alone, though something may be due there.
  const left = summaries.filter(({ attempted, ended }) => attempted === 0 && ended !== 'drained');
  const reasons = new Set(left.map(({ queue, ended }) => `${queue}: ${ENDS[ended] ?? ended}`));
  const counts = `attempted ${sum('attempted')}: ${sum('succeeded')} ok, ${sum('failed')} failed, ${sum('dead')} dead`;
  const isAllLeft = left.length + broken > 0 && left.length === summaries.length;
  return [
    ...(sum('attempted') > 0 ? [counts] : isAllLeft ? [] : ['nothing was due']),
    ...(broken > 0 ? [`${broken} ended badly`] : []),
    ...reasons,
  ].join('; ');
}
