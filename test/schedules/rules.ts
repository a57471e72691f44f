import { backlogHandler } from '../../functions/index.js';
import type { QueuesSettings } from '../../functions/settings.js';
import { DEFAULT_TIERS, tierBands } from '../../src/policies/index.js';
import type { Process } from '../../src/worker/index.js';
import { context, workbench } from '../functions/support.js';

const FUNCTION_TIMEOUT_SECONDS = 300;

export interface Rule {
  readonly every: number;
  readonly input: unknown;
  /** False only where the store proves that nothing can be due. */
  mayHaveWork(): Promise<boolean>;
}

/** The rules of one queue, firing with their very inputs into the real handler, over a store in memory. */
export function queueUnderRules(queues: QueuesSettings, process: Process) {
  const [[queue = '', { retryMode = 'retry' } = {}] = []] = Object.entries(queues);
  const bench = workbench(queues, { logLevel: 'INFO' });
  const start = bench.clock.now();
  const handler = backlogHandler({ queue, process, ...bench.overrides });
  const bands = tierBands(DEFAULT_TIERS, FUNCTION_TIMEOUT_SECONDS);
  const anyYoungerThan = async (ageSeconds: number) => {
    const until = bench.clock.now();
    const from = until - ageSeconds * 1000;
    return (
      (await bench.store.pages.query({ lane: queue, from, until, order: 'newestFirst', limit: 1 })).keys
        .length > 0
    );
  };
  const rules: Rule[] =
    retryMode === 'perRecord'
      ? [
          {
            every: 60,
            input: { queue },
            mayHaveWork: () => anyYoungerThan(Number.MAX_SAFE_INTEGER / 1e6),
          },
        ]
      : bands.map((band, i) => ({
          every: band.every,
          input: { queue, tier: band, ...(i === 1 ? { catchUp: bands.slice(2) } : {}) },
          // Slower tiers note each run, idle ones included: skipping them would be noticed.
          mayHaveWork: () => (i === 0 ? anyYoungerThan(band.untilAge) : Promise.resolve(true)),
        }));

  return {
    ...bench,
    start,
    item: (id: string) => bench.store.items().find((item) => item.id === id),
    /** Lets the rules fire, each at its rate, for so long, or until `done`. */
    async pass(days: number, done: () => boolean): Promise<void> {
      const tickSeconds = Math.min(...rules.map(({ every }) => every));
      for (let second = 0; second <= days * 86_400 && !done(); second += tickSeconds) {
        bench.clock.advance((start + second * 1000 - bench.clock.now()) / 1000);
        for (const rule of rules) {
          if (second % rule.every === 0 && (await rule.mayHaveWork())) await handler(rule.input, context);
        }
      }
    },
  };
}
