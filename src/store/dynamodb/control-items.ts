import { parseLine } from '../../lines/line.js';
import type { Item } from '../../record/index.js';
import type { ActiveRegion, QueueOwner, QueueState } from '../store.js';
import { parseLease } from './lease-item.js';
import { parseQueueState } from './queues.js';
import type { RawItems } from './raw-items.js';
import { parseActiveRegion, parseRegistry, REGION_KEY, REGISTRY_KEY } from './registry.js';

/** A queue of the control table. */
interface QueueFacts {
  readonly paused: boolean;
  /** The retry mode, as it is stored. */
  readonly retryMode?: string | undefined;
  readonly state: QueueState;
}

/** The contents of a control table, for tools that look at all of it. */
export interface ControlFacts {
  /** Queues that a run has served, by name. */
  readonly queues: ReadonlyMap<string, QueueFacts>;
  /** Leases that a run holds, or has left behind. `until` is real time, epoch milliseconds. */
  readonly leases: readonly { readonly key: string; readonly until: number; readonly inFlight: number }[];
  /** Ends of the claims of runs on arrivals, by queue and batch; real time, epoch milliseconds. */
  readonly arrivals: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** The newest sweep, with the backlog's time at which it began, epoch milliseconds. Empty: there was none. */
  readonly sweeps: readonly { readonly startedAt: number }[];
  /** The owners of queues, by queue. */
  readonly owners: ReadonlyMap<string, QueueOwner>;
  /** The ids of the heads of lines, by `<queue>#<key>`. Undefined: a line has none. */
  readonly lines: ReadonlyMap<string, string | undefined>;
  /** The region that is active until an operator makes another one so. Undefined: the backlog is in one region. */
  readonly primaryRegion?: string | undefined;
  /** The active region, if an operator has written one. */
  readonly activeRegion?: ActiveRegion | undefined;
}

const PAGE_ITEMS = 500;

/** Reads a whole control table: a few items per queue. */
export async function readControl(control: RawItems): Promise<ControlFacts> {
  const queues = new Map<string, QueueFacts>();
  const leases: { key: string; until: number; inFlight: number }[] = [];
  const arrivals = new Map<string, ReadonlyMap<string, number>>();
  const sweeps: { startedAt: number }[] = [];
  const lines = new Map<string, string | undefined>();
  let registry: Item | undefined;
  let region: Item | undefined;
  let after: string | undefined;
  do {
    const page = await control.page({ number: 0, of: 1 }, after, PAGE_ITEMS);
    for (const item of page.items) {
      if (item.key === REGISTRY_KEY) registry = item;
      if (item.key === REGION_KEY) region = item;
      const [, kind, name = ''] =
        /^(lease|queue|arrivals|sweep|line)(?:#(.+))?$/s.exec(String(item.key)) ?? [];
      if (kind === 'queue') queues.set(name, queueOf(item));
      if (kind === 'line') lines.set(name, parseLine(item).head?.id);
      if (kind === 'arrivals') arrivals.set(name, runsOf(item));
      if (kind === 'sweep') sweeps.push({ startedAt: Number(item.startedAt ?? 0) });
      const lease = kind === 'lease' ? parseLease(item) : undefined;
      if (lease) leases.push({ key: name, until: lease.until, inFlight: lease.ids.length });
    }
    after = page.next;
  } while (after !== undefined);
  const { queues: owners, primaryRegion } = parseRegistry(registry, () => {});
  const activeRegion = parseActiveRegion(region, () => {});
  return { queues, leases, arrivals, sweeps, owners, lines, primaryRegion, activeRegion };
}

function queueOf(item: Item): QueueFacts {
  const { paused, retryMode } = item;
  const state = parseQueueState(item);
  return { paused: paused === true, retryMode: typeof retryMode === 'string' ? retryMode : undefined, state };
}

function runsOf({ runs }: Item): ReadonlyMap<string, number> {
  const entries = Object.entries((runs ?? {}) as Record<string, { until?: unknown } | null>);
  return new Map(entries.map(([batch, run]) => [batch, Number(run?.until ?? 0)]));
}
