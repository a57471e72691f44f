import type { RetryPolicy } from '../src/policies/index.js';
import { seededRandom } from '../test/simulation/random.js';
import { type Spread, spreadOf } from './spread-of.js';

const SIZES = (process.env.BENCH_RECORDS ?? '100,1000,100000').split(',').map(Number);
const SETS = Number(process.env.BENCH_SETS ?? 20);

const POLICIES: readonly [string, RetryPolicy][] = [
  ['none', { type: 'fibonacci', jitter: 'none' }],
  ['full', { type: 'fibonacci', jitter: 'full' }],
  ['equal', { type: 'fibonacci', jitter: 'equal' }],
  ['percent (10)', { type: 'fibonacci', jitter: 'percent' }],
  ['fixed phase (0.236)', { type: 'fibonacci' }],
  ['sidekiq', { type: 'sidekiq' }],
  ['buckets', { type: 'buckets' }],
  ['window', { type: 'window' }],
];

const print = (line: string) => process.stdout.write(`${line}\n`);

/** A table of docs/policies.md, as Markdown: means over several sets of ids. */
function printTable(records: number): void {
  print(
    `| ${records.toLocaleString('en-US')} at once | peak/s at 5 | at 10 | at 15 | dispersion at 10 | deviation, mean | idle | in order |`,
  );
  print('|---|---|---|---|---|---|---|---|');
  for (const [name, policy] of POLICIES) {
    const spreads = Array.from({ length: SETS }, (_, set) =>
      spreadOf(
        policy,
        Array.from({ length: records }, (_, i) => `set-${set}-order-${i}`),
        seededRandom(set + 1),
      ),
    );
    const mean = (of: (spread: Spread) => number) => spreads.reduce((sum, one) => sum + of(one), 0) / SETS;
    const peaks = [5, 10, 15].map((n) => mean(({ peakPerSecond }) => peakPerSecond.get(n) ?? 0).toFixed(1));
    const evenness = mean((one) => one.dispersion.get(10) ?? 0);
    const dispersion = Number.isNaN(evenness) ? '' : evenness.toFixed(2);
    const deviation = mean(({ meanDeviation }) => meanDeviation).toFixed(3);
    const idle = `${(100 * mean(({ idleShare }) => idleShare)).toFixed(1)} %`;
    const inOrder = spreads.every((one) => one.inOrder) ? 'yes' : 'no';
    print(`| ${[name, ...peaks, dispersion, deviation, idle, inOrder].join(' | ')} |`);
  }
}

for (const size of SIZES) {
  printTable(size);
  print('');
}
