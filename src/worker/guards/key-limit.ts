import { hashOfKey } from '../../record/busy-keys.js';
import type { BacklogRecord } from '../../record/record.js';
import type { BacklogStore } from '../../store/store.js';
import { groupBy } from '../../support/group-by.js';
import type { Arrivals } from '../options.js';
import type { QueueTurns } from '../page-turns.js';
import type { StopReason } from '../stop-reason.js';
import type { Work, WorkedOff } from '../work.js';
import type { BusyKeys } from './busy-keys.js';
import type { Admission, Guard } from './guard.js';
import { KeyQuotas, type KeyQuotasDeps } from './key-quotas.js';
import { LanePasses, MAX_WAIT_IN_PASS_MS } from './lane-passes.js';
import type { AtOnce } from './pool.js';
import type { SharedLane, WaitingRecords } from './shared-lane.js';
import { ASK_AGAIN_MS } from './slot-hold.js';

/** The longest wait of a first attempt for its turn. Records that would wait longer are indexed instead. */
const MAX_WAIT_ON_ARRIVAL_MS = 2_000;
/** The longest wait for a permit in the queue's own lane. Records that would wait longer go to the lanes of their keys instead. */
const MAX_WAIT_IN_OWN_LANE_MS = 1_000;
/** The longest wait for a permit elsewhere: the rule starts the next run by then. */
const MAX_WAIT_FOR_PERMIT_MS = 60_000;
/** The longest wait in the lane of a busy key while other runs have all slots: their attempts end soon, as a rule. */
const MAX_WAIT_IN_LANE_MS = 10_000;
/** The longest wait in a turn of a queue among others, which wait for it. */
const MAX_WAIT_IN_TURN_MS = 2_000;

/** Begins with records in their order. */
type Begin = (some: readonly Work[]) => Promise<WorkedOff>;

interface Refused {
  readonly refused: readonly Work[];
}

export interface KeyLimitsDeps extends KeyQuotasDeps {
  /** Undefined: the queue is not fair between keys, and its keys have no lanes of their own. */
  readonly busyKeys: BusyKeys | undefined;
  readonly store: Pick<BacklogStore, 'keySlots' | 'permits' | 'pages'>;
  /** Its pages take turns with those of other queues. Default: it is the only one. */
  readonly turns?: QueueTurns | undefined;
}

/** The limits of each key, for one run. */
export class KeyLimits {
  private readonly quotas: KeyQuotas;
  private readonly waiting: WaitingRecords = new Map();

  constructor(private readonly deps: KeyLimitsDeps) {
    this.quotas = new KeyQuotas(deps);
  }

  /** The limit for the records of one lane, or of one batch that has just come. */
  of(arrivals: Arrivals | undefined, share: Pick<AtOnce, 'isBusyLane'> | undefined): KeyLimit {
    const ofLane = share?.isBusyLane ? 'busyLane' : 'lane';
    const { quotas, waiting } = this;
    return new KeyLimit({ ...this.deps, quotas, waiting, from: arrivals ? 'arrivals' : ofLane });
  }

  /** Gives back what the run has taken. */
  close(): Promise<void> {
    return this.quotas.close();
  }
}

interface KeyLimitDeps extends KeyLimitsDeps {
  readonly quotas: KeyQuotas;
  readonly waiting: WaitingRecords;
  readonly from: 'arrivals' | 'lane' | 'busyLane';
}

/**
 * Lets so many attempts of one key be under way at once, or start per second, in all runs of the queue together. Records of other
 * keys do not wait behind those of a key that is at its limit:
 *
 *     on arrival          they wait for some seconds, then they go to the key's lane
 *     in the queue's lane they go to the key's lane, unless their permit comes within a second
 *     in the key's lane   they wait; where keys share it, for some seconds, and then others go before them
 */
export class KeyLimit implements Guard {
  /** Records of the page whose attempts are still to begin, by id, with their keys' short names. */
  private readonly next = new Map<string, string>();
  /** Records on arrival that other runs keep from an attempt. */
  readonly refused: BacklogRecord[] = [];
  private isOver = false;
  private hasRefused = false;
  /** The passes over the lane of a busy key. Undefined: the records are of another lane, or have just come. */
  readonly passes: LanePasses | undefined;

  constructor(private readonly deps: KeyLimitDeps) {
    const { from, busyKeys } = deps;
    const isShared = () => busyKeys?.areLanesShared === true;
    this.passes = from === 'busyLane' ? new LanePasses({ ...deps, isShared }) : undefined;
  }

  covers(startsAt: number): boolean {
    return this.deps.quotas.covers(startsAt);
  }

  /** Ends the draining of a lane in which no record had its turn: its further pages are not read. */
  stopReason(): StopReason | undefined {
    return this.isOver ? 'keyLimited' : undefined;
  }

  /** Returns the reason why the lane is not drained, if records of a busy key wait in it for their turn. */
  endReason(): StopReason | undefined {
    return this.hasRefused || this.passes?.leavesAny ? 'keyLimited' : undefined;
  }

