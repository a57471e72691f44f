import type { BacklogRecord } from 'dynamo-backlog';
import { type Item, isCancelled, isLaneOf, isNewer, isPending } from 'dynamo-backlog/engine';
import { printable } from '../output.js';
import type { Finding } from './findings.js';
import { type PlaceProblem, placeProblem } from './index-checks.js';

export interface RecordContext {
  /** Epoch milliseconds, of the backlog. */
  readonly now: number;
  /** Names of the queues; absent: not known. */
  readonly queues?: ReadonlySet<string> | undefined;
  /** Retry modes of the queues, as far as they are known. */
  readonly retryModes: ReadonlyMap<string, string | undefined>;
}

const OVERDUE_MS = 3_600_000;
/** Time after its due time within which each record is attempted once, whatever the tiers are. */
const NEVER_ATTEMPTED_MS = 86_400_000;
const REPAIR = '--repair corrects that';

const FINDINGS = {
  notIndexed: {
    severity: 'error',
    what: 'not indexed (no "lane"): no rule finds it',
    todo: `${REPAIR}, and the daily sweep does; look why the intake has not: its stream, its alarm`,
  },
  notIndexedUndated: {
    severity: 'warning',
    what: 'not indexed (no "lane"), and no "insertedAt" that says since when',
    todo: 'it may have just come: look again in a while, or with --wait 16m; what remains is stuck',
  },
  arriving: {
    severity: 'note',
    what: 'not indexed yet: it has just come, or may be under its first attempt',
    todo: 'nothing: the intake handles it',
  },
  inLine: {
    severity: 'note',
    what: 'not indexed, as it waits for its turn behind another record of its key',
    todo: 'nothing; `backlog lines QUEUE KEY` shows why it waits',
  },
  noDueAt: {
    severity: 'error',
    what: 'a "lane" and no "dueAt": it is not in the index, no rule finds it',
    todo: `${REPAIR}; a producer that writes "lane" has to write "dueAt" with it`,
  },
  unfindable: {
    severity: 'error',
    what: 'a "dueAt" that sorts behind all times (soon, Fri 20 Nov): no rule finds it',
    todo: `${REPAIR}; let the producer write it in UTC with milliseconds, or leave "lane" and "dueAt" out`,
  },
  dueAtForm: {
    severity: 'warning',
    what: 'a "dueAt" in another form than 2026-11-20T09:30:00.000Z: the index sorts by text, it comes late or early',
    todo: 'let the producer write it in UTC with milliseconds, or leave "lane" and "dueAt" out',
  },
  pendingInDeadLane: {
    severity: 'error',
    what: 'NEW or ERROR in the lane of the dead (a status set by hand): no rule finds it',
    todo: REPAIR,
  },
  deadInLane: {
    severity: 'warning',
    what: 'DEAD in the lane of those that wait: each run reads it for nothing',
    todo: REPAIR,
  },
  doneInLane: {
    severity: 'warning',
    what: 'SUCCESS, and still in the index: each run reads it for nothing',
    todo: REPAIR,
  },
  otherLane: {
    severity: 'warning',
    what: 'in the lane of another queue than "queue" names: that other queue attempts it',
    todo: 'npx backlog move ID --to QUEUE; a change of "queue" by hand has to remove "lane" and "dueAt"',
  },
  newer: {
    severity: 'warning',
    what: 'written by a newer version of dynamo-backlog: a run of this version quarantines it',
    todo: 'deploy that version again, then redrive those with that reason (docs/protocol.md, Upgrades)',
  },
  full: {
    severity: 'error',
    what: 'too large: the outcome of an attempt would have no room below 400 KB; it is quarantined',
    todo: 'let the producer store large data elsewhere and put its key into the payload; npx backlog edit or discard',
  },
  noPayload: {
    severity: 'warning',
    what: 'no "payload": its handler gets undefined, a delivery by HTTP has no body',
    todo: 'look at the producer; an adopted item may have it in another attribute',
  },
  expiring: {
    severity: 'warning',
    what: 'waiting, with an "expiresAt": it may be removed before it was attempted',
    todo: 'remove that attribute; a change to NEW by hand has to remove it',
  },
  overdue: {
    severity: 'error',
    what: 'due for more than an hour (for a day, where the queue is progressive), and not attempted',
    todo: 'look whether the rules are enabled, the function fails, or takes too long for all that comes',
  },
} as const satisfies Record<string, Omit<Finding, 'kind'>>;

/** Kinds of findings that a repair ends. */
export const REPAIRABLE: ReadonlySet<string> = new Set<PlaceProblem>([
  'notIndexed',
  'noDueAt',
  'unfindable',
  'pendingInDeadLane',
  'deadInLane',
  'doneInLane',
]);

export function named(kind: keyof typeof FINDINGS): Finding {
  return { kind, ...FINDINGS[kind] };
}

