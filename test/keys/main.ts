import { Command, Option } from 'commander';
import { type Played, play } from '../../tools/src/lab/keys/play.js';
import { type Delays, type Report, reportOf } from '../../tools/src/lab/keys/report.js';
import { CAPACITY } from '../../tools/src/lab/keys/workloads.js';
import { seededRandom } from '../simulation/random.js';
import { alone } from './alone.js';
import { BY_NUMBER } from './by-number.js';
import { capacityOf } from './capacity.js';

const say = (line: string) => process.stdout.write(`${line}\n`);

interface Options {
  readonly workload: string;
  readonly scale: number;
  readonly fairness?: true;
  readonly concurrencyPerKey?: number;
  readonly attemptsPerSecondPerKey?: number;
  readonly seed: number;
  readonly batches: number;
  readonly capacity: number;
  readonly plays: number;
  readonly json?: true;
  readonly undisturbed: boolean;
}

/** `npm run keys -- --workload W1 --scale 0.1 [--fairness]`: plays a workload and prints what became of its keys. */
async function main(options: Options): Promise<void> {
  const { workload: name, scale, fairness, concurrencyPerKey, seed, batches, capacity, plays } = options;
  const { json, undisturbed } = options;
  const { attemptsPerSecondPerKey } = options;
  const settings = {
    ...(fairness && { fairness }),
    ...(concurrencyPerKey && { concurrencyPerKey }),
    ...(attemptsPerSecondPerKey && { attemptsPerSecondPerKey }),
  };
  const load = { settings, seed, batches };
  if (name === 'capacity') return void say(`${await capacityOf(load, say)} records a second`);
  const make = BY_NUMBER[name];
  if (!make) throw new Error(`expected one of ${Object.keys(BY_NUMBER).join(', ')}, got ${name}`);
  const workloadOf = (seed: number) => make({ scale, capacity, random: seededRandom(seed) });
  const played: Played[] = [];
  for (let own = seed; own < seed + plays; own++)
    played.push(await play(workloadOf(own), { ...load, seed: own }));
  const reports = {
    ...(undisturbed ? { undisturbed: reportOf([await play(alone(workloadOf(seed)), load)]) } : {}),
    disturbed: reportOf(played),
  };
  if (json) return void say(JSON.stringify(reports));
  for (const [title, report] of Object.entries(reports)) tell(`${name} x${scale}, ${title}`, report);
}

function tell(title: string, report: Report): void {
  const { quiet, quietInNoise, quietIndexed, quietRetries, noisy, noisyAttempted, noisySucceeded } = report;
  const { perSecond, share } = report;
  say(title);
  say(`  first attempt, quiet keys  ${delays(quiet)}`);
  say(`  from it to the second      ${delays(quietRetries)}`);
  if (noisy.records > 0) {
    say(`    put while noise came     ${delays(quietInNoise)}`);
    say(`    ${quietIndexed.part} of these were indexed first, after ${quietIndexed.seconds} s`);
    say(`  first attempt, noisy keys  ${delays(noisy)}`);
    say(
      `  noisy: last first attempt ${seconds(noisyAttempted)} s, last success ${seconds(noisySucceeded)} s`,
    );
  }
  say(`  records a second ${perSecond}, share of the quiet keys ${share} of an equal one`);
  say(`  writes a record ${report.writesPerRecord}: ${list(report.writes)}`);
  say(
    `  attempts a record ${report.attemptsPerRecord}, of one key at once ${report.mostOfKey}; runs: ${list({ ...report.runs })}`,
  );
  say(`  ends: ${list(report.ends)}`);
  if (Object.keys(report.lines).length > 0) say(`  log: ${list(report.lines)}`);
  say(`  CPU ${report.cpuSeconds} s`);
}

function delays({ records, p50, p95, p99, max }: Delays): string {
  return `${[p50, p95, p99, max].map(seconds).join(' / ')} s (${records} records)`;
}

function seconds(value: number): string {
  if (!Number.isFinite(value)) return 'never';
  return value < 10 ? value.toFixed(2) : value.toFixed(0);
}

function list(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

main(
  new Command('keys')
    .addOption(new Option('--workload <name>', 'W1 to W5, W7 to W9, or capacity').default('W1'))
    .addOption(new Option('--scale <part>', 'part of the noisy records').argParser(Number).default(0.1))
    .addOption(new Option('--fairness', 'the queue has fairness: true'))
    .addOption(new Option('--concurrency-per-key <number>', 'attempts of one key at once').argParser(Number))
    .addOption(new Option('--attempts-per-second-per-key <number>', 'of one key').argParser(Number))
    .addOption(new Option('--seed <number>', 'of the random numbers').argParser(Number).default(1))
    .addOption(
      new Option('--batches <number>', 'batches of the stream at a time').argParser(Number).default(10),
    )
    .addOption(
      new Option('--capacity <rate>', 'records a second, for W3').argParser(Number).default(CAPACITY),
    )
    .addOption(new Option('--plays <count>', 'with other random numbers each').argParser(Number).default(1))
    .addOption(new Option('--no-undisturbed', 'does not play the quiet keys alone as well'))
    .addOption(new Option('--json', 'prints JSON; null: never'))
    .parse()
    .opts<Options>(),
).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
