import { isDeepStrictEqual } from 'node:util';
import type { BacklogDescription, QueueDescription } from 'dynamo-backlog/engine';
import type { Difference } from './change.js';
import { compareRetries } from './compare-limits.js';
import { compareSettings } from './compare-settings.js';
import { compareWork } from './compare-work.js';

type Queues = BacklogDescription['queues'];
export type QueueDifference = Difference & { readonly queue: string };

/**
 * Compares the queues of one Backlog.
 *
 * @param movedTo the path of another Backlog on the same table that has the queue from now on
 */
export function compareQueues(
  from: Queues,
  to: Queues,
  movedTo: (queue: string) => string | undefined,
): QueueDifference[] {
  const removed = Object.keys(from).filter((name) => !Object.hasOwn(to, name));
  const added = Object.keys(to).filter((name) => !Object.hasOwn(from, name));
  const renamed = renamedOf(from, to, removed, added);
  const newNames = new Set(renamed.values());
  return [
    ...removed.map((queue) => ({
      queue,
      ...(from[queue]?.work === 'recurring'
        ? removalOfRecurring()
        : removal(queue, renamed.get(queue), movedTo(queue))),
    })),
    ...added.filter((queue) => !newNames.has(queue)).map((queue) => ({ queue, ...addition() })),
    ...Object.keys(from).flatMap((queue) => {
      const [before, after] = [from[queue], to[queue]];
      return before && after ? compareQueue(queue, before, after).map((one) => ({ queue, ...one })) : [];
    }),
  ];
}

function compareQueue(queue: string, from: QueueDescription, to: QueueDescription): Difference[] {
  return [...compareRetries(from, to), ...compareWork(from, to), ...compareSettings(queue, from, to)];
}

/** A guess: a queue that is gone, and one that is new and has all of its settings, if no other queue has them. */
function renamedOf(
  from: Queues,
  to: Queues,
  removed: readonly string[],
  added: readonly string[],
): ReadonlyMap<string, string> {
  const like = (queue: string) => added.filter((name) => isDeepStrictEqual(from[queue], to[name]));
  const found = removed.flatMap((queue): [string, string][] => {
    const [only, ...others] = like(queue);
    return only !== undefined && others.length === 0 ? [[queue, only]] : [];
  });
  const isOnly = ([queue, name]: [string, string]) =>
    found.every(([other, its]) => other === queue || its !== name);
  return new Map(found.filter(isOnly));
}

function removal(queue: string, newName: string | undefined, movedTo: string | undefined): Difference {
  if (movedTo !== undefined) {
    return {
      kind: 'queue.moved',
      severity: 'safe',
      what: `moves to ${movedTo}, on the same table`,
      effect: 'Its functions attempt them. Both have the same leases: no attempts overlap.',
    };
  }
  const keep = 'Keep the old queue until it is empty';
  if (newName !== undefined) {
    return {
      kind: 'queue.renamed',
      severity: 'leftBehind',
      what: `renamed to ${newName}, as it seems: the settings are the same`,
      effect: 'Those that wait keep the old name. They stay in the table, and no run attempts them.',
      todo: `${keep}, or move them after the deployment:`,
      command: `npx backlog move --queue ${queue} --to ${newName}`,
    };
  }
  return {
    kind: 'queue.removed',
    severity: 'leftBehind',
    what: 'removed',
    effect: 'Those that wait stay in the table, and no run attempts them.',
    todo: `${keep}, or move them into another one:`,
    command: `npx backlog move --queue ${queue} --to OTHER`,
  };
}

/** The queue that the prop `recurring` makes: its records are schedules, and of use in no other queue. */
function removalOfRecurring(): Difference {
  return {
    kind: 'queue.removed',
    severity: 'leftBehind',
    what: 'removed, with the prop "recurring"',
    effect: 'Its schedules stay in the table, and insert no records any more.',
    todo: 'To end the schedules of the app, keep "recurring: {}" until each is cancelled at its next occurrence.',
  };
}

function addition(): Difference {
  return {
    kind: 'queue.added',
    severity: 'safe',
    what: 'added',
    effect: 'Records that name it already are attempted from now on.',
  };
}
