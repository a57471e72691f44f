import { createHash } from 'node:crypto';
import type { Item } from '../../record/index.js';
import { CLAIM_BUCKETS, claimBucketOf, runsPerBucket } from '../buckets.js';
import type {
  ArrivalsClaim,
  ClaimAnswer,
  ClaimedArrivals,
  ClaimLeft,
  ClaimStore,
  LostRun,
} from '../store.js';
import { isMap, isText, isTimeUntil, LAST_TIME, type OnDamaged } from './control-values.js';
import { and, Expressions, or } from './expressions.js';
import { MAX_LEASE_MS } from './lease-item.js';
import type { Table } from './table.js';

export const ARRIVALS_PREFIX = 'arrivals#';
/** The length of an id's fingerprint. No id can be made, in days, that has the fingerprint of another one, and holds it up. */
const PRINT_BYTES = 6;
/** Writes of a claim that are tried: other claims come and go meanwhile. */
const MAX_TRIES = 4;
/** Claims of lost runs that one claim clears away: it must not wait for long. */
const MAX_CLEARED = 10;

interface StoredClaim {
  readonly holder: string;
  readonly until: number;
  readonly ids?: unknown;
}

/**
 * The claims on records that are not indexed: one item per queue in the control table, so that a claim and its end are
 * one write each. Such a write is one unit while the item has less than 1 KB, which is a hundred and fifty records.
 *
 *     key      arrivals#<queue>
 *     runs     by batch: { holder, until (real time, epoch milliseconds), ids (their fingerprints) }
 *     succeededAt  the latest success under a claim, the backlog's time, epoch milliseconds
 *     spread   true where there is more in arrivals#<queue>#1 to #3: the queue has, or had, shards
 *
 * One item takes 1,000 write units a second. So the claims of a queue with shards are spread over four, by a hash of the
 * batch: each is written first, and then looks at the other items. Of two that name the same record the later write is
 * followed by a look that finds the earlier one, whichever items they are in. Claims that are not spread look at the
 * others only where `spread` says so: a run that writes into one of these also writes `spread`, and looks at the first
 * item after that.
 */
export class DynamoDbClaims implements ClaimStore {
  constructor(
    private readonly table: Table,
    private readonly onDamaged: OnDamaged,
  ) {}

