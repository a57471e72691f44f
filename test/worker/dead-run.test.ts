import { describe, expect, it } from 'vitest';
import { endLostRun } from '../../src/leases/lost-run.js';
import type { BacklogRecord } from '../../src/record/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import type { BacklogStore } from '../../src/store/store.js';
import type { WatchedAttempts } from '../../src/worker/index.js';
import { Harness, type RunChoices, START, succeed, YOUNG } from './harness.js';

const THREE_MINUTES = 180;
/** Seconds until a report is heard, and the next run has begun. */
const REPORT_SECONDS = 2;
/** The time of an attempt, and what a watchdog adds to it. */
const BLOCKED_SECONDS = 36;

interface World extends RunChoices {
  readonly isPoison: (id: string) => boolean;
  /** Seconds from the beginning of a poison attempt to the end of its process. */
  readonly deathAfterSeconds: number;
  readonly isReported?: boolean;
}

/** A function that a rule starts every minute, on virtual time: Lambda reports its deaths, and the intake hears of them. */
class DyingFunction {
  readonly harness = new Harness();
  readonly attempts: string[] = [];
  private runs = 0;

  constructor(private readonly world: World) {}

  /** Runs of each minute. Returns when no record but the poison waits, in seconds. */
  async othersDone(): Promise<number> {
    const { harness } = this;
    for (let seconds = 0; ; seconds++) {
      if (seconds % 60 === 0) this.start();
      await harness.pass(1);
      const waiting = harness.store.items().filter(({ status }) => status !== 'SUCCESS');
      if (waiting.every(({ id }) => this.world.isPoison(String(id))))
        return (harness.time.now - START) / 1000;
      if (seconds > 3_600) throw new Error(`still waiting: ${waiting.map(({ id }) => id).join()}`);
    }
  }

  private start(): void {
    const { harness, world } = this;
    const { isPoison, deathAfterSeconds, isReported = true, ...choices } = world;
    const invocation = `request-${++this.runs}`;
    const process = mortal(harness.store);
    const attempt = async ({ id }: BacklogRecord) => {
      this.attempts.push(id);
      if (!isPoison(id)) return harness.sleep(0.2);
      harness.time.after(deathAfterSeconds * 1000, () => {
        process.die();
        if (isReported) harness.time.after(REPORT_SECONDS * 1000, () => void this.bury(invocation));
      });
      // What blocks its process lets no other attempt of it get on.
      if (deathAfterSeconds > 0) process.die();
      return new Promise<never>(() => {});
    };
    void harness.start(attempt, { ...choices, invocation, store: process.store });
  }

  private async bury(invocation: string): Promise<void> {
    const { band, shards } = this.world;
    const retryMode = band ? 'progressive' : 'perRecord';
    const tiers = band ? [band.number] : [];
    const queue = { queue: 'q', retryMode, shards, tiers, onArrival: false } as const;
    const { leases } = await endLostRun(invocation, [queue], this.harness);
    if (leases > 0) this.start();
  }
}

/** A store that answers nothing any more once its process is over. */
function mortal(store: BacklogStore) {
  let isOver = false;
  const ending = intercepted(store, async (_, call) => {
    const answer = isOver ? undefined : await call();
    return isOver ? new Promise(() => {}) : answer;
  });
  return {
    store: ending,
    die: () => {
      isOver = true;
    },
  };
}

function putTwelve({ harness }: DyingFunction): void {
  for (let i = 0; i < 12; i++) harness.put(`r${String(i).padStart(2, '0')}`);
}

describe('twelve records, of which one ends its process', () => {
  const isPoison = (id: string) => id === 'r04';

  it.each([
    ['ends it at once', 0, {}, 10],
    ['blocks it', BLOCKED_SECONDS, {}, 90],
    ['ends it at once, in a tier', 0, { band: YOUNG }, 10],
    ['blocks it, and attempts are made one at a time', BLOCKED_SECONDS, { concurrency: 1 }, 90],
  ])(
    'where it %s, the others are done within three minutes',
    async (_, deathAfterSeconds, choices, seconds) => {
      const lambda = new DyingFunction({ isPoison, deathAfterSeconds, ...choices });
      putTwelve(lambda);
      const took = await lambda.othersDone();
      expect(took).toBeLessThan(seconds);
      expect(took).toBeLessThan(THREE_MINUTES);
      expect(lambda.attempts.filter(isPoison)).toHaveLength(2);
      expect(lambda.harness.item('r04')).toMatchObject({ attempts: 1, lastError: { name: 'WorkerLost' } });
    },
  );

  it('and whose end is not reported, they wait for two leases', async () => {
    const lambda = new DyingFunction({ isPoison, deathAfterSeconds: 0, isReported: false });
    putTwelve(lambda);
    expect(await lambda.othersDone()).toBeGreaterThan(THREE_MINUTES);
  });

  it('and two of them, they are done within three minutes, too', async () => {
    const both = (id: string) => id === 'r04' || id === 'r07';
    const lambda = new DyingFunction({ isPoison: both, deathAfterSeconds: BLOCKED_SECONDS });
    putTwelve(lambda);
    expect(await lambda.othersDone()).toBeLessThan(THREE_MINUTES);
  });
});

describe('a watchdog', () => {
  /** The attempts that a run has its watchdog watch. */
  async function watched(
    count: number,
    choices: RunChoices = {},
    prepare: (harness: Harness) => unknown = () => {},
  ) {
    const harness = new Harness();
    await prepare(harness);
    for (let i = 0; i < count; i++) harness.put(`r${i}`);
    const all: WatchedAttempts[] = [];
    let underWatch = 0;
    const watchdog = {
      watch(attempts: WatchedAttempts) {
        all.push(attempts);
        underWatch++;
        return () => void underWatch--;
      },
    };
    await harness.run(succeed, { ...choices, watchdog });
    expect(underWatch).toBe(0);
    return all;
  }

  it('watches the attempts of a page for their time, as the others wait for each of them', async () => {
    const [page, ...more] = await watched(3, { attemptTimeout: 20 });
    expect(page).toMatchObject({ queue: 'q', seconds: 20, othersWait: true });
    // A read of several records has no order.
    expect([...(page?.ids ?? [])].sort()).toEqual(['r0', 'r1', 'r2']);
    expect(more).toEqual([]);
  });

  it('learns that no other record waits for the only one of a page', async () => {
    expect(await watched(1)).toMatchObject([{ ids: ['r0'], othersWait: false }]);
  });

  it('learns that the others wait for each suspect, which is attempted alone', async () => {
    const lost = { holder: 'lost', until: START - 70_000, ids: ['s1', 's2'], rev: 'unwritten' };
    const all = await watched(1, {}, (harness) => {
      for (const id of lost.ids) harness.put(id);
      return harness.store.leases.hold('q', lost);
    });
    expect(all.map(({ ids, othersWait }) => [ids.join(), othersWait])).toEqual([
      ['s1', true],
      ['s2', true],
      ['r0', false],
    ]);
  });

  it('watches nothing in an idle run', async () => {
    expect(await watched(0)).toEqual([]);
  });
});
