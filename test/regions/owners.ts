import { type Random, randomToken } from '../../src/support/random.js';
import { nextOwners } from '../../tools/src/cli/owners/next-owners.js';
import { NO_TROUBLES } from '../../tools/src/lab/cloud/chaos.js';
import { NO_FAULTS } from '../simulation/actor.js';
import { between, chance, seededRandom } from '../simulation/random.js';
import { MINUTE_MS, makeScenario } from './scenario.js';
import type { Sabotage } from './site.js';
import { World } from './world.js';

const REGION = 'eu-central-1';
const COLOURS = ['blue', 'green'] as const;
const UNTIL_MS = 45 * MINUTE_MS;

/** The old owner's minute, the new one's, and the rule after it. */
const MAX_WAIT_MS = 180_000;

/** A world in which a queue is transferred between two stacks on the same tables, to and fro, while records come in. */
export class OwnersWorld {
  private readonly random: () => number;
  private readonly world: World;
  /** Nothing but transfers makes a record wait. */
  private readonly isCalm: boolean;
  private transfers = 0;

  constructor(seed: number, sabotage: Sabotage = {}) {
    const random = seededRandom(seed);
    this.random = random;
    this.isCalm = chance(random, 0.5);
    const busyAtMs = this.isCalm ? transfersApart(random) : transfersAtAnyTime(random);
    const made = makeScenario(random, { untilMs: UNTIL_MS, sites: 1, busyAtMs, isLong: false });
    const freeze = chance(random, 0.3) ? 0.002 : 0;
    const calm = { faults: NO_FAULTS, troubles: NO_TROUBLES, concurrency: 10 };
    const scenario = { ...made, ...(this.isCalm ? calm : { faults: { ...made.faults, freeze } }) };
    this.world = new World({
      random,
      scenario: sabotage.scenario?.(scenario) ?? scenario,
      sabotage,
      sites: [
        {
          region: REGION,
          functions: COLOURS.map((name) => ({
            name,
            env: { BACKLOG_OWNER: name, BACKLOG_STANDBY: String(name === 'green') },
          })),
          env: {},
        },
      ],
      troubledMs: UNTIL_MS,
      // Its lease has run out meanwhile.
      isExcused: (_, actors) => actors.some(({ wasFrozen }) => wasFrozen),
    });
    for (const atMs of busyAtMs) this.world.time.after(atMs, () => void this.transfer());
  }

  async play(): Promise<readonly string[]> {
    const { world, isCalm } = this;
    await world.play(() => world.now > UNTIL_MS, 12 * 60 * MINUTE_MS);
    const { witness } = world;
    if (isCalm && witness.longestWaitMs > MAX_WAIT_MS)
      witness.report(
        `a record waited for ${witness.longestWaitMs / 1000} s, with ${this.transfers} transfers`,
      );
    return witness.violations;
  }

  /** Transfers the queue as `backlog transfer` does. */
  private async transfer(): Promise<void> {
    const [site] = this.world.sites;
    if (!site) return;
    const store = this.world.operatorTables(site);
    const registry = await store.registry.read();
    const to = COLOURS.find((colour) => colour !== registry.queues.get('q')?.owner) ?? 'blue';
    const { next } = nextOwners(registry, { queues: ['q'], from: undefined, to }, this.world.time.now);
    if (!next) return;
    await store.registry.write({ ...registry, rev: randomToken(this.random), queues: next }, registry.rev);
    this.transfers++;
  }
}

/** The next one when the queue is served again: waits do not add up. */
function transfersApart(random: Random): number[] {
  const count = between(random, 1, 6);
  const slotMs = UNTIL_MS / count;
  return Array.from({ length: count }, (_, i) => i * slotMs + between(random, 0, slotMs - 5 * MINUTE_MS));
}

function transfersAtAnyTime(random: Random): number[] {
  return Array.from({ length: between(random, 1, 6) }, () => between(random, 0, UNTIL_MS));
}