  async take(queue: string, claim: ArrivalsClaim): Promise<ClaimAnswer> {
    const { batch, holder, now } = claim;
    const key = itemKey(queue, claimBucketOf(claim));
    const most = runsPerBucket(claim) ?? Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const written = await this.write(key, claim);
      // Of two claims one is written first, and the other one sees it.
      if (written) return (await this.meetsAnother(queue, claim, written)) ? 'shared' : 'claimed';
      const runs = await this.runsOf(key, await this.table.get(key), now);
      if (!runs) {
        await this.create(key);
        continue;
      }
      const expired = [...runs].filter(([, { until }]) => until < now);
      const found = runs.get(batch);
      // A renewal that arrives late, or by a clock that was set back: what stands there lasts for longer.
      if (found?.holder === holder && found.until > claim.until) return 'claimed';
      if (found && found.until >= now && found.holder !== holder)
        return isSame(found, claim) ? 'taken' : 'shared';
      if (expired.length === 0 && runs.size >= most) return 'full';
      for (const [name, { holder: lost, until }] of expired)
        await this.release(queue, { batch: name, holder: lost }, key, until);
    }
    return 'full';
  }

  /** @param until of a claim as it was read: one that was renewed meanwhile stays. Default: it ends in any case */
  async release(
    queue: string,
    claim: ClaimLeft,
    key = itemKey(queue, claimBucketOf(claim)),
    until?: number,
  ): Promise<void> {
    const { batch, holder, succeededAt } = claim;
    const expressions = new Expressions();
    const path = runPath(expressions, batch);
    const isIts = isHeldBy(expressions, path, holder);
    await this.table.update(key, {
      UpdateExpression: `${succeededAt === undefined ? '' : `SET ${expressions.equal('succeededAt', succeededAt)} `}REMOVE ${path}`,
      ConditionExpression:
        until === undefined
          ? isIts
          : and(isIts, `${path}.${expressions.name('until')} = ${expressions.value(until)}`),
      ...expressions.placeholders(),
    });
  }

  async end(queue: string, { holderPrefix }: LostRun): Promise<number> {
    const items = await this.table.getMany(claimKeysOf(queue));
    const its = [...items].flatMap(([key, { runs }]) =>
      Object.entries(isMap(runs) ? runs : {}).flatMap(([batch, run]) => {
        const holder = isMap(run) && isText(run.holder) ? run.holder : '';
        return holder.startsWith(holderPrefix) ? [{ key, batch, holder }] : [];
      }),
    );
    await Promise.all(its.map(({ key, ...claim }) => this.release(queue, claim, key)));
    return its.length;
  }

  async find(queues: readonly string[], ids: readonly string[], now: number): Promise<ClaimedArrivals> {
    const items = await this.table.getMany(queues.map((queue) => itemKey(queue, 0)));
    const spread = queues.filter((queue) => items.get(itemKey(queue, 0))?.spread === true);
    const neverIn = queues.filter((queue) => !items.has(itemKey(queue, 0)));
    const more = spread.length === 0 ? [] : await this.table.getMany(spread.flatMap(otherKeys(0)));
    const all = await Promise.all([...items, ...more].map(([key, item]) => this.runsOf(key, item, now)));
    const runs = all.flatMap((some) => [...(some?.values() ?? [])]);
    const held = runs.filter(({ until }) => until >= now);
    const claimed = new Set<number | undefined>(held.flatMap((run) => numbersOf(run.ids)));
    const own = numbersOf(fingerprintsOf(ids));
    return { ids: ids.filter((_, i) => claimed.has(own[i])), neverIn };
  }

  /** The item as it is with the claim; undefined if the claim could not be written. */
  private async write(key: string, claim: ArrivalsClaim): Promise<Item | undefined> {
    const { batch, holder, until, ids } = claim;
    const maxRuns = runsPerBucket(claim);
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
      // A request that arrives late shortens no claim.
      ConditionExpression: and(
        isMapIn(expressions, runs),
        or(
          hasRoom,
          and(
            isHeldBy(expressions, path, holder),
            `${path}.${expressions.name('until')} <= ${expressions.value(until)}`,
          ),
        ),
      ),
      ...expressions.placeholders(),
    };
    const answer = await this.table.update(key, update, true);
    return answer.written ? answer.item : undefined;
  }

  private async meetsAnother(queue: string, claim: ArrivalsClaim, written: Item): Promise<boolean> {
    const bucket = claimBucketOf(claim);
    if (await this.isShared(queue, itemKey(queue, bucket), written, claim)) return true;
    if (!claim.isSpread && written.spread !== true) return false;
    const others = await this.table.getMany(otherKeys(bucket)(queue));
    const looks = [...others].map(([key, item]) => this.isShared(queue, key, item, claim));
    if ((await Promise.all(looks)).includes(true)) return true;
    if (bucket === 0 || others.get(itemKey(queue, 0))?.spread === true) return false;
    return this.isShared(queue, itemKey(queue, 0), await this.markSpread(queue), claim);
  }

  /** Returns the first item as it is with the mark. */
  private async markSpread(queue: string): Promise<Item> {
    const expressions = new Expressions();
    const update = {
      UpdateExpression: `SET ${expressions.equal('spread', true)}`,
      ...expressions.placeholders(),
    };
    const answer = await this.table.update(itemKey(queue, 0), update, true);
    return answer.written ? answer.item : {};
  }

  /** Clears away claims of lost runs meanwhile: those without a limit find room beside them, until the item is full. */
  private async isShared(queue: string, key: string, item: Item, claim: ArrivalsClaim): Promise<boolean> {
    const { ids, now } = claim;
    let own: ReadonlySet<number> | undefined;
    let cleared = 0;
    for (const [batch, { holder, until, ids: prints }] of (await this.runsOf(key, item, now)) ?? []) {
      if (until < now) {
        if (cleared++ < MAX_CLEARED) await this.release(queue, { batch, holder }, key, until);
      } else if (batch !== claim.batch) {
        own ??= new Set(numbersOf(fingerprintsOf(ids)));
        for (const print of numbersOf(prints)) if (own.has(print)) return true;
      }
    }
    return false;
  }

  /**
   * The claims of an item. The run that made a damaged claim may be at work: the claim is replaced by one that is held
   * until no function is left that runs now.
   */
  private async runsOf(
    key: string,
    item: Item | undefined,
    now: number,
  ): Promise<ReadonlyMap<string, StoredClaim> | undefined> {
    const { runs } = item ?? {};
    if (!isMap(runs)) return undefined;
    const until = now + MAX_LEASE_MS;
    const claims = Object.entries(runs).map(async ([batch, run]) => {
      if (isClaim(run, until)) return [batch, run] as const;
      const ids = isMap(run) && run.ids instanceof Uint8Array ? run.ids : new Uint8Array();
      const mended = { holder: 'damaged', until, ids };
      await this.mend(key, batch, mended);
      return [batch, mended] as const;
    });
    return new Map(await Promise.all(claims));
  }

  private async mend(key: string, batch: string, mended: StoredClaim): Promise<void> {
    const expressions = new Expressions();
    const path = runPath(expressions, batch);
    const holder = `${path}.${expressions.name('holder')}`;
    const until = `${path}.${expressions.name('until')}`;
    const isDamaged = or(
      `NOT attribute_type(${holder}, ${expressions.value('S')})`,
      `${holder} = ${expressions.value('')}`,
      `NOT attribute_type(${until}, ${expressions.value('N')})`,
      `${until} < ${expressions.value(0)}`,
      `${until} > ${expressions.value(mended.until)}`,
    );
    const answer = await this.table.update(key, {
      UpdateExpression: `SET ${path} = ${expressions.value(mended)}`,
      ConditionExpression: and(`attribute_exists(${path})`, isDamaged),
      ...expressions.placeholders(),
    });
    if (answer.written) this.onDamaged(key, ['runs']);
  }

  /** Creates the map of claims: a path below a map can only be written once the map is there. */
  private async create(key: string): Promise<void> {
    const expressions = new Expressions();
    const isNone = `NOT ${isMapIn(expressions, expressions.name('runs'))}`;
    await this.table.update(key, expressions.update({ runs: {} }, [], isNone));
  }
}

