import { HELD_LINES_PREFIX } from '../../lines/names.js';
import { heldIn } from '../../lines/note-held.js';
import type { Item } from '../../record/index.js';
import type { ControlState, ControlStore, Exclusive, RunsOfQueue } from '../operator-store.js';
import type { LeaseState, QueueState } from '../store.js';
import { toItem } from './attribute-values.js';
import { ARRIVALS_PREFIX, claimedQueueOf, claimKeysOf, untilsIn } from './claims.js';
import { isMap, isTimeUntil, JOB_PREFIX, LAST_TIME, QUEUE_PREFIX, READING_PREFIX } from './control-values.js';
import { Expressions } from './expressions.js';
import { LEASE_PREFIX, leaseKey, parseLease } from './lease-item.js';
import { parseQueueState } from './queues.js';
import { parseActiveRegion, parseRegistry, REGION_KEY, REGISTRY_KEY } from './registry.js';
import type { StoredPage, Table } from './table.js';

/** The control table as a whole. */
export class DynamoDbControl implements ControlStore {
  constructor(private readonly table: Table) {}

  async read(consistency: 'strong' | 'eventual' = 'eventual'): Promise<ControlState> {
    const prefixes = [
      ...[LEASE_PREFIX, QUEUE_PREFIX, ARRIVALS_PREFIX, READING_PREFIX, JOB_PREFIX],
      ...[REGISTRY_KEY, REGION_KEY, HELD_LINES_PREFIX],
    ];
    const items = await controlItems(this.table, prefixes, consistency);
    const readings = items.flatMap((item): [string, Item][] => {
      const name = nameOf(item, READING_PREFIX);
      return name !== undefined && isMap(item.reading) ? [[name, item.reading]] : [];
    });
    const named = (name: string) => items.find(({ key }) => key === name);
    return {
      queues: queuesIn(items),
      leases: leasesIn(items),
      successes: successesIn(items),
      readings: new Map(readings),
      heldLines: heldIn(namedItems(items, HELD_LINES_PREFIX)),
      jobs: namedItems(items, JOB_PREFIX),
      registry: parseRegistry(named(REGISTRY_KEY), () => {}),
      activeRegion: parseActiveRegion(named(REGION_KEY), () => {}),
    };
  }

  async readRuns(): Promise<readonly Exclusive[]> {
    const items = await controlItems(this.table, [LEASE_PREFIX, ARRIVALS_PREFIX]);
    const leases = [...leasesIn(items)].map(([name, { until }]) => ({ name, until }));
    const claims = items.flatMap((item) => {
      const name = nameOf(item, ARRIVALS_PREFIX);
      return name === undefined ? [] : untilsIn(item).map((until) => ({ name, until }));
    });
    return [...leases, ...claims];
  }

  async readRunsOf(queue: string, leases: readonly string[]): Promise<RunsOfQueue> {
    const [claimKey = '', ...otherClaimKeys] = claimKeysOf(queue);
    const items = await this.getEach([claimKey, ...leases.map(leaseKey)]);
    const isSpread = items.some(({ key, spread }) => key === claimKey && spread === true);
    const all = isSpread ? [...items, ...(await this.getEach(otherClaimKeys))] : items;
    const successes = [...successesIn(all).values()];
    return {
      leases: leasesIn(all),
      succeededAt: successes.length === 0 ? undefined : Math.max(...successes),
    };
  }

  private async getEach(keys: readonly string[]): Promise<Item[]> {
    const items = await Promise.all(keys.map((key) => this.table.get(key)));
    return items.filter((item) => item !== undefined);
  }

  async readLeases(): Promise<ReadonlyMap<string, LeaseState>> {
    return leasesIn(await controlItems(this.table, [LEASE_PREFIX]));
  }

  async readJobs(): Promise<ReadonlyMap<string, Item>> {
    return namedItems(await controlItems(this.table, [JOB_PREFIX]), JOB_PREFIX);
  }

  async readQueues(): Promise<ReadonlyMap<string, QueueState>> {
    return queuesIn(await controlItems(this.table, [QUEUE_PREFIX, ARRIVALS_PREFIX]));
  }
}

/** Reads all control items with these prefixes: there are a few per queue. */
async function controlItems(
  table: Table,
  prefixes: readonly string[],
  consistency: 'strong' | 'eventual' = 'strong',
): Promise<Item[]> {
  const items: Item[] = [];
  let start: StoredPage['last'];
  do {
    const expressions = new Expressions();
    const begins = (prefix: string) =>
      `begins_with(${expressions.name('key')}, ${expressions.value(prefix)})`;
    const page = await table.scan({
      ConsistentRead: consistency === 'strong',
      FilterExpression: prefixes.map(begins).join(' OR '),
      ...(start ? { ExclusiveStartKey: start } : {}),
      ...expressions.placeholders(),
    });
    items.push(...page.items.map(toItem));
    start = page.last;
  } while (start);
  return items;
}

function leasesIn(items: readonly Item[]): ReadonlyMap<string, LeaseState> {
  return new Map(
    items.flatMap((item): [string, LeaseState][] => {
      const name = nameOf(item, LEASE_PREFIX);
      const lease = name === undefined ? undefined : parseLease(item);
      return name !== undefined && lease ? [[name, { ...lease, ...lostOf(item) }]] : [];
    }),
  );
}

function lostOf({ lost }: Item): Pick<LeaseState, 'lost'> {
  return typeof lost === 'number' && lost > 0 ? { lost } : {};
}

function successesIn(items: readonly Item[]): ReadonlyMap<string, number> {
  const successes = new Map<string, number>();
  for (const item of items) {
    const { key, succeededAt } = item;
    const claimed = nameOf(item, ARRIVALS_PREFIX) === undefined ? undefined : claimedQueueOf(String(key));
    const name = claimed ?? nameOf(item, LEASE_PREFIX);
    if (name === undefined || !isTimeUntil(succeededAt, LAST_TIME)) continue;
    successes.set(name, Math.max(succeededAt, successes.get(name) ?? 0));
  }
  return successes;
}

/** Items of a kind, by what their keys have behind the prefix. */
function namedItems(items: readonly Item[], prefix: string): ReadonlyMap<string, Item> {
  return new Map(
    items.flatMap((item): [string, Item][] => {
      const name = nameOf(item, prefix);
      return name === undefined ? [] : [[name, item]];
    }),
  );
}

/** The queues that have an item, and those in which arrivals were claimed. */
function queuesIn(items: readonly Item[]): ReadonlyMap<string, QueueState> {
  const named = (prefix: string) => items.filter((item) => nameOf(item, prefix) !== undefined);
  const claimed = named(ARRIVALS_PREFIX).map(({ key }) => claimedQueueOf(String(key)));
  return new Map([
    ...claimed.map((queue) => [queue, parseQueueState(undefined)] as const),
    ...named(QUEUE_PREFIX).map((item) => [nameOf(item, QUEUE_PREFIX) ?? '', parseQueueState(item)] as const),
  ]);
}

/** The item's key without the prefix. Undefined: it is another kind of item. */
function nameOf({ key }: Item, prefix: string): string | undefined {
  const text = String(key);
  return text.startsWith(prefix) ? text.slice(prefix.length) : undefined;
}
