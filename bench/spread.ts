import type { RetryPolicy } from '../src/policies/index.js';
import { seededRandom } from '../test/simulation/random.js';
import { type Firings, firingsOf } from './firings-of.js';
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

/** Fibonacci's: every wait is a minute or more. */
const LEFT_TO_RULES = ['full', 'fixed phase (0.236)'];

const idsOf = (set: number, records: number) =>
  Array.from({ length: records }, (_, i) => `set-${set}-order-${i}`);
const print = (line: string) => process.stdout.write(`${line}\n`);

/** A table of docs/policies-mathematics.md, as Markdown: means over several sets of ids. */
function printTable(records: number): void {
  print(
    `| ${records.toLocaleString('en-US')} at once | peak/s at 5 | at 10 | at 15 | dispersion at 10 | deviation, mean | idle | in order |`,
  );
  print('|---|---|---|---|---|---|---|---|');
  for (const [name, policy] of POLICIES) {
    const spreads = Array.from({ length: SETS }, (_, set) =>
      spreadOf(policy, idsOf(set, records), seededRandom(set + 1)),
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

/** The other table: how many come with any one firing of a rule that fires every minute. */
function printFirings(records: number): void {
  print(
    `| ${records.toLocaleString('en-US')} at once | peak per firing at 5 | at 10 | at 15 | meet at 9 and at 10 | deviation, mean |`,
  );
  print('|---|---|---|---|---|---|');
  for (const [name, policy] of POLICIES.filter(([name]) => LEFT_TO_RULES.includes(name))) {
    const all = Array.from({ length: SETS }, (_, set) =>
      firingsOf(policy, idsOf(set, records), seededRandom(set + 1)),
    );
    const mean = (of: (firings: Firings) => number) => all.reduce((sum, one) => sum + of(one), 0) / SETS;
    const peaks = [5, 10, 15].map((n) =>
      Math.round(mean(({ peak }) => peak.get(n) ?? 0)).toLocaleString('en-US'),
    );
    const meet = `${(100 * mean(({ meetAgain }) => meetAgain.get(10) ?? 0)).toFixed(0)} %`;
    const deviation = mean(({ meanDeviation }) => meanDeviation).toFixed(3);
    print(`| ${[name, ...peaks, meet, deviation].join(' | ')} |`);
  }
}

printFirings(Math.max(...SIZES));
print('');
for (const size of SIZES) {
  printTable(size);
  print('');
}
