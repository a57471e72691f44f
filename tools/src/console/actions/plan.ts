import { randomBytes } from 'node:crypto';
import type { ActionResult, BacklogOperator, Selection } from 'dynamo-backlog';
import { counted, records } from 'dynamo-backlog/overview';
import { concernedBy } from '../../cli/operate/report.js';
import { call, type NamedAction } from '../../jobs/call.js';

/** Records that were chosen on a page, what is to be done with them once it is confirmed, and what a dry run has counted. */
export interface BulkPlan {
  /** The name of the console's action. */
  readonly action: string;
  /** The selection of the job, or ids. */
  readonly which: Selection | readonly string[];
  /** The way in which they were chosen, in words. */
  readonly where: string;
  /** The address of the list that shows them. Undefined: they were ticked. */
  readonly list?: string | undefined;
  readonly trial: Trial;
  /** The destination or the queue that it can wait for. Undefined: there is not one, or it works. */
  readonly awaited?: string | undefined;
}

/** The counts of a dry run. */
export interface Trial {
  readonly result: ActionResult;
  /** Records looked at. */
  readonly looked: number;
  /** There may be more that match: the dry run has ended at its limit. */
  readonly isLeast: boolean;
}

/** Records that a dry run counts at most, and looks at. */
const MAX_COUNTED = 1_000;
const MAX_LOOKED = 2_000;

/** Counts what an action would change, up to a limit. A selection of nothing is none. */
export async function dryRun(
  operator: BacklogOperator,
  action: NamedAction,
  which: BulkPlan['which'],
): Promise<Trial> {
  const limit = new AbortController();
  let looked = 0;
  const result = await call(operator, action, which, {
    dryRun: true,
    limit: MAX_COUNTED,
    signal: limit.signal,
    onProgress: (progress) => {
      looked = progress.looked;
      if (looked >= MAX_LOOKED) limit.abort();
    },
  });
  return { result: { ...result, ended: 'complete' }, looked, isLeast: result.ended !== 'complete' };
}

/** `116 records`, `at least 1,000 records` */
export function trialText({ result, isLeast }: Trial): string {
  const changed = concernedBy(result);
  if (!isLeast) return records(changed);
  return changed === 0 ? 'the records that match' : `at least ${counted(changed, 'record')}`;
}

const MAX_KEPT = 50;

/** The plans that wait for their confirmation, by a random name that no other site can guess: the oldest are forgotten. */
export class Plans {
  private readonly plans = new Map<string, BulkPlan>();

  add(plan: BulkPlan): string {
    const name = randomBytes(12).toString('base64url');
    this.plans.set(name, plan);
    const [oldest] = this.plans.keys();
    if (this.plans.size > MAX_KEPT && oldest !== undefined) this.plans.delete(oldest);
    return name;
  }

  /** Gives it once: a form that is sent twice acts once. */
  take(name: string): BulkPlan | undefined {
    const plan = this.plans.get(name);
    this.plans.delete(name);
    return plan;
  }
}
