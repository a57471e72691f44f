import { type Item, isMisindexed, isPending, leftLane, STATUSES } from '../../record/index.js';
import type { JobStore, Kept } from '../../store/job-store.js';
import type { Found, OperatorChange } from '../../store/operator-store.js';
import { toIso } from '../../support/clock.js';
import type { Action } from '../actions.js';
import type { Decision } from '../changes.js';
import type { NamedChange } from '../operation.js';

/**
 * The attributes that a change takes from a record, so that it can be undone. Undefined: it removes the record, indexes it, or
 * asks its attempt to end, which stays.
 */
export function keptOf({ record, item, decision, rev, revIfFree }: NamedChange): Kept | undefined {
  if (decision.do !== 'change' || isMisindexed(record)) return undefined;
  const changes = [decision.change, ...(decision.ifFree ? [decision.ifFree] : [])];
  const names = new Set(changes.flatMap(({ set, remove }) => [...Object.keys(set), ...remove]));
  const before = Object.entries(item).filter(([name, value]) => names.has(name) && value !== undefined);
  return {
    id: record.id,
    revs: revIfFree === '' ? [rev] : [rev, revIfFree],
    names: [...names],
    before: Object.fromEntries(before),
  };
}

/** The records that a job has changed, the latest change of each: pages of ids, and what was kept of these records. */
export class ChangedRecords {
  private readonly latest = new Map<string, Kept>();

  constructor(
    private readonly jobs: JobStore,
    private readonly patiently: <Answer>(request: () => Promise<Answer>) => Promise<Answer>,
  ) {}

  /** Pages of ids, the newest first. @param pages the number of pages that the job's item has; there may be more */
  async *ids(job: string, pages: number): AsyncGenerator<readonly string[]> {
    const read = (page: number) => this.patiently(() => this.jobs.kept(job, page));
    let last = pages;
    for (let next = await read(last + 1); next; next = await read(last + 1)) last++;
    const seen = new Set<string>();
    for (let page = last; page > 0; page--) {
      const kept = ((await read(page)) ?? []).filter(({ id }) => !seen.has(id));
      this.latest.clear();
      for (const one of kept) {
        seen.add(one.id);
        this.latest.set(one.id, one);
      }
      if (kept.length > 0) yield kept.map(({ id }) => id);
    }
  }

  /** The kept attributes of a record of the latest page. */
  of(id: string): Kept | undefined {
    return this.latest.get(id);
  }
}

/** Puts back what a job has changed, of records that have not been written since. */
export function undoAction(keptOf: (id: string) => Kept | undefined): Action {
  return {
    actsOn: STATUSES,
    bringsForward: true,
    decide: (found, { allOverAt }) => {
      const { id, rev = '' } = found.record;
      const kept = keptOf(id);
      if (!kept?.revs.includes(rev)) return { do: 'skip', reason: 'changedMeanwhile' };
      return undo(found, kept, allOverAt);
    },
  };
}

/**
 * A waiting record that goes back to another lane may be under attempt where it is. So it is not due there before all attempts
 * are over, unless none is found: as if it were moved. One that is dead again keeps the mark of the lane that it leaves.
 */
function undo({ record, item }: Found, { names, before }: Kept, allOverAt: number): Decision {
  const remove = names.filter((name) => !Object.hasOwn(before, name));
  const leaves = isPending(record) && before.lane !== undefined && before.lane !== record.lane;
  if (!leaves) return changing(before, remove);
  const notBefore = leftLane(record, allOverAt);
  if ((before.status ?? record.status) === 'DEAD') return changing({ ...before, notBefore }, remove);
  const dueAt = before.dueAt ?? record.dueAt;
  const waits = names.includes('notBefore') ? before.notBefore : item.notBefore;
  const due = Math.max(Date.parse(String(dueAt)) || 0, allOverAt);
  return {
    ...changing({ ...before, dueAt: toIso(due), notBefore }, remove),
    ifFree: {
      set: { dueAt, ...(waits === undefined ? {} : { notBefore: waits }) } as OperatorChange['set'],
      remove: waits === undefined ? ['notBefore'] : [],
    },
  };
}

function changing(set: Item, remove: readonly string[]): Extract<Decision, { do: 'change' }> {
  const gone = remove.filter((name) => set[name] === undefined);
  return { do: 'change', change: { set, remove: gone } as OperatorChange };
}
