import type { Clock } from '../../support/clock.js';
import type {
  LeaseAnswer,
  LeaseHold,
  LeaseLeft,
  LeaseOwner,
  LeaseState,
  LeaseStore,
  LostRun,
} from '../store.js';
import type { OnDamaged } from './control-values.js';
import { and, Expressions, or } from './expressions.js';
import {
  damageOf,
  formatCursor,
  holdAttributes,
  idsOf,
  leaseKey,
  MAX_LEASE_MS,
  parseCursor,
  parseLease,
} from './lease-item.js';
import type { Table } from './table.js';

/** Leases with their in-flight journals. Each change is one conditional UpdateItem that may be sent twice. */
export class DynamoDbLeases implements LeaseStore {
  constructor(
    protected readonly table: Table,
    private readonly clock: Clock,
    private readonly onDamaged: OnDamaged,
  ) {}

  async hold(key: string, hold: LeaseHold): Promise<LeaseAnswer> {
    const expressions = new Expressions();
    const free = and(expressions.absent('holder'), expressions.absent('ids'));
    const mine = isMineUntil(expressions, hold);
    const { set, remove } = holdAttributes(hold);
    const answer = await this.table.update(
      leaseKey(key),
      expressions.update(set, remove, or(free, mine)),
      true,
    );
    if (!answer.written) return { held: false, lease: await this.readMended(key) };
    const suspects = idsOf(answer.item.suspects);
    return {
      held: true,
      cursor: parseCursor(answer.item.cursor),
      suspects: suspects.length > 0 ? suspects : undefined,
    };
  }

  async takeOver(key: string, from: LeaseState, to: LeaseOwner): Promise<LeaseState | undefined> {
    const expressions = new Expressions();
    const unchanged = and(
      expressions.equal('holder', from.holder),
      expressions.equal('until', from.until),
      expressions.equal('rev', from.rev),
    );
    const mineAlready = isMineUntil(expressions, to);
    const answer = await this.table.update(
      leaseKey(key),
      expressions.update({ holder: to.holder, until: to.until }, [], or(unchanged, mineAlready)),
      true,
    );
    return answer.written ? parseLease(answer.item) : undefined;
  }

  async wake(key: string, holder: string): Promise<boolean> {
    const expressions = new Expressions();
    const held = expressions.equal('holder', holder);
    const answer = await this.table.update(leaseKey(key), expressions.update({ woken: true }, [], held));
    return answer.written;
  }

  async acknowledgeWake(key: string, holder: string): Promise<boolean> {
    const expressions = new Expressions();
    const held = expressions.equal('holder', holder);
    const answer = await this.table.update(leaseKey(key), expressions.update({}, ['woken'], held));
    return answer.written;
  }

  async release(key: string, holder: string, left: LeaseLeft): Promise<'released' | 'woken' | 'lost'> {
    const expressions = new Expressions();
    const mine = isMineUntil(expressions, { holder, until: left.until });
    const mineAndNotWoken = and(mine, expressions.absent('woken'));
    const set = {
      ...(left.cursor ? { cursor: formatCursor(left.cursor) } : {}),
      ...(left.suspects?.length ? { suspects: left.suspects } : {}),
      ...(left.succeededAt === undefined ? {} : { succeededAt: left.succeededAt }),
    };
    const all = ['holder', 'until', 'rev', 'ids', 'begun', 'suspects', 'cursor', 'lost'];
    const remove = all.filter((attribute) => !(attribute in set));
    const answer = await this.table.update(leaseKey(key), expressions.update(set, remove, mineAndNotWoken));
    if (answer.written) return 'released';
    const lease = await this.readMended(key);
    if (!lease) return 'released';
    // Without the mark it was renewed for longer than this request knows: it is not this request's to give back.
    return lease.holder === holder && lease.woken ? 'woken' : 'lost';
  }

  /** Ends no lease that another run has taken meanwhile: its holder has another name. */
  async end(key: string, { holderPrefix, until }: LostRun): Promise<number | undefined> {
    const expressions = new Expressions();
    const [holder, end, lost] = ['holder', 'until', 'lost'].map((name) => expressions.name(name));
    const isIts = `begins_with(${holder}, ${expressions.value(holderPrefix)})`;
    const lasts = `${end} > ${expressions.value(until)}`;
    // A count of another type could not be added to.
    const isCount = or(expressions.absent('lost'), `attribute_type(${lost}, ${expressions.value('N')})`);
    const answer = await this.table.update(
      leaseKey(key),
      {
        UpdateExpression: `SET ${expressions.equal('until', until)} ADD ${lost} ${expressions.value(1)}`,
        ConditionExpression: and(isIts, lasts, isCount),
        ...expressions.placeholders(),
      },
      true,
    );
    return answer.written ? Number(answer.item.lost) : undefined;
  }

  private async readMended(key: string): Promise<LeaseState | undefined> {
    const item = await this.table.get(leaseKey(key));
    const now = this.clock.wall();
    const damaged = damageOf(item, now);
    if (!item || damaged.length === 0) return parseLease(item);
    const { ids, suspects } = parseLease(item) ?? { ids: [], suspects: [] };
    // Its unknown holder may be at work: the lease lasts until every function that runs now has ended.
    const until = now + MAX_LEASE_MS;
    const mended = { holder: 'damaged', until, ids, rev: 'damaged', suspects };
    const expressions = new Expressions();
    const { set, remove } = holdAttributes(mended);
    const isAsRead = ['holder', 'until', 'rev'].map((name) => {
      if (!damaged.includes(name)) return expressions.equal(name, item[name]);
      const type = name === 'until' ? 'N' : 'S';
      const unsound = name === 'until' ? [`${expressions.name(name)} > ${expressions.value(until)}`] : [];
      const below = `${expressions.name(name)} <= ${expressions.value(name === 'until' ? 0 : '')}`;
      const isOther = `NOT attribute_type(${expressions.name(name)}, ${expressions.value(type)})`;
      return or(expressions.absent(name), isOther, below, ...unsound);
    });
    await this.table.update(leaseKey(key), expressions.update(set, remove, and(...isAsRead)));
    this.onDamaged(leaseKey(key), damaged);
    return parseLease(await this.table.get(leaseKey(key)));
  }
}

/** The condition that the lease is the holder's, and not renewed since: a late request neither shortens nor ends it. */
function isMineUntil(
  expressions: Expressions,
  { holder, until }: { readonly holder: string; readonly until: number | undefined },
): string {
  const mine = expressions.equal('holder', holder);
  return until === undefined
    ? mine
    : and(mine, `${expressions.name('until')} <= ${expressions.value(until)}`);
}
