import { age } from 'dynamo-backlog/engine';
import type { RunReport } from 'dynamo-backlog/overview';
import type { HandlerError, RepeatedNotice, RunningRun, RuntimeStatus } from '../local/status/status.js';
import { clock, counted, printable } from './output.js';
import { type Paint, padEnd, width } from './paint.js';
import { plainOutput } from './plain.js';

/** Runs longer than this are shown as at work. A line for each shorter one would come and go. */
const SHOWN_AFTER_MS = 1_000;
/** Number of an error's places that are shown. */
const MAX_FRAMES = 3;
const LATEST_COLUMNS = 40;

/** Lists runs: those at work first, then the others; the latest start first. */
export function runLines(status: RuntimeStatus, most: number, isNarrow: boolean, paint: Paint): string[] {
  const { runs, running, rules, now } = status;
  const time = (at: string) => (isNarrow ? clock(at).slice(11) : clock(at));
  const name = (label: string) => printable(isNarrow ? (label.split(',')[0] ?? label) : label);
  const longest = Math.max(9, ...rules.map(({ label }) => width(name(label))));
  const column = Math.min(longest, isNarrow ? LATEST_COLUMNS / 2 : LATEST_COLUMNS) + 2;
  const line = ({ at, label }: Pick<RunReport, 'at' | 'label'>, text: string) =>
    `${paint('dim', time(at))}  ${padEnd(name(label), column)}${text}`;
  const atWork = running.filter(({ runningMs }) => runningMs >= SHOWN_AFTER_MS);
  // Of many, those that have been at work for the longest.
  const half = Math.ceil(most / 2);
  const longestRuns = atWork.length > half ? atWork.slice(0, half - 1) : atWork;
  const left = atWork.length - longestRuns.length;
  const lines = [
    ...[...longestRuns].reverse().map((run) => line(run, paint('cyan', runningText(run, now)))),
    ...(left > 0 ? [paint('cyan', `${' '.repeat(isNarrow ? 10 : 21)}and ${left} more at work`)] : []),
    ...runs
      .slice(-most)
      .reverse()
      .map((run) => line(run, resultText(run, paint))),
  ];
  return lines.length === 0 ? [paint('dim', 'none yet')] : lines.slice(0, most);
}

function runningText({ at }: RunningRun, now: string): string {
  const since = Date.parse(now) - Date.parse(at);
  return since < 1_000 ? 'running' : `running for ${age(since)}`;
}

function resultText({ outcome, text }: RunReport, paint: Paint): string {
  if (outcome !== 'ok') return paint('red', printable(text));
  const tones = { ok: 'green', failed: 'yellow', dead: 'red' } as const;
  return printable(text).replace(/\b([1-9]\d*) (ok|failed|dead)\b/g, (part, _count, word) =>
    paint(tones[word as keyof typeof tones], part),
  );
}

/**
 * Shows the alarms that are on, and what a handler threw, with its first places; otherwise the last warning. An empty line is above
 * it, if there is room.
 */
export function problemLines(status: RuntimeStatus, most: number, paint: Paint): string[] {
  const { errors, notices, logs } = status;
  const error = errors.at(-1);
  const last = notices.at(-1);
  const lines = alarmLines(status, paint);
  if (error) lines.push(...errorLines(error, errors.length - 1, paint));
  else if (last) lines.push(...noticeLines(last, logs, paint));
  if (lines.length === 0 || most < 1) return [];
  return most < 3 ? lines.slice(0, most) : ['', ...lines].slice(0, most);
}

function alarmLines({ alarms, now }: RuntimeStatus, paint: Paint): string[] {
  const [first, ...others] = alarms?.episodes.filter(({ until }) => until === undefined) ?? [];
  if (!first) return [];
  const beside = others.length === 0 ? '' : `, and ${counted(others.length, 'other alarm')}`;
  const since = `on for ${age(Date.parse(now) - Date.parse(first.from))}`;
  return [`${paint(['bold', 'red'], 'ALARM')} ${printable(first.name)} ${paint('dim', `${since}${beside}`)}`];
}

/** Number of lines that are shown of what the app's own code has written. */
const MAX_OUTPUT = 5;

/** Shows what code of the app has written, the newest last, below a title. */
export function outputLines({ output = [] }: RuntimeStatus, most: number, paint: Paint): string[] {
  const lines = output.slice(-Math.min(MAX_OUTPUT, most - 1));
  if (lines.length === 0 || most < 2) return [];
  return [
    paint('dim', 'OUTPUT of the handlers, also in the logs'),
    ...lines.map((line) => plainOutput(line)),
  ];
}

function noticeLines(last: RepeatedNotice, logs: string, paint: Paint): string[] {
  const text = `${last.level === 'ERROR' ? 'error' : 'warning'} in ${last.functionName}: ${printable(last.text)}`;
  const tone = last.level === 'ERROR' ? 'red' : 'yellow';
  const times = last.count === 1 ? '' : `${last.count} times, the last at ${clock(last.at).slice(11)}; `;
  return [paint(tone, text), paint('dim', `${times}logs: ${logs}`)];
}

function errorLines(
  { where, text, record, count, stack }: HandlerError,
  others: number,
  paint: Paint,
): string[] {
  const facts = [
    count === 1 ? 'once' : `${count} times`,
    ...(record === undefined ? [] : [`last with ${printable(record)}`]),
    ...(others > 0 ? [`beside ${counted(others, 'other error')}`] : []),
  ];
  return [
    `${paint(['bold', 'red'], 'ERROR')} ${paint('red', `in ${printable(where)}: ${printable(text)}`)}`,
    paint('dim', `  ${facts.join(', ')}`),
    ...stack.slice(0, MAX_FRAMES).map((frame) => paint('dim', `    ${printable(frame)}`)),
  ];
}
