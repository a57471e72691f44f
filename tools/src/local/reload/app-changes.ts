import type { LocalApp, LocalFunction, LocalRule } from '../template/local-app.js';
import { queuesOf } from '../template/target.js';

/** Lists what changes of an app beside the settings of its queues, one line each. */
export function appChanges(before: LocalApp, after: LocalApp): string[] {
  return [
    ...named('table', before.tables, after.tables, { removed: 'not in the app any more; its records stay' }),
    ...named('function', before.functions, after.functions, { change: functionChange }),
    ...named('message queue', before.queues, after.queues),
    ...ruleChanges(before.rules, after.rules),
  ];
}

interface Named {
  readonly name: string;
}

function named<One extends Named>(
  kind: string,
  before: readonly One[],
  after: readonly One[],
  {
    change = () => undefined,
    removed: removedText = 'removed',
  }: {
    readonly change?: (before: One, after: One) => string | undefined;
    readonly removed?: string;
  } = {},
): string[] {
  const removed = before.filter(({ name }) => !after.some((one) => one.name === name));
  return [
    ...removed.map(({ name }) => `${kind} ${name}: ${removedText}`),
    ...after.flatMap((one) => {
      const known = before.find(({ name }) => name === one.name);
      const text = known ? change(known, one) : 'added';
      return text === undefined ? [] : [`${kind} ${one.name}: ${text}`];
    }),
  ];
}

function functionChange(before: LocalFunction, after: LocalFunction): string | undefined {
  if (before === after) return undefined;
  const texts = [
    before.folder === after.folder ? undefined : 'new code',
    before.handler === after.handler ? undefined : `handler ${before.handler} → ${after.handler}`,
    before.timeoutSeconds === after.timeoutSeconds
      ? undefined
      : `timeout ${before.timeoutSeconds} s → ${after.timeoutSeconds} s`,
    before.memoryMb === after.memoryMb ? undefined : `memory ${before.memoryMb} MB → ${after.memoryMb} MB`,
    variablesText(before.environment, after.environment),
  ].filter((text) => text !== undefined);
  return texts.length > 0 ? texts.join(', ') : undefined;
}

type Variables = LocalFunction['environment'];

/** Values may be secret. Those of the backlog itself follow from its queues, which other lines are about. */
function variablesText(before: Variables, after: Variables): string | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => !name.startsWith('BACKLOG_') && before[name] !== after[name]);
  return changed.length > 0 ? `other ${changed.join(', ')}` : undefined;
}

function ruleChanges(before: readonly LocalRule[], after: readonly LocalRule[]): string[] {
  const isIn = (rules: readonly LocalRule[], { id }: LocalRule) => rules.some((rule) => rule.id === id);
  const removed = before.filter((rule) => !isIn(after, rule) && !isOfOtherQueues(rule, after));
  return [
    ...removed.map(({ label }) => `rule ${label}: removed`),
    ...after.flatMap((rule) => {
      const known = before.find(({ id }) => id === rule.id);
      if (!known && isOfOtherQueues(rule, before)) return [];
      const text = known ? ruleChange(known, rule) : 'added';
      return text === undefined ? [] : [`rule ${(known ?? rule).label}: ${text}`];
    }),
  ];
}

/** Tells whether none of the rules is for a queue of this rule: a rule comes and goes with its queues. */
function isOfOtherQueues({ event }: LocalRule, rules: readonly LocalRule[]): boolean {
  const queues = queuesOf(event);
  const others = new Set(rules.flatMap((rule) => queuesOf(rule.event)));
  return queues.length > 0 && queues.every((queue) => !others.has(queue));
}

function ruleChange(before: LocalRule, after: LocalRule): string | undefined {
  if (before.enabled !== after.enabled) return after.enabled ? 'enabled' : 'disabled';
  if (before.label !== after.label) return `→ ${after.label}`;
  const zones = [before.timeZone, after.timeZone];
  if (zones[0] !== zones[1]) return `time zone ${zones.map((zone) => zone ?? 'UTC').join(' → ')}`;
  return before.expression === after.expression ? undefined : `${before.expression} → ${after.expression}`;
}