function itemKey(queue: string, bucket: number): string {
  return bucket === 0 ? `${ARRIVALS_PREFIX}${queue}` : `${ARRIVALS_PREFIX}${queue}#${bucket}`;
}

/** The keys of the items that may hold claims of a queue. Beyond the first, there are some only if that is `spread`. */
export function claimKeysOf(queue: string): string[] {
  return Array.from({ length: CLAIM_BUCKETS }, (_, bucket) => itemKey(queue, bucket));
}

function otherKeys(bucket: number): (queue: string) => string[] {
  return (queue) => claimKeysOf(queue).filter((key) => key !== itemKey(queue, bucket));
}

/** The times at which the claims of an item run out. A damaged claim counts as one that never does. */
export function untilsIn({ runs }: Item): number[] {
  const claims: unknown[] = isMap(runs) ? Object.values(runs) : [];
  return claims.map((run) => (isMap(run) && isTimeUntil(run.until, LAST_TIME) ? run.until : LAST_TIME));
}

/** The queue of an item's key. */
export function claimedQueueOf(key: string): string {
  return key.slice(ARRIVALS_PREFIX.length).replace(/#\d+$/, '');
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

function isMapIn(expressions: Expressions, path: string): string {
  return `attribute_type(${path}, ${expressions.value('M')})`;
}

function isClaim(run: unknown, latest: number): run is StoredClaim {
  return isMap(run) && isText(run.holder) && isTimeUntil(run.until, latest);
}

/** Fingerprints of ids, the first six bytes of each one's SHA-256: so a claim on a hundred records is still small. */
export function fingerprintsOf(ids: readonly string[]): Uint8Array {
  const prints = new Uint8Array(ids.length * PRINT_BYTES);
  for (const [i, id] of ids.entries())
    createHash('sha256')
      .update(id)
      .digest()
      .copy(prints, i * PRINT_BYTES, 0, PRINT_BYTES);
  return prints;
}

/** The fingerprints as numbers, in their order; none if the value is something else. */
function numbersOf(prints: unknown): number[] {
  const bytes = prints instanceof Uint8Array ? Buffer.from(prints) : Buffer.alloc(0);
  const numbers: number[] = [];
  for (let at = 0; at + PRINT_BYTES <= bytes.length; at += PRINT_BYTES)
    numbers.push(bytes.readUIntBE(at, PRINT_BYTES));
  return numbers;
}
