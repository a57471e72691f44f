import { Command, InvalidArgumentError, Option } from 'commander';
import { playGroupWorld } from '../groups/group-worlds.js';
import { playOrderWorld } from '../lines/order-worlds.js';
import { violationsOf } from './violations.js';
import type { Sabotage } from './world.js';

type Play = (seed: number) => Promise<readonly string[]>;

function runs(sabotage?: Sabotage, hasArrivals?: boolean, hasOperators?: boolean): Play {
  return (seed) => violationsOf(seed, sabotage, hasArrivals, hasOperators);
}

/** Every attribute of every record is overwritten, and handlers change what they get. */
const EDITED: Sabotage = { features: (features) => ({ ...features, edits: true, overwrites: true }) };

/** The worlds of each kind. Of those of runs the seed draws all properties that the kind does not set. */
const KINDS: Readonly<Record<string, Play>> = {
  default: runs(),
  edits: runs(EDITED),
  arrivals: runs(EDITED, true),
  operators: runs(EDITED, undefined, true),
  outages: runs({ hasOutage: true }),
  pending: runs({ hasPending: true }),
  batches: runs({ features: (features) => ({ ...features, batches: true }) }, true),
  keys: runs({ ...EDITED, hasKeys: true }, true),
  order: playOrderWorld,
  groups: playGroupWorld,
};
/** Worlds at once in this process: each waits for turns of the event loop. */
const AT_ONCE = 8;
const REPORT_EVERY = 500;

const say = (line: string) => process.stdout.write(`${line}\n`);

interface Options {
  readonly kind: string;
  readonly first: number;
  readonly count: number;
}

/** `npm run worlds -- --kind edits --first 1 --count 1000`: plays so many worlds and prints each violation. */
async function main({ kind, first, count }: Options): Promise<void> {
  const play = KINDS[kind] ?? runs();
  const startedAt = Date.now();
  let next = first;
  let played = 0;
  let bad = 0;
  const tell = (what: string) => {
    const each = (Date.now() - startedAt) / Math.max(1, played);
    say(`${what}: ${kind}, ${played} of ${count}, ${bad} with a violation, ${each.toFixed(0)} ms each`);
  };
  const playOne = async (seed: number): Promise<readonly string[]> => {
    try {
      return await play(seed);
    } catch (error) {
      return [`seed ${seed}: threw ${error instanceof Error ? error.stack : String(error)}`];
    }
  };
  const player = async () => {
    while (next < first + count) {
      const violations = await playOne(next++);
      if (violations.length > 0) bad++;
      for (const violation of violations.slice(0, 3)) say(violation);
      if (++played % REPORT_EVERY === 0) tell('so far');
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, player));
  tell('done');
  process.exitCode = bad > 0 ? 1 : 0;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('expected a whole number');
  return Number(text);
}

const program = new Command('worlds')
  .description('Plays simulated worlds; exits with 1 after a violation.')
  .addOption(new Option('--kind <kind>', 'kind of the worlds').choices(Object.keys(KINDS)).default('default'))
  .option('--first <seed>', 'seed of the first one', wholeNumber, 1)
  .option('--count <number>', 'number of worlds', wholeNumber, 1000);
await main(program.parse().opts<Options>());