/**
 * Returns what is wrong with one record. Of one that has succeeded, only the index keys are checked, for their costs.
 */
export function checkRecord(item: Item, record: BacklogRecord, context: RecordContext): Finding[] {
  const place = placeProblem(item, record, context.now);
  const misindexed = place === undefined ? [] : [named(place)];
  if (record.status === 'SUCCESS') return misindexed;
  const contents = checkContents(item, record, context);
  // It is reported already, and its default does not help, because the index sorts by the stored value.
  const rest = place === 'unfindable' ? contents.filter(({ kind }) => kind !== 'attribute.dueAt') : contents;
  return [...misindexed, ...rest];
}

/** Returns what is wrong with the content of a record, whatever its index keys are. */
export function checkContents(item: Item, record: BacklogRecord, context: RecordContext): Finding[] {
  return [
    ...(isNewer(record) && isPending(record) ? [named('newer')] : []),
    ...checkAttributes(item, record),
    ...(isPending(record) && record.unknownTaskSince !== undefined ? [unknownTask(record)] : []),
    ...(isPending(record) ? checkWait(item, record, context) : isCancelled(record) ? [] : [dead(record)]),
    ...(context.queues && !context.queues.has(record.queue) ? [unknownQueue(record.queue)] : []),
  ];
}

function checkAttributes(item: Item, record: BacklogRecord): Finding[] {
  const odd = record.problems.map((problem): Finding => {
    const [attribute = problem] = problem.split(/[:.\s]/);
    return {
      kind: `attribute.${attribute}`,
      severity: 'warning',
      what: printable(problem),
      todo: 'the default is used instead; let the producer write it as docs/records.md says',
    };
  });
  const otherForm = (['insertedAt', 'availableAt'] as const).filter(
    (name) => typeof item[name] === 'string' && isReadInstead(name, item, record),
  );
  return [
    ...odd,
    ...otherForm.map((name): Finding => {
      return {
        kind: `form.${name}`,
        severity: 'warning',
        what: `${name}: another form than 2026-11-20T09:30:00.000Z (an offset, or no milliseconds); it is read`,
        todo: 'let the producer write it in UTC with milliseconds, so that it sorts',
      };
    }),
  ];
}

/** Tells whether a time was understood, and is stored in another form. */
function isReadInstead(
  name: 'insertedAt' | 'availableAt' | 'dueAt',
  item: Item,
  record: BacklogRecord,
): boolean {
  return item[name] !== undefined && !isUnread(name, record) && record[name] !== item[name];
}

/** Tells whether an attribute is invalid, so that its default is used. */
export function isUnread(name: string, { problems }: BacklogRecord): boolean {
  return problems.some((problem) => problem.startsWith(`${name}:`));
}

function checkWait(item: Item, record: BacklogRecord, { now, retryModes }: RecordContext): Finding[] {
  const { lane, dueAt, queue, attempts } = record;
  const dueSince = dueAt === undefined || !isLaneOf(lane ?? '', queue) ? 0 : now - Date.parse(dueAt);
  const isFound = placeProblem(item, record, now) === undefined;
  const kinds = {
    full: record.isFull === true,
    noPayload: record.payload === undefined,
    expiring: item.expiresAt !== undefined,
    dueAtForm: isFound && isReadInstead('dueAt', item, record),
    overdue:
      isFound &&
      ((attempts === 0 && dueSince > NEVER_ATTEMPTED_MS) ||
        (retryModes.get(queue) === 'perRecord' && dueSince > OVERDUE_MS)),
  };
  return (Object.keys(kinds) as (keyof typeof kinds)[]).filter((kind) => kinds[kind]).map(named);
}

function dead({ lastError, deadReason }: BacklogRecord): Finding {
  const why = printable(lastError?.name ?? deadReason ?? 'no reason given');
  return {
    kind: `dead.${why}`,
    severity: 'note',
    what: `DEAD, kept: ${why}`,
    todo: 'npx backlog list --status DEAD, npx backlog show ID; npx backlog redrive or discard',
  };
}

function unknownTask({ task, queue }: BacklogRecord): Finding {
  const name = task === undefined ? 'no task' : `the task ${printable(task)}`;
  return {
    kind: `task.${printable(queue)}.${printable(task ?? '')}`,
    severity: 'warning',
    what: `of ${name}, which the handler of the queue ${printable(queue)} does not know: it waits for one that does`,
    todo: 'deploy a handler with that task (or with it among "previousNames"); nothing is lost until then',
  };
}

function unknownQueue(queue: string): Finding {
  const name = printable(queue);
  return {
    kind: `queue.${name}`,
    severity: 'error',
    what: `of the queue ${name}, which no known function serves`,
    todo: 'deploy a queue of that name, or let the producer name the right one',
  };
}
