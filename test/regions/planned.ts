import { type Moved, moveBetween } from '../../tools/src/cli/failover/move.js';
import { between, chance, seededRandom } from '../simulation/random.js';
import { MINUTE_MS, makeScenario } from './scenario.js';
import type { Sabotage } from './site.js';
import { REGIONS, sitesOf } from './two-regions.js';
import { World } from './world.js';

const HOUR_MS = 60 * MINUTE_MS;

/** One planned failover: what comes in between. */
interface Step {
  readonly atMs: number;
  /** The operator interrupts the command after so long. */
  readonly interruptedAfterMs: number | undefined;
  /** And repeats it after so long. Undefined: the other region begins by itself. */
  readonly repeatedAfterMs: number | undefined;
  /** Nothing is replicated for a while, so long after the command began. */
  readonly standstill: { readonly afterMs: number; readonly lengthMs: number } | undefined;
}

export interface PlannedResult {
  readonly violations: readonly string[];
  readonly ended: readonly Moved[];
}

/** A world in which an operator moves the work from region to region and back. */
export class PlannedWorld {
  readonly ended: Moved[] = [];
  private readonly random: () => number;
  private readonly world: World;
  private readonly steps: readonly Step[];
  private active = 0;
  private isOver = false;

  constructor(seed: number, sabotage: Sabotage = {}) {
    const random = seededRandom(seed);
    this.random = random;
    let atMs = 0;
    this.steps = Array.from({ length: between(random, 1, 4) }, () => {
      atMs += between(random, 5, 50) * MINUTE_MS;
      return this.makeStep(atMs);
    });
    const untilMs = 2 * HOUR_MS;
    const scenario = makeScenario(random, {
      untilMs,
      sites: 2,
      busyAtMs: this.steps.map((step) => step.atMs),
    });
    this.world = new World({
      random,
      scenario: sabotage.scenario?.(scenario) ?? scenario,
      sabotage,
      sites: sitesOf(scenario),
      isOnePlaceAtATime: true,
      troubledMs: 4 * HOUR_MS,
    });
  }

  async play(): Promise<PlannedResult> {
    const { world } = this;
    const operating = this.operate().then(() => {
      this.isOver = true;
    });
    await world.play(() => this.isOver, 12 * HOUR_MS);
    if (this.isOver) await operating;
    return { violations: world.witness.violations, ended: this.ended };
  }

  private makeStep(atMs: number): Step {
    const { random } = this;
    const isInterrupted = chance(random, 0.3);
    const stillAfterMs = chance(random, 0.5) ? 0 : between(random, 0, 5 * MINUTE_MS);
    // A region that begins by itself, as the operator has gone, does not look whether it has what the other one wrote last.
    const longestMs = (isInterrupted ? 20 : 60) * MINUTE_MS;
    return {
      atMs,
      interruptedAfterMs: isInterrupted ? between(random, 0, 6 * MINUTE_MS) : undefined,
      repeatedAfterMs: chance(random, 0.7) ? between(random, 0, 40 * MINUTE_MS) : undefined,
      standstill: chance(random, 0.3)
        ? { afterMs: stillAfterMs, lengthMs: between(random, MINUTE_MS, longestMs) }
        : undefined,
    };
  }

  private async operate(): Promise<void> {
    const { time } = this.world;
    const clock = time.clock();
    for (const step of this.steps) {
      await clock.sleep(Math.max(0, step.atMs - this.world.now));
      await this.bothAgree();
      const [from, to] = [this.active, 1 - this.active];
      const wasStill = this.world.replication.isStill;
      this.isFrozen(step);
      const interruptedAfterMs = wasStill ? undefined : step.interruptedAfterMs;
      let ended = await this.move(from, to, interruptedAfterMs);
      if (ended === 'interrupted' && step.repeatedAfterMs !== undefined) {
        await clock.sleep(step.repeatedAfterMs);
        ended = await this.move(from, to);
      }
      if (ended === 'moved' || ended === 'interrupted') this.active = to;
    }
  }

  /** No operator gives a command before the one before it is known everywhere. */
  private async bothAgree(): Promise<void> {
    const { sites, time } = this.world;
    const regionAt = async (site: (typeof sites)[number]) =>
      (await site.deps.replica.store.activeRegion.read())?.region ?? REGIONS[0];
    for (;;) {
      const reported = await Promise.all(sites.map(regionAt));
      if (reported.every((region) => region === REGIONS[this.active])) return;
      await time.clock().sleep(10_000);
    }
  }

  private async move(from: number, to: number, interruptedAfterMs?: number): Promise<Moved> {
    const { time } = this.world;
    const interrupted = new AbortController();
    if (interruptedAfterMs !== undefined) time.after(interruptedAfterMs, () => interrupted.abort());
    const deps = { clock: time.clock(), signal: interrupted.signal, say: () => {}, force: false };
    const ended = await moveBetween(this.region(from), this.region(to), deps);
    this.ended.push(ended);
    return ended;
  }

  private isFrozen({ standstill }: Step): void {
    const { time, replication } = this.world;
    if (!standstill) return;
    time.after(standstill.afterMs, () => {
      replication.isStill = true;
    });
    time.after(standstill.afterMs + standstill.lengthMs, () => replication.goOn());
  }

  private region(at: number) {
    const site = this.world.sites[at];
    if (!site) throw new Error(`no region ${at}`);
    return { name: REGIONS[at] ?? '', store: this.world.operatorTables(site) };
  }
}
