import { type Item, MAX_SHARDS, QUEUE_PATTERN } from '../../record/index.js';
import { isRegion } from '../../support/region.js';
import type { ActiveRegion, ActiveRegionStore, QueueOwner, Registry, RegistryStore } from '../store.js';
import { isMap, isText, isTimeUntil, LAST_TIME, type OnDamaged } from './control-values.js';
import { Expressions, or } from './expressions.js';
import type { Table } from './table.js';

export const REGISTRY_KEY = 'registry';
export const REGION_KEY = 'region';
/** Most damaged attributes that are reported. */
const MAX_REPORTED = 20;

/**
 * The owners of the queues: one item in the control table.
 *
 *     key       registry
 *     rev       new at every change
 *     queues    by name, see QueueOwner
 *     primaryRegion
 */
export class DynamoDbRegistry implements RegistryStore {
  constructor(
    private readonly table: Table,
    private readonly onDamaged: OnDamaged,
  ) {}

  async read(): Promise<Registry> {
    return parseRegistry(await this.table.get(REGISTRY_KEY), this.onDamaged);
  }

  async write({ rev, queues, primaryRegion }: Registry, read: string): Promise<boolean> {
    const expressions = new Expressions();
    const asRead =
      read === ''
        ? or(
            `NOT attribute_type(${expressions.name('rev')}, ${expressions.value('S')})`,
            expressions.equal('rev', ''),
          )
        : expressions.equal('rev', read);
    // The answer to a first try was lost, and the client has repeated it.
    const condition = or(asRead, expressions.equal('rev', rev));
    const set = {
      rev,
      queues: Object.fromEntries(queues),
      ...(primaryRegion === undefined ? {} : { primaryRegion }),
    };
    const update = expressions.update(set, primaryRegion === undefined ? ['primaryRegion'] : [], condition);
    return (await this.table.update(REGISTRY_KEY, update)).written;
  }
}

/** Reads the registry. A damaged entry counts as absent: the next run of the queue's function registers it again. */
export function parseRegistry(item: Item | undefined, onDamaged: OnDamaged): Registry {
  const { rev, queues, primaryRegion } = item ?? {};
  const all = Object.entries(isMap(queues) ? queues : {});
  const isSound = (entry: [string, unknown]): entry is [string, QueueOwner] =>
    QUEUE_PATTERN.test(entry[0]) && isQueueOwner(entry[1]);
  const damaged = [
    ...(isText(rev) ? [] : ['rev']),
    ...(isMap(queues) ? [] : ['queues']),
    ...(primaryRegion === undefined || isRegion(primaryRegion) ? [] : ['primaryRegion']),
    ...all.filter((entry) => !isSound(entry)).map(([name]) => `queues.${name.slice(0, 128)}`),
  ];
  if (item && damaged.length > 0) onDamaged(REGISTRY_KEY, damaged.slice(0, MAX_REPORTED));
  return {
    rev: isText(rev) ? rev : '',
    queues: new Map(all.filter(isSound)),
    ...(isRegion(primaryRegion) ? { primaryRegion } : {}),
  };
}

/**
 * The active region: one item in the control table, which has replicas as well. It is apart from the registry, which
 * functions write: of two regions that write one item, the later write takes the place of the other one.
 *
 *     key       region
 *     region, from, at, before    see ActiveRegion
 */
export class DynamoDbActiveRegion implements ActiveRegionStore {
  constructor(
    protected readonly table: Table,
    private readonly onDamaged: OnDamaged,
  ) {}

  async read(): Promise<ActiveRegion | undefined> {
    return parseActiveRegion(await this.table.get(REGION_KEY), this.onDamaged);
  }
}

export function parseActiveRegion(item: Item | undefined, onDamaged: OnDamaged): ActiveRegion | undefined {
  if (!item) return undefined;
  const { region, from, at, before } = item;
  const isSound = {
    region: isRegion(region),
    from: isTimeUntil(from, LAST_TIME),
    at: isTimeUntil(at, LAST_TIME),
    before: isRegion(before),
  };
  const damaged = Object.entries(isSound).flatMap(([name, sound]) => (sound ? [] : [name]));
  if (damaged.length === 0) return { region, from, at, before } as ActiveRegion;
  onDamaged(REGION_KEY, damaged);
  return undefined;
}

function isQueueOwner(entry: unknown): boolean {
  if (!isMap(entry)) return false;
  const {
    owner,
    function: name,
    retryMode,
    shards = 1,
    fairness,
    onArrival,
    timeout = 1,
    at,
    removedAt,
  } = entry;
  const isTime = (time: unknown) => !Number.isNaN(Date.parse(String(time)));
  return (
    isText(owner) &&
    (name === undefined || isText(name)) &&
    (retryMode === 'perRecord' || retryMode === 'progressive') &&
    isBetween(shards, MAX_SHARDS) &&
    (fairness === undefined || typeof fairness === 'boolean') &&
    (onArrival === undefined || typeof onArrival === 'boolean') &&
    isBetween(timeout, 900) &&
    isText(at) &&
    isTime(at) &&
    (removedAt === undefined || (isText(removedAt) && isTime(removedAt)))
  );
}

function isBetween(value: unknown, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most;
}