  /** See `LanePasses.next`. */
  async nextPass(run: Parameters<LanePasses['next']>[0]): Promise<boolean> {
    if (!(await this.passes?.next(run))) return false;
    this.hasRefused = false;
    return true;
  }

  enter({ id, key }: BacklogRecord): Admission | 'deferred' {
    if (key === undefined) return {};
    const { quotas } = this.deps;
    const hash = hashOfKey(key);
    if (!quotas.tryUse(hash)) return 'deferred';
    this.drop(id);
    const giveBack = () => quotas.giveBack(hash);
    const holds = async () => {
      // Guards behind this one may have waited for so long that the slot is another run's, or the permit is used or over.
      await quotas.renewPermit(hash);
      const mayStart = quotas.tryStart(hash);
      if (mayStart) this.passes?.started();
      else this.add(id, hash);
      return mayStart;
    };
    return { abandon: giveBack, ended: giveBack, holds };
  }

  /**
   * Begins with the records of a page. Those of a key that is at its limit let the others go first.
   *
   * @param beginSome begins with records in their order
   * @param mayBegin tells whether any attempt may begin
   */
  async begin(page: readonly Work[], beginSome: Begin, mayBegin: () => boolean): Promise<WorkedOff> {
    const { shared } = this;
    const behind = this.deps.from === 'arrivals' ? await this.behindLanes(page) : new Set<Work>();
    for (const work of page) {
      const { id, key } = work.record;
      if (key === undefined || work.change || behind.has(work)) continue;
      if (shared?.isOver(hashOfKey(key))) behind.add(work);
      else this.add(id, hashOfKey(key));
    }
    // The lane may have been over for a suspect, which is attempted alone, and is not for the pages behind it.
    this.isOver = false;
    try {
      await Promise.all([this.deps.quotas.takeSlots(), this.takePermits(page)]);
      const line = page.filter((work) => !behind.has(work));
      const { refused, ...begun } = await this.beginInTurn(line, beginSome, mayBegin);
      const all = [...behind, ...refused];
      const isRefused = this.deps.from === 'busyLane' && all.length > 0;
      this.isOver = !shared && isRefused && all.length === page.length;
      this.hasRefused ||= isRefused;
      for (const { record } of shared ? all : []) {
        const hash = hashOfKey(record.key ?? '');
        shared?.leave(record, hash, this.startsAt(hash));
      }
      const left = await this.leave(all, beginSome);
      return { late: [...begun.late, ...left.late], deferred: [...begun.deferred, ...left.deferred] };
    } finally {
      for (const id of [...this.next.keys()]) this.drop(id);
    }
  }

  /** Begins with those that may start now, then with those that have waited for it, and so on. */
  private async beginInTurn(
    page: readonly Work[],
    beginSome: Begin,
    mayBegin: () => boolean,
  ): Promise<WorkedOff & Refused> {
    const { quotas, clock, turns, from } = this.deps;
    const deferred: Work[] = [];
    const refused: Work[] = [];
    let askedAt = clock.wall();
    const { shared } = this;
    // Time that the attempts before it take to begin is no wait for its turn.
    let waitedMs = shared?.waitedMs ?? 0;
    const waitedBeforeMs = waitedMs;
    for (let line = page; ; ) {
      const { now, waiting } = this.parted(line);
      const begun = await beginSome(now);
      const isTurnedAway = ({ record }: Work) => this.next.has(record.id);
      deferred.push(...begun.deferred.filter((work) => !isTurnedAway(work)));
      waiting.push(...begun.deferred.filter(isTurnedAway));
      await this.takePermits(waiting);
      const isHeld = (work: Work) => this.mayWait(work, waitedMs);
      line = waiting.filter(isHeld);
      // Records that are left of the page are worked off in the next turn.
      const inTurnMs = waitedMs - waitedBeforeMs;
      const leftMs = turns && from !== 'arrivals' ? MAX_WAIT_IN_TURN_MS - inTurnMs : Number.POSITIVE_INFINITY;
      const isTurnOver = line.length > 0 && leftMs <= 0;
      const isEnd = begun.late.length > 0 || isTurnOver || !mayBegin();
      if (isEnd) return { late: [...begun.late, ...waiting], deferred, refused };
      refused.push(...waiting.filter((work) => !isHeld(work)));
      if (line.length === 0) return { late: [], deferred, refused };
      const waitsFrom = clock.wall();
      // Free already, where an open breaker has put the record before it off.
      const keys = line.map((work) => this.keyOf(work));
      if (keys.every((key) => quotas.free(key) <= 0)) await quotas.wait(keys, leftMs);
      const hasNone = keys.some((key) => !quotas.hasSlot(key));
      if (hasNone || clock.wall() >= askedAt + ASK_AGAIN_MS) {
        await quotas.takeSlots();
        askedAt = clock.wall();
      }
      waitedMs += clock.wall() - waitsFrom;
      if (shared) shared.waitedMs = waitedMs;
    }
  }

