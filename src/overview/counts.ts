import { Tables } from '../operate/tables.js';
import type { Item } from '../record/index.js';
import { isPassiveBy } from '../registry/regions.js';
import type { ControlState, HeldCount } from '../store/operator-store.js';
import type { LeaseState, QueueState } from '../store/store.js';
import { toIso } from '../support/clock.js';
import type { OverviewDeps } from './deps.js';
import { knownQueues } from './known-queues.js';
import { byExpiry } from './lost-runs.js';
import { countAll, entriesFor, type KnownFacts, lookAt, type OverviewStats } from './queue-counts.js';
import type { RuntimeKnowledge } from './runtime.js';
import { Serving } from './serving.js';

/** Counts of all queues, as they were read at one time. */
export interface Counts {
  /** The counts of each queue. */
  readonly stats: OverviewOfQueues;
  /** Live leases by key: a queue, one of its lanes, or one of its tiers. */
  readonly leases: ReadonlyMap<string, LeaseState>;
  /** Leases by key that have run out, and that no run has given back or taken over. Default: not known. */
  readonly expired?: ReadonlyMap<string, LeaseState> | undefined;
  /** The latest success by the key of a lease or by queue, the backlog's time, epoch milliseconds. Default: not known. */
  readonly successes?: ReadonlyMap<string, number> | undefined;
  /** The items of the queues in the control table. */
  readonly states: ReadonlyMap<string, QueueState>;
  /** Lines that are held, by queue. Default: not known. */
  readonly heldLines?: ReadonlyMap<string, HeldCount> | undefined;
  /** The items of the jobs, by id. Default: not known. */
  readonly jobs?: ReadonlyMap<string, Item> | undefined;
  /** The queues that no rule serves. Default: not known. */
  readonly serving?: Serving | undefined;
  /** Another region attempts the records. */
  readonly passive?: PassiveRegion | undefined;
  /** Real time, epoch milliseconds. */
  readonly readAt: number;
  /** The read units that the counts have cost. */
  readonly readUnits: number;
}

/** A region in which no record is attempted. */
export interface PassiveRegion {
  /** The region in which the tables were read. */
  readonly region: string;
  /** The region that attempts them. */
  readonly active: string;
}

/** Queues at one time. */
export interface OverviewOfQueues {
  /** The backlog's time, ISO-8601. */
  readonly at: string;
  /** The queues in alphabetical order of their names. */
  readonly queues: readonly OverviewStats[];
}

/** The newest counts, and why there are no newer ones. */
export interface LatestCounts {
  /** The newest counts. Undefined: they could never be read. */
  readonly counts: Counts | undefined;
  /** The error of the last read, if it failed. */
  readonly error: unknown;
}

/** Counts of the whole index, in place of a look that costs the same however much waits. */
export interface ExactCounts {
  /** The queues that are counted. Default: all that are known. */
  readonly queues?: readonly string[] | undefined;
}

const DEFAULT_MS = 5_000;
/** Counts that have cost much are handed out for longer, so that a page that stays open costs at most 100 read units a second. */
const MS_PER_READ_UNIT = 10;
/** However much they have cost, an operator sees what is no older than that. */
const MAX_MS = 60_000;
/** Most index entries that are read on the local runtime, where they cost nothing. */
const MAX_LOCAL_ENTRIES = 10_000;

/**
 * Reads the counts of all queues when a page asks for them, and hands out the same ones for some seconds: ten browsers cost as much as
 * one. Counts that have cost much are handed out for up to a minute. Requests at the same time share one read.
 */
export class CountsReader {
  private readonly tables: Tables;
  private latest: LatestCounts = { counts: undefined, error: undefined };
  private triedAt = Number.NEGATIVE_INFINITY;
  private shownForMs = 0;
  private reading: Promise<LatestCounts> | undefined;

  /**
   * @param patience default: what DynamoDB throttles or does not answer is repeated for half a minute; aborted: never
   * @param exact counts the whole index, at a cost that grows with what waits. Default: the beginning of each queue
   */
  constructor(
    private readonly deps: OverviewDeps,
    private readonly patience?: AbortSignal,
    private readonly exact?: ExactCounts,
  ) {
    this.tables = new Tables(deps.backlog);
  }

