import { HELD_LINES_PREFIX } from '../../lines/names.js';
import { heldIn } from '../../lines/note-held.js';
import type { Item } from '../../record/index.js';
import type { JobStore } from '../job-store.js';
import type {
  ControlState,
  ControlStore,
  Exclusive,
  OperatorStore,
  ReadingStore,
  RunsOfQueue,
} from '../operator-store.js';
import type { MemoryClaims } from './claims.js';
import type { MemoryLeases } from './leases.js';
import type { MemorySharedItems } from './shared-items.js';

/** The readings of the monitor. */
export class MemoryReadings implements ReadingStore {
  private readonly readings = new Map<string, Item>();

  async write(queue: string, reading: Item): Promise<void> {
    this.readings.set(queue, structuredClone(reading));
  }

  async read(queue: string): Promise<Item | undefined> {
    return this.readings.get(queue);
  }

  all(): ReadonlyMap<string, Item> {
    return new Map(this.readings);
  }
}

interface ControlParts extends Pick<OperatorStore, 'queues' | 'registry' | 'activeRegion'> {
  readonly leases: MemoryLeases;
  readonly claims: MemoryClaims;
  readonly readings: MemoryReadings;
  readonly jobs: JobStore;
  readonly lines: MemorySharedItems;
}

/** The state of the control table as a whole. */
export class MemoryControl implements ControlStore {
  constructor(private readonly parts: ControlParts) {}

  async read(): Promise<ControlState> {
    const { queues, leases, claims, readings, jobs, lines, registry, activeRegion } = this.parts;
    return {
      queues: await queues.readAll(),
      leases: leases.held(),
      successes: latestOf([...leases.successes(), ...claims.successes]),
      readings: readings.all(),
      heldLines: heldIn(lines.named(HELD_LINES_PREFIX)),
      jobs: await jobs.list(),
      registry: await registry.read(),
      activeRegion: await activeRegion.read(),
    };
  }

  async readRuns(): Promise<readonly Exclusive[]> {
    const { leases, claims } = this.parts;
    return [...[...leases.held()].map(([name, { until }]) => ({ name, until })), ...claims.untils()];
  }

  async readRunsOf(queue: string, keys: readonly string[]): Promise<RunsOfQueue> {
    const { leases, claims } = this.parts;
    const isOfQueue = ([key]: readonly [string, unknown]) => keys.includes(key);
    const successes = [...leases.successes()].filter(isOfQueue).map(([, at]) => at);
    const all = [...successes, claims.successes.get(queue) ?? Number.NEGATIVE_INFINITY];
    const latest = Math.max(...all);
    return {
      leases: new Map([...leases.held()].filter(isOfQueue)),
      succeededAt: Number.isFinite(latest) ? latest : undefined,
    };
  }
}

function latestOf(successes: readonly (readonly [string, number])[]): Map<string, number> {
  const latest = new Map<string, number>();
  for (const [key, at] of successes) latest.set(key, Math.max(at, latest.get(key) ?? 0));
  return latest;
}
