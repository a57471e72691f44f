import type { Item } from '../../record/index.js';
import type { ArrivalsClaim, LeaseOwner } from '../store.js';
import { and, Expressions, or } from './expressions.js';
import type { Table } from './table.js';

export const ARRIVALS_PREFIX = 'arrivals#';
/** Claims of other runs come and go meanwhile. */
const MAX_TRIES = 4;

/**
 * The batches of arrivals that are under attempt: one item per queue in the control table, of at most a few hundred
 * bytes, so that a claim and its end are one write unit each.
 *
 *     key     arrivals#<queue>
 *     runs    by batch: { holder, until } (real time, epoch milliseconds)
 */
export class DynamoDbArrivals {
  constructor(private readonly table: Table) {}

  async claim(queue: string, claim: ArrivalsClaim): Promise<'claimed' | 'taken' | 'full'> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (await this.write(queue, claim)) return 'claimed';
      const runs = parseRuns(await this.table.get(itemKey(queue)));
      if (!runs) {
        await this.create(queue);
        continue;
      }
      const expired = [...runs].filter(([, { until }]) => until < claim.now);
      const found = runs.get(claim.batch);
      if (found && found.until >= claim.now) return found.holder === claim.holder ? 'claimed' : 'taken';
      if (expired.length === 0 && runs.size >= claim.maxRuns) return 'full';
      for (const [batch, { holder }] of expired) await this.release(queue, { batch, holder });
    }
    return 'full';
  }

  async release(queue: string, { batch, holder }: Pick<ArrivalsClaim, 'batch' | 'holder'>): Promise<void> {
    const expressions = new Expressions();
    const path = runPath(expressions, batch);
    await this.table.update(itemKey(queue), {
      UpdateExpression: `REMOVE ${path}`,
      ConditionExpression: isHeldBy(expressions, path, holder),
      ...expressions.placeholders(),
    });
  }

  async claimed(queue: string, now: number): Promise<string[]> {
    const runs = parseRuns(await this.table.get(itemKey(queue)));
    return [...(runs ?? [])].filter(([, { until }]) => until >= now).map(([batch]) => batch);
  }

  private async write(queue: string, { batch, holder, until, maxRuns }: ArrivalsClaim): Promise<boolean> {
    const expressions = new Expressions();
    const runs = expressions.name('runs');
    const path = runPath(expressions, batch);
    const hasRoom = and(`attribute_not_exists(${path})`, `size(${runs}) < ${expressions.value(maxRuns)}`);
    const answer = await this.table.update(itemKey(queue), {
      UpdateExpression: `SET ${path} = ${expressions.value({ holder, until })}`,
      // Mine already: the answer to a first try was lost, and the client has repeated it.
      ConditionExpression: and(expressions.exists('runs'), or(hasRoom, isHeldBy(expressions, path, holder))),
      ...expressions.placeholders(),
    });
    return answer.written;
  }

  /** A path below a map can only be written once the map is there. */
  private async create(queue: string): Promise<void> {
    const expressions = new Expressions();
    const absent = expressions.absent('runs');
    await this.table.update(itemKey(queue), expressions.update({ runs: {} }, [], absent));
  }
}

function itemKey(queue: string): string {
  return `${ARRIVALS_PREFIX}${queue}`;
}

function runPath(expressions: Expressions, batch: string): string {
  return `${expressions.name('runs')}.${expressions.name(batch)}`;
}

function isHeldBy(expressions: Expressions, path: string, holder: string): string {
  return `${path}.${expressions.name('holder')} = ${expressions.value(holder)}`;
}

function parseRuns(item: Item | undefined): ReadonlyMap<string, LeaseOwner> | undefined {
  const runs = item?.runs;
  if (typeof runs !== 'object' || runs === null) return undefined;
  return new Map(Object.entries(runs as Record<string, LeaseOwner>));
}