  /** Reads the counts, or hands out the latest ones. Never throws: a page shows what is known, and what went wrong. */
  async read(): Promise<LatestCounts> {
    const age = this.tables.clock.wall() - this.triedAt;
    if (age >= 0 && age < this.shownForMs) return this.latest;
    this.reading ??= this.readNow().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  /** The latest counts, which are not read for this. */
  known(): LatestCounts {
    return this.latest;
  }

  /** Makes the next page read again, as after an action. */
  forget(): void {
    this.triedAt = Number.NEGATIVE_INFINITY;
  }

  private async readNow(): Promise<LatestCounts> {
    const usualMs = this.deps.countsForMs ?? DEFAULT_MS;
    try {
      const { store, units } = this.tables.open();
      const patiently = this.tables.patiently(this.patience);
      const control = await patiently(() => store.control.read(this.exact && 'strong'));
      const { queues: states, leases: held, readings } = control;
      const app = this.deps.queues?.();
      const { settings, deployed } = knownQueues(control, { app, deployed: this.deps.deployed });
      const named = queuesWithRecords(this.deps);
      const all = this.exact?.queues ?? [...settings.keys(), ...named];
      const names = [...new Set(all)].sort();
      const { clock } = this.tables;
      const now = clock.now();
      const entries = entriesFor(names.length, this.deps.runtime ? MAX_LOCAL_ENTRIES : undefined);
      const look = { store, patiently, now, entries };
      const factsOf = (name: string): KnownFacts => ({
        state: states.get(name) ?? NEVER_SERVED,
        item: readings.get(name),
        ...settings.get(name),
      });
      const queues = this.exact
        ? await oneByOne(names, (name) => countAll(name, factsOf(name), look))
        : await Promise.all(names.map((name) => lookAt(name, factsOf(name), look)));
      const { leases, expired } = byExpiry(held, clock);
      const { readUnits } = units();
      this.latest = {
        counts: {
          stats: { at: toIso(now), queues },
          leases,
          expired,
          states,
          successes: control.successes,
          heldLines: control.heldLines,
          jobs: control.jobs,
          serving: new Serving(
            app
              ? { app: app.map(({ name }) => name) }
              : { registry: control.registry, states, deployed, now },
          ),
          passive: passiveIn(control, await this.tables.region(), now),
          readAt: clock.wall(),
          readUnits,
        },
        error: undefined,
      };
      this.shownForMs = Math.max(usualMs, Math.min(readUnits * MS_PER_READ_UNIT, MAX_MS));
    } catch (error) {
      this.latest = { counts: this.latest.counts, error };
      this.shownForMs = usualMs;
    }
    this.triedAt = this.tables.clock.wall();
    return this.latest;
  }
}

/** Queues of records that wait or are dead, as a local runtime has counted them: also queues that the app does not have. */
function queuesWithRecords({
  runtime,
  backlog,
}: {
  readonly runtime?: Pick<RuntimeKnowledge, 'status'> | undefined;
  readonly backlog: Pick<OverviewDeps['backlog'], 'table'>;
}): string[] {
  const queues = runtime?.status().queues ?? [];
  return queues
    .filter(({ table, NEW, ERROR, DEAD }) => table === backlog.table && NEW + ERROR + DEAD > 0)
    .map(({ name }) => name);
}

/** A count of a whole queue makes many requests at once. */
async function oneByOne<Counted>(names: readonly string[], count: (name: string) => Promise<Counted>) {
  const counted: Counted[] = [];
  for (const name of names) counted.push(await count(name));
  return counted;
}

const NEVER_SERVED: QueueState = { paused: false, tiers: new Map(), breakers: new Map() };

function passiveIn(
  { registry: { primaryRegion }, activeRegion }: ControlState,
  region: string | undefined,
  now: number,
): PassiveRegion | undefined {
  const isPassive = isPassiveBy(activeRegion, { region, primaryRegion }, now);
  if (!isPassive || region === undefined) return undefined;
  return { region, active: activeRegion?.region ?? primaryRegion ?? '' };
}
