import { ConfigurationError, type RecurringOptions, type RecurringRecord } from 'dynamo-backlog';
import { age, jsonOf } from 'dynamo-backlog/engine';
import { IN_CDK_APP, PAUSE_IN_CDK_APP, pauseText } from '../../recurring/recurring-words.js';
import { confirmed, requireTerminal } from '../confirm.js';
import { jsonInput } from '../operate/edit.js';
import { requireKnownQueue } from '../operate/known-queue.js';
import { userName } from '../operate/target.js';
import { usage } from '../operate/usage.js';
import { clock, counted, EXIT, type Output, printable } from '../output.js';
import { readPolicy } from '../policy-input.js';
import { type Act, type RecurringAt, type RecurringFlags, warnIfUnserved } from './at.js';

const NOTHING_CHANGED = 'nothing was changed';

/** `backlog recurring put`: all options that are not given have their defaults. */
export const put: Act = async (name, at, flags, output) => {
  const { recurring, target } = at;
  const options = await usage(async () => optionsOf(flags));
  if (flags.queue !== undefined && !flags.force) await requireKnownQueue(flags.queue, at);
  const result = await usage(() => recurring.put(name, options));
  const found = await recurring.get(name);
  const what = { new: 'is new', changed: 'is changed', unchanged: 'is so already' }[result.was];
  output.message(`${printable(name)} of ${target.where} ${what}${found ? nextText(found, at) : ''}`);
  if (found?.origin === 'template') output.message(IN_CDK_APP);
  await warnIfUnserved(at, output);
  if (flags.json) output.data(jsonOf(result));
  return EXIT.ok;
};

function optionsOf(flags: RecurringFlags): RecurringOptions {
  const {
    schedule = '',
    timeZone,
    queue,
    task,
    key,
    payload,
    policy,
    set,
    missed,
    startAt,
    endAt,
    jitter,
  } = flags;
  if (policy === undefined && set !== undefined) throw new ConfigurationError('--set: only with --policy');
  return {
    ...{ schedule, timeZone, queue, task, key, missed, startAt, endAt },
    payload: payload === undefined ? undefined : jsonInput(payload, '--payload'),
    retry:
      policy === undefined ? undefined : (readPolicy(policy, set) as unknown as RecurringOptions['retry']),
    jitter: jitter as RecurringOptions['jitter'],
  };
}

/** `; next 2026-12-01 03:00 UTC, in 2 d`, or nothing. */
function nextText({ next, state }: RecurringRecord, { target }: RecurringAt): string {
  if (next === undefined) return state === 'paused' ? '; paused, with no occurrence to come' : '';
  const in_ = age(Math.max(0, Date.parse(next) - target.clock.now()));
  return `; next ${clock(next).slice(0, 16)} UTC, in ${in_}`;
}

/** `backlog recurring remove`. Its records stay. */
export const remove: Act = async (name, at, flags, output) => {
  const { recurring, target } = at;
  const question = `Remove ${printable(name)} of ${target.where}? The records that it has inserted stay.`;
  if (!(await confirmed(question, flags.yes))) return nothingChanged(output);
  const removed = await recurring.remove(name);
  output.message(`${printable(name)} of ${target.where} is removed`);
  if (flags.json) output.data(jsonOf({ name, removed }));
  return EXIT.ok;
};

/** `backlog recurring pause`. */
export const pause: Act = async (name, at, flags, output) => {
  const { until, reason, by = userName() } = flags;
  const paused = await usage(() =>
    at.recurring.pause(name, { until: until as `${number}h` | undefined, reason, by }),
  );
  const text = printable(pauseText(paused, at.target.clock.now()).replace(/^ for 0 s,?/, ''));
  output.message(`${printable(name)} of ${at.target.where} is paused${text}${nextText(paused, at)}`);
  if (paused.origin === 'template') output.message(PAUSE_IN_CDK_APP);
  if (flags.json) output.data(jsonOf({ name, paused: paused.paused }));
  return EXIT.ok;
};

/** `backlog recurring resume`. */
export const resume: Act = async (name, at, flags, output) => {
  const before = await at.recurring.get(name);
  const resumed = await usage(() => at.recurring.resume(name));
  const changed = before?.paused !== undefined;
  const what = changed ? 'is not paused now' : 'is not paused already';
  output.message(`${printable(name)} of ${at.target.where} ${what}${nextText(resumed, at)}`);
  if (flags.json) output.data(jsonOf({ name, changed, next: resumed.next }));
  return EXIT.ok;
};

/** `backlog recurring run`: a record for now. */
export const run: Act = async (name, { recurring, target }, flags, output) => {
  const { id, inserted } = await recurring.runNow(name);
  output.message(`${printable(id)} is ${inserted ? 'inserted into' : 'already in'} ${target.where}`);
  if (flags.json) output.data(jsonOf({ name, id, inserted }));
  return EXIT.ok;
};

const EXAMPLES = 3;

/** `backlog recurring backfill`: counts first, and asks. */
export const backfill: Act = async (name, { recurring, target }, flags, output) => {
  const { from = '', dryRun = false, json, yes = false } = flags;
  if (!dryRun && !yes) requireTerminal();
  // Until now, and not until an answer is typed: it is asked about what is counted.
  const to = flags.to ?? new Date(target.clock.now()).toISOString();
  const trial = await usage(() => recurring.backfill(name, { from, to, dryRun: true }));
  const total = trial.ids.length;
  const more = total > EXAMPLES ? ', …' : '';
  const such = total === 0 ? '' : ` (${trial.ids.slice(0, EXAMPLES).map(printable).join(', ')}${more})`;
  const there = trial.present === 0 ? '' : `; ${counted(trial.present, 'record')} of that time already there`;
  if (dryRun || total === 0) {
    output.message(`${counted(total, 'record')}${such} would be inserted into ${target.where}${there}`);
    if (json) output.data(jsonOf({ name, dryRun, ...trial }));
    return EXIT.ok;
  }
  const question = `Insert ${counted(total, 'record')}${such} into ${target.where}${there}?`;
  if (!(await confirmed(question, yes))) return nothingChanged(output);
  const result = await recurring.backfill(name, { from, to });
  output.message(`${counted(result.ids.length, 'record')} inserted into ${target.where}${there}`);
  if (json) output.data(jsonOf({ name, dryRun, ...result }));
  return EXIT.ok;
};

function nothingChanged(output: Output) {
  output.message(NOTHING_CHANGED);
  return EXIT.failed;
}
