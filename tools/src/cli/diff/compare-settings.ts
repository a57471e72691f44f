import { isDeepStrictEqual } from 'node:util';
import { age, QUEUE_DEFAULTS, type QueueDescription, TIMES } from 'dynamo-backlog/engine';
import type { Difference } from './change.js';
import { ORDER_SETTINGS, ofOrder } from './compare-order.js';

type Settings = Readonly<Record<string, unknown>>;
type Outcome = Pick<Difference, 'severity' | 'effect' | 'todo' | 'command'>;

/** Settings in seconds; the others are numbers, texts or objects. */
const DURATIONS: readonly string[] = [...TIMES, 'tickSeconds', 'skipGapAfter'];

/** The settings of a queue that are neither its retries nor its work, one by one. */
export function compareSettings(queue: string, from: QueueDescription, to: QueueDescription): Difference[] {
  const { settings: before = {} } = from;
  const { settings: after = {} } = to;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .map((name) => ({
      kind: `queue.${name}`,
      what: `${name} ${valueText(name, before[name])} → ${valueText(name, after[name])}`,
      ...outcomeOf(name, queue, before, after),
    }));
}

function outcomeOf(name: string, queue: string, before: Settings, after: Settings): Outcome {
  const ofItsOrder = ORDER_SETTINGS.find((one) => one === name);
  if (ofItsOrder) return ofOrder(ofItsOrder, queue, before, after);
  switch (name) {
    case 'shards':
      return ofShards(before.shards, after.shards);
    case 'fairness':
      return ofFairness(before.fairness, after.fairness);
    case 'retention':
      return safe('Applies to records that succeed from now on. Those that have succeeded keep their time.');
    case 'retryQueue':
      return safe(
        'Applies from the next failure of a record on. Records that have moved stay where they are.',
      );
    case 'deadOn':
      return ofDeadOn(before.deadOn, after.deadOn);
    case 'attemptTimeout': {
      const { attemptTimeout: old = QUEUE_DEFAULTS.attemptTimeout } = before;
      const { attemptTimeout: now = QUEUE_DEFAULTS.attemptTimeout } = after;
      return Number(now) < Number(old)
        ? { severity: 'attention', effect: 'An attempt that takes longer fails from the next run on.' }
        : safe('Applies from the next run on.');
    }
    default:
      return safe('Applies from the next run on.');
  }
}

function ofShards(before: unknown, after: unknown): Outcome {
  const fewer = Number(after ?? 1) < Number(before ?? 1);
  if (!fewer) return safe('Records stay in their lanes, which are read as before. New ones use all lanes.');
  if (after !== undefined) {
    return safe('Records in the lanes that are gone are attempted about once an hour, until they are done.');
  }
  return {
    severity: 'attention',
    effect: 'Records in the lanes that are gone are attempted about once a day only.',
    todo: 'Write shards: 1 until they are done. Then it is once an hour.',
  };
}

function ofFairness(before: unknown, after: unknown): Outcome {
  if (after === true) return safe('Applies from the next run on. Records that wait stay where they are.');
  if (after === false || before !== true) {
    return safe('Records in lanes of busy keys are attempted about once an hour, until they are done.');
  }
  return {
    severity: 'attention',
    effect: 'Records in lanes of busy keys are attempted about once a day only.',
    todo: 'Write fairness: false until they are done. Then it is once an hour.',
  };
}

function ofDeadOn(before: unknown, after: unknown): Outcome {
  const known = Array.isArray(before) ? before : [];
  const added = (Array.isArray(after) ? after : []).filter((name) => !known.includes(name));
  return added.length === 0
    ? safe('Applies from the next failure of a record on.')
    : { severity: 'attention', effect: `A record that fails with ${added.join(' or ')} is DEAD at once.` };
}

function safe(effect: string): Outcome {
  return { severity: 'safe', effect };
}

function valueText(name: string, value: unknown): string {
  if (value === undefined) return 'default';
  if (DURATIONS.includes(name) && typeof value === 'number') return age(value * 1000);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
