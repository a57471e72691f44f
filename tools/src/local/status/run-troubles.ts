import { age } from 'dynamo-backlog/engine';
import { type RuleStatus, type RunReport, type RunTrouble, shortened } from 'dynamo-backlog/overview';
import type { RunningRun } from './status.js';

/** Most characters of what a run has said. */
const MAX_TEXT = 200;
/** Real time that a run may be at work beside its own: it waits for a sandbox for a minute, and is ended. */
const GRACE_MS = 65_000;

/** Finds the rules whose last runs failed, and the runs that have been at work for longer than their function may take. */
export function runTroubles(
  rules: readonly RuleStatus[],
  running: readonly RunningRun[],
  lastRunOf: (rule: string) => RunReport | undefined,
): RunTrouble[] {
  const queuesOf = (id: string) => rules.find((rule) => rule.id === id)?.queues ?? [];
  const failing = rules.filter(({ failedInARow = 0 }) => failedInARow > 0);
  return [
    ...failing.map(({ id, label, queues, failedInARow = 0 }) => ({
      text: failedText(label, failedInARow, lastRunOf(id)),
      isRepeated: failedInARow > 1,
      queues,
    })),
    ...running.filter(isStuck).map((run) => ({
      text: stuckText(run),
      isRepeated: false,
      queues: queuesOf(run.rule),
    })),
  ];
}

/** `orders, every minute: its last 3 runs failed: TypeError: x is no function.` */
function failedText(label: string, failed: number, last: RunReport | undefined): string {
  const runs = failed === 1 ? 'its last run failed' : `its last ${failed} runs failed`;
  const said = (last?.text ?? '').replace(/^failed: /, '').replace(/\.$/, '');
  return `${shortened(`${label}: ${runs}${said === '' ? '' : `: ${said}`}`, MAX_TEXT)}.`;
}

function isStuck({ runningMs, timeoutMs = Number.POSITIVE_INFINITY }: RunningRun): boolean {
  return runningMs > timeoutMs + GRACE_MS;
}

/** `orders, every minute: its run has been at work for 17 min, and its function may take 15 min.` */
function stuckText({ label, runningMs, timeoutMs = 0 }: RunningRun): string {
  return `${label}: its run has been at work for ${age(runningMs)}, and its function may take ${age(timeoutMs)}.`;
}
