import { age, type BacklogDescription } from 'dynamo-backlog/engine';
import type { Difference } from './change.js';

type Recurring = NonNullable<BacklogDescription['recurring']>;
type Described = Recurring[string];

const KIND = 'backlog.recurring';

/** Compares the recurring records of the CDK app. Without the prop there is no function: the queue `recurring` is removed. */
export function compareRecurring(
  { recurring: from = {} }: BacklogDescription,
  { recurring: to }: BacklogDescription,
): Difference[] {
  if (to === undefined) return [];
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return names.flatMap((name) => compareOne(name, ownOf(from, name), ownOf(to, name)));
}

/** A recurring record may be called `constructor`. */
function ownOf(all: Recurring, name: string): Described | undefined {
  return Object.hasOwn(all, name) ? all[name] : undefined;
}

function compareOne(name: string, from: Described | undefined, to: Described | undefined): Difference[] {
  const subject = `recurring record ${name}`;
  if (!to) {
    return [
      {
        kind: KIND,
        severity: 'attention',
        what: `${subject}: gone`,
        effect: 'Its schedule is cancelled at its next occurrence. Records that it has inserted stay.',
      },
    ];
  }
  if (!from) {
    const effect = 'Its first record is inserted at its next occurrence.';
    return [{ kind: KIND, severity: 'safe', what: `${subject}: new, ${allText(to)}`, effect }];
  }
  const changes = changesOf(from, to);
  if (changes.length === 0) return [];
  const effect =
    'Applies to occurrences that are inserted from now on, and replaces what was changed by hand. A pause stays.';
  return [{ kind: KIND, severity: 'safe', what: `${subject}: ${changes.join(', ')}`, effect }];
}

function changesOf(from: Described, to: Described): string[] {
  const [before, after] = [textsOf(from), textsOf(to)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => before[name] !== after[name]);
  const texts = changed.map((name) => `${name} ${before[name] ?? 'default'} → ${after[name] ?? 'default'}`);
  return [...texts, ...(from.payload === to.payload ? [] : ['another payload'])];
}

function textsOf({ schedule, timeZone = 'UTC', queue, settings = {} }: Described): Record<string, string> {
  const others = Object.entries(settings).map(([name, value]) => [name, valueText(name, value)]);
  return { schedule, 'time zone': timeZone, queue, ...Object.fromEntries(others) };
}

function valueText(name: string, value: unknown): string {
  if (name === 'jitter' && typeof value === 'number') return age(value * 1000);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `cron(0 3 * * ? *) Europe/Berlin, queue reports`. */
function allText({ schedule, timeZone, queue }: Described): string {
  return `${[schedule, timeZone].filter(Boolean).join(' ')}, queue ${queue}`;
}