  /** Tells whether a record waits for its permit, and for a slot: one that is free by now, that this run has, or of another run. */
  private mayWait(work: Work, waitedMs: number): boolean {
    const { from, busyKeys, quotas } = this.deps;
    const key = this.keyOf(work);
    const maxPaceWaitMs = this.shared ? MAX_WAIT_IN_PASS_MS : this.maxPaceWaitMs;
    if (quotas.paceWaitMs(key) > maxPaceWaitMs - waitedMs) return false;
    if (quotas.freeSlots(key) > 0) return true;
    const has = quotas.hasSlot(key);
    if (from === 'arrivals') return waitedMs < MAX_WAIT_ON_ARRIVAL_MS;
    const mostInLane = this.deps.turns ? MAX_WAIT_IN_TURN_MS : MAX_WAIT_IN_LANE_MS;
    if (from === 'busyLane') return has || waitedMs < mostInLane;
    // Others would wait behind the page. Without fairness there is no lane where it could wait in place of that.
    return has && !busyKeys;
  }

  private get shared(): SharedLane | undefined {
    return this.passes?.shared;
  }

  /** Real time before which no attempt of a key starts. Infinite: other runs have all slots, or no permit comes in time. */
  private startsAt(key: string): number {
    const { quotas, clock } = this.deps;
    return quotas.hasSlot(key) ? clock.wall() + quotas.paceWaitMs(key) : Number.POSITIVE_INFINITY;
  }

  /** The longest wait of a record for its permit. */
  private get maxPaceWaitMs(): number {
    const { from, busyKeys } = this.deps;
    if (from === 'arrivals') return MAX_WAIT_ON_ARRIVAL_MS;
    return from === 'lane' && busyKeys ? MAX_WAIT_IN_OWN_LANE_MS : MAX_WAIT_FOR_PERMIT_MS;
  }

  private takePermits(works: readonly Work[]): Promise<void> {
    const keys = works.map((work) => this.keyOf(work)).filter((key) => key !== '');
    return this.deps.quotas.takePermits(keys, this.maxPaceWaitMs);
  }

  private keyOf({ record }: Work): string {
    return this.next.get(record.id) ?? '';
  }

  /** Parts records that may start now from those that must wait. */
  private parted(line: readonly Work[]): { readonly now: Work[]; readonly waiting: Work[] } {
    const free = new Map<string, number>();
    const now: Work[] = [];
    const waiting: Work[] = [];
    for (const work of line) {
      const hash = this.next.get(work.record.id);
      const left = hash === undefined ? 1 : (free.get(hash) ?? this.deps.quotas.free(hash));
      if (hash !== undefined) free.set(hash, left - 1);
      (left > 0 ? now : waiting).push(work);
    }
    return { now, waiting };
  }

  /** Leaves records that would wait for too long, or keep others waiting. */
  private async leave(refused: readonly Work[], beginSome: Begin): Promise<WorkedOff> {
    const { from, busyKeys, clock } = this.deps;
    if (refused.length === 0) return { late: [], deferred: [] };
    if (from === 'busyLane') return { late: [], deferred: refused };
    await busyKeys?.note(refused.flatMap(({ record }) => record.key ?? []));
    if (from === 'arrivals') {
      this.refused.push(...refused.map(({ record }) => record));
      return { late: [], deferred: refused };
    }
    // A probe is not due: it stays where it is.
    const isDue = ({ dueAt }: BacklogRecord) => dueAt !== undefined && Date.parse(dueAt) <= clock.now();
    const moves = refused.map(({ record }) => ({
      record,
      change: isDue(record) ? busyKeys?.move(record) : undefined,
    }));
    const { late } = await beginSome(moves.filter(({ change }) => change));
    return { late, deferred: moves.filter(({ change }) => !change) };
  }

  /** Records on arrival whose keys have others that wait in their lanes: these go first, and no stream of new ones keeps them waiting. */
  private async behindLanes(page: readonly Work[]): Promise<Set<Work>> {
    const { busyKeys, store, clock } = this.deps;
    const attempts = page.filter(({ change }) => !change);
    const byLane = groupBy(attempts, ({ record }) => busyKeys?.laneOf(record)?.lane);
    byLane.delete(undefined);
    const behind = new Set<Work>();
    for (const [lane = '', some] of byLane) {
      const { keys } = await store.pages.query({ lane, until: clock.now(), order: 'oldestFirst', limit: 1 });
      if (keys.length > 0) for (const work of some) behind.add(work);
    }
    return behind;
  }

  private add(id: string, hash: string): void {
    this.next.set(id, hash);
    this.deps.quotas.need(hash, 1);
  }

  private drop(id: string): void {
    const hash = this.next.get(id);
    if (hash !== undefined) this.deps.quotas.need(hash, -1);
    this.next.delete(id);
  }
}
