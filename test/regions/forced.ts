import { beginIn } from '../../tools/src/cli/failover/move.js';
import type { Actor } from '../simulation/actor.js';
import { between, chance, seededRandom } from '../simulation/random.js';
import { MINUTE_MS, makeScenario } from './scenario.js';
import type { Sabotage } from './site.js';
import { REGIONS, sitesOf } from './two-regions.js';
import { World } from './world.js';

const [LOST, OTHER] = REGIONS;

/**
 * The time after which the lost region begins no more attempts, counted from when its replica has heard of the failover. Its
 * functions look up the active region once a minute. A run asks before each page, and begins its attempts within a minute.
 */
const STILL_ATTEMPTS_MS = 130_000;

export interface ForcedResult {
  readonly violations: readonly string[];
  /** Between the return of the region and the start of its last attempt by what it knew before. */
  readonly stillAttemptedMs: number;
  /** The same, since its replica has heard of the failover. Below zero: it did not attempt anything after that. */
  readonly sinceHeardMs: number;
  /** Records that were attempted again after their success. */
  readonly repeated: number;
}

/** A world in which the active region is lost, the other one is told to begin, and the lost one comes back. */
export class ForcedWorld {
  private readonly world: World;
  private readonly lostAtMs: number;
  private readonly beginsAfterMs: number;
  private readonly backAfterMs: number;
  /** Their last writes had not left the lost region. */
  private leftBehind: ReadonlySet<string> = new Set();
  /** Written or attempted in the lost region after its return, by what it knew before. */
  private readonly touched = new Set<string>();
  private state: 'well' | 'lost' | 'back' = 'well';
  private heardAt = Number.POSITIVE_INFINITY;
  private backAt = Number.POSITIVE_INFINITY;
  private isOver = false;
  private readonly hasOrder: boolean;

  constructor(seed: number, sabotage: Sabotage = {}) {
    const random = seededRandom(seed);
    this.lostAtMs = between(random, 5 * MINUTE_MS, 40 * MINUTE_MS);
    this.beginsAfterMs = between(random, 5_000, 5 * MINUTE_MS);
    this.backAfterMs =
      this.beginsAfterMs + between(random, 1_000, (chance(random, 0.5) ? 2 : 60) * MINUTE_MS);
    const busyAtMs = [this.lostAtMs, this.lostAtMs + this.backAfterMs];
    const scenario = makeScenario(random, { untilMs: 60 * MINUTE_MS, sites: 2, busyAtMs });
    const played = sabotage.scenario?.(scenario) ?? scenario;
    this.hasOrder = played.skipGapAfter !== undefined;
    this.world = new World({
      random,
      scenario: played,
      sabotage,
      sites: sitesOf(scenario),
      troubledMs: this.lostAtMs + this.backAfterMs + 10 * MINUTE_MS,
      isExcused: (id, actors) => this.isExcused(id, actors),
    });
  }

  async play(): Promise<ForcedResult> {
    const { world } = this;
    void this.operate();
    // The daily sweep finds records of lines that no event has reached.
    await world.play(() => this.isOver, (this.hasOrder ? 52 : 12) * 60 * MINUTE_MS);
    const { violations, startedAt, repeated } = world.witness;
    const last = Math.max(this.backAt, ...(startedAt.get(LOST) ?? []));
    const stillAttemptedMs = last - this.backAt;
    const sinceHeardMs = last - this.heardAt;
    if (sinceHeardMs > STILL_ATTEMPTS_MS)
      world.witness.report(
        `${LOST} began an attempt ${sinceHeardMs / 1000} s after it had heard of the failover`,
      );
    return { violations, stillAttemptedMs, sinceHeardMs, repeated: repeated.size };
  }

  private async operate(): Promise<void> {
    const { world } = this;
    const { time, replication } = world;
    const clock = time.clock();
    const [lost, other] = world.sites;
    if (!lost || !other) throw new Error('expected two regions');
    await clock.sleep(this.lostAtMs);
    this.leftBehind = lost.deps.replica.leftBehind();
    this.state = 'lost';
    replication.isStill = true;
    lost.goesDown();
    await clock.sleep(this.beginsAfterMs);
    const to = { name: OTHER, store: world.operatorTables(other) };
    await beginIn(to, LOST, { clock, say: () => {} });
    await clock.sleep(this.backAfterMs - this.beginsAfterMs);
    this.state = 'back';
    this.backAt = time.now;
    const { replica } = lost.deps;
    const { onOwnWrite } = replica;
    replica.onOwnWrite = (item, before) => {
      // A producer's own record is no write by old knowledge.
      if (before) this.touched.add(String(item.id));
      onOwnWrite(item, before);
    };
    replica.onRegion = () => {
      this.heardAt = Math.min(this.heardAt, time.now);
    };
    replication.goOn();
    lost.comesUp();
    this.isOver = true;
  }

  private isExcused(id: string, actors: readonly Actor[]): boolean {
    if (this.state === 'well') return false;
    if (this.leftBehind.has(id) || this.touched.has(id)) return true;
    const isOfLost = actors.some(({ name }) => name.includes(LOST));
    return this.state === 'back' && isOfLost;
  }
}
