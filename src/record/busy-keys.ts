import { hash32 } from '../support/hash.js';
import { FIRST_BUSY_SHARD, laneOf, lanesOf, MAX_SHARDS } from './lanes.js';

/** A key that has a lane of its own for a while. */
export interface BusyKey {
  /** The number of the lane: one of the shards that its queue does not use. */
  readonly shard: number;
  /** The key's short name. */
  readonly hash: string;
  /** The last due time, epoch milliseconds, with which a record may be put into the lane. */
  readonly until: number;
}

/** Keys of a queue that have a lane of their own at a time. */
export const MAX_BUSY_KEYS = MAX_SHARDS - FIRST_BUSY_SHARD;
/** The most shards of a queue whose keys have lanes of their own. */
export const MAX_SHARDS_BESIDE_KEYS = MAX_SHARDS - 8;
/** Time for which a key keeps its lane. */
const KEPT_MS = 3_600_000;
/** Time after that in which a slow process may still put a record into the lane, and an index may be late. */
const LATE_MS = 1_800_000;
const MINUTE_MS = 60_000;
const RADIX = 36;
const ENTRY = /^([0-9a-v]):([0-9a-z]{1,7}):([0-9a-z]{1,8})$/;

/** The short name of a key. By chance, one pair in four thousand million has the same one: then they share a lane. */
export function hashOfKey(key: string): string {
  return hash32(`key:${key}`).toString(RADIX);
}

/** Reads the busy keys of a queue's item. What the library cannot have written is none. */
export function parseBusyKeys(text: string | undefined, shards = 1): BusyKey[] {
  const keys = (text ?? '').split(',').flatMap((entry) => {
    const [, number = '', hash = '', minutes = ''] = ENTRY.exec(entry) ?? [];
    const shard = Number.parseInt(number, RADIX);
    const until = Number.parseInt(minutes, RADIX) * MINUTE_MS;
    return shard >= shards ? [[shard, { shard, hash, until }] as const] : [];
  });
  return [...new Map(keys).values()];
}

/** The text of busy keys: `v:1z141z3:hq2d0,u:…`. Undefined: there are none. */
export function busyKeysText(keys: readonly BusyKey[]): string | undefined {
  const text = ({ shard, hash, until }: BusyKey) =>
    [shard, hash, Math.floor(until / MINUTE_MS)].map((part) => part.toString(RADIX)).join(':');
  return keys.length === 0 ? undefined : keys.map(text).join(',');
}

/** The lane of a busy key. */
export function laneOfBusy({ shard }: BusyKey, queue: string): string {
  return laneOf(queue, shard);
}

/** The lanes of a queue that may hold records: those of its shards, and those of busy keys. */
export function lanesToRead(
  queue: string,
  shards: number | undefined,
  busyKeys: string | undefined,
): string[] {
  const busy = parseBusyKeys(busyKeys, shards ?? MAX_SHARDS).map((one) => laneOfBusy(one, queue));
  return [...lanesOf(queue, 0, shards), ...busy];
}

/**
 * The place of a key that is busy: its own. If all lanes are taken, it is that of a key which is not busy any more, or else of one that it
 * shares a lane with. Undefined: it has none yet.
 */
export function findBusy(
  keys: readonly BusyKey[],
  hash: string,
  now: number,
  shards = 1,
): BusyKey | undefined {
  const own = keys.find((one) => one.hash === hash);
  if (own || !areLanesTaken(keys, shards)) return own;
  return keys.find(({ until }) => until < now) ?? keys[Number.parseInt(hash, RADIX) % keys.length];
}

/**
 * Gives lanes to keys that have become busy, each for an hour. Where none is free, a key takes that of one that is not busy any
 * more, or shares one.
 *
 * @param now epoch milliseconds
 */
export function withBusy(
  keys: readonly BusyKey[],
  hashes: readonly string[],
  now: number,
  shards = 1,
): readonly BusyKey[] {
  const next = [...keys];
  if (lanesFor(shards) <= 0) return next;
  for (const hash of hashes) {
    const found = findBusy(next, hash, now, shards);
    const shard = found?.shard ?? freeLane(next, shards);
    const entry = { shard, hash: found && found.until >= now ? found.hash : hash, until: now + KEPT_MS };
    if (found) next[next.indexOf(found)] = entry;
    else next.push(entry);
  }
  return next;
}

/** Tells whether all lanes are taken: keys that become busy share one. */
export function areLanesTaken(keys: readonly BusyKey[], shards = 1): boolean {
  return keys.length >= lanesFor(shards);
}

/** Tells whether a key's lane lasts so long that it need not be given to it again. */
export function lasts({ until }: BusyKey, now: number): boolean {
  return until - now >= KEPT_MS / 2;
}

/** Tells whether no record is put into a key's lane any more: it may be given up, if it is empty. */
export function isVacant({ until }: BusyKey, now: number): boolean {
  return until + LATE_MS < now;
}

function freeLane(keys: readonly BusyKey[], shards: number): number {
  const taken = new Set(keys.map(({ shard }) => shard));
  let shard = MAX_SHARDS - 1;
  while (taken.has(shard)) shard--;
  return Math.max(shards, shard);
}

function lanesFor(shards: number): number {
  return Math.min(MAX_BUSY_KEYS, MAX_SHARDS - shards);
}
