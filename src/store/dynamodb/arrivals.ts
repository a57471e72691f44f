import type { Item } from '../../record/index.js';
import type { ArrivalsClaim, ClaimAnswer, ClaimedArrivals, LeaseOwner } from '../store.js';
import { and, Expressions, or } from './expressions.js';
import { fingerprintsOf, idsAmong, numbersOf } from './fingerprints.js';
import type { Table } from './table.js';

export const ARRIVALS_PREFIX = 'arrivals#';
/** Other claims come and go meanwhile. */
const MAX_TRIES = 4;

interface StoredClaim extends LeaseOwner {
  readonly ids?: unknown;
}

/**
 * The records without a place that somebody has in hand: one item per queue in the control table, so that a claim and
 * its end are one write each: of one unit while it has less than 1 KB, which is two hundred records.
 *
 *     key     arrivals#<queue>
 *     runs    by batch: { holder, until (real time, epoch milliseconds), ids (their fingerprints) }
 */
export class DynamoDbArrivals {
  constructor(private readonly table: Table) {}

  async claim(queue: string, claim: ArrivalsClaim): Promise<ClaimAnswer> {
    const { batch, holder, now } = claim;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const written = await this.write(queue, claim);
      // Of two claims one is written first, and the other one sees it.
      if (written) return this.isShared(written, claim) ? 'shared' : 'claimed';
      const runs = parseRuns(await this.table.get(itemKey(queue)));
      if (!runs) {
        await this.create(queue);
        continue;
      }
      const expired = [...runs].filter(([, { until }]) => until < now);
      const found = runs.get(batch);
      if (found && found.until >= now && found.holder !== holder)
        return isSame(found, claim) ? 'taken' : 'shared';
      if (expired.length === 0 && runs.size >= (claim.maxRuns ?? Number.POSITIVE_INFINITY)) return 'full';
      for (const [name, run] of expired) await this.release(queue, { batch: name, holder: run.holder });
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

  async claimed(queues: readonly string[], ids: readonly string[], now: number): Promise<ClaimedArrivals> {
    const items = await this.table.getMany(queues.map(itemKey));
    const runs = [...items.values()].flatMap((item) => [...(parseRuns(item)?.values() ?? [])]);
    const claimed = runs.filter(({ until }) => until >= now).flatMap((run) => [...numbersOf(run.ids)]);
    const neverIn = queues.filter((queue) => !items.has(itemKey(queue)));
    return { ids: idsAmong(ids, new Set(claimed)), neverIn };
  }

  /** The item as it is with the claim; undefined if the claim could not be written. */
  private async write(queue: string, claim: ArrivalsClaim): Promise<Item | undefined> {
    const { batch, holder, until, ids, maxRuns } = claim;
    const expressions = new Expressions();
    const runs = expressions.name('runs');
    const path = runPath(expressions, batch);
    const isFree = `attribute_not_exists(${path})`;
    const hasRoom =
      maxRuns === undefined ? isFree : and(isFree, `size(${runs}) < ${expressions.value(maxRuns)}`);
    const stored: StoredClaim = { holder, until, ids: fingerprintsOf(ids) };
    const update = {
      UpdateExpression: `SET ${path} = ${expressions.value(stored)}`,
      // Mine already: the answer to a first try was lost, and the client has repeated it.
      ConditionExpression: and(expressions.exists('runs'), or(hasRoom, isHeldBy(expressions, path, holder))),
      ...expressions.placeholders(),
    };
    const answer = await this.table.update(itemKey(queue), update, true);
    return answer.written ? answer.item : undefined;
  }

  private isShared(item: Item, { batch, ids, now }: ArrivalsClaim): boolean {
    const others = [...(parseRuns(item) ?? [])].filter(([name, { until }]) => name !== batch && until >= now);
    return others.some(([, run]) => idsAmong(ids, numbersOf(run.ids)).length > 0);
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

function isSame(stored: StoredClaim, { ids }: ArrivalsClaim): boolean {
  const prints = stored.ids instanceof Uint8Array ? stored.ids : new Uint8Array();
  return Buffer.from(prints).equals(fingerprintsOf(ids));
}

function parseRuns(item: Item | undefined): ReadonlyMap<string, StoredClaim> | undefined {
  const runs = item?.runs;
  if (typeof runs !== 'object' || runs === null) return undefined;
  return new Map(Object.entries(runs as Record<string, StoredClaim>));
}
