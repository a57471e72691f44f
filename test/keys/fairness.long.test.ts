import { describe, expect, it } from 'vitest';
import { play } from '../../tools/src/lab/keys/play.js';
import { type Report, reportOf } from '../../tools/src/lab/keys/report.js';
import { CAPACITY, type Making, type Workload } from '../../tools/src/lab/keys/workloads.js';
import { seededRandom } from '../simulation/random.js';
import { alone } from './alone.js';
import { BY_NUMBER } from './by-number.js';

/** A tenth of the records: delays behind a pile are a tenth of those in full, and those of a fair queue are the same. */
const SCALE = 0.1;
/** Seconds within which 99 % of the quiet keys' records have their first attempts while others have a pile. */
const GOAL = 1.5;

/** A tick, and the time in which a run begins and reads: retries may come so much later. */
const TICK = 65;

function workload(name: string, more: Partial<Making> = {}): Workload {
  const make = BY_NUMBER[name];
  if (!make) throw new Error(`there is no workload ${name}`);
  return make({ scale: SCALE, capacity: CAPACITY, random: seededRandom(1), ...more });
}

async function reportOn(load: Workload, fairness: boolean): Promise<Report> {
  return reportOf([await play(load, { settings: fairness ? { fairness } : {} })]);
}

const reportFor = (name: string, fairness: boolean) => reportOn(workload(name), fairness);

/** The quiet keys of a workload have their retries a tick later than undisturbed, at the latest. */
function expectRetries(disturbed: Report, undisturbed: Report): void {
  expect(disturbed.quietRetries.records).toBeGreaterThan(0);
  expect(disturbed.quietRetries.max).toBeLessThanOrEqual(undisturbed.quietRetries.max + TICK);
}

describe.each([
  ['one key with 10,000 records in six seconds', 'W1', 0.05],
  // Records that come before their key is known to be busy are moved: of a tenth of the records they are ten times the part.
  ['twenty keys with 1,000 records each', 'W2', 0.15],
  ['a tenant with 5,000 records beside a hundred with one', 'W5', 0.08],
])('beside %s', (_, name, moreWrites) => {
  it('quiet keys wait for a second, where they wait for half a minute or more without fairness', async () => {
    const [fair, unfair] = [await reportFor(name, true), await reportFor(name, false)];
    expect(unfair.quietInNoise.p99).toBeGreaterThan(30);
    const undisturbed = await reportOn(alone(workload(name)), true);
    expect(fair.quietInNoise.p99).toBeLessThanOrEqual(Math.min(GOAL, 6 * undisturbed.quiet.p99));
    expectRetries(fair, undisturbed);
    expect(fair.noisyAttempted).toBeLessThanOrEqual(1.2 * unfair.noisyAttempted);
    expect(fair.writesPerRecord).toBeLessThanOrEqual(unfair.writesPerRecord + moreWrites);
  });
});

it('a key whose destination hangs keeps no other one from its attempts', async () => {
  const [fair, unfair] = [await reportFor('W4', true), await reportFor('W4', false)];
  expect(unfair.quietInNoise.p99).toBe(Number.POSITIVE_INFINITY);
  expect(fair.quietInNoise.p50).toBeLessThanOrEqual(1);
  expect(fair.quietInNoise.p99).toBeLessThanOrEqual(GOAL);
  expectRetries(fair, await reportOn(alone(workload('W4')), true));
});

describe.each([
  ['hangs', 'W8'],
  ['succeeds after 28 s', 'W9'],
])('beside one key whose every attempt %s', (_, name) => {
  it.each([0.5, 2])('quiet keys wait for a second, with %f of its records a second', async (rate) => {
    const load = workload(name, { scale: 0.5, figures: { recordsEach: 600 * rate } });
    const fair = await reportOn(load, true);
    expect(fair.quietInNoise.p99).toBeLessThanOrEqual(GOAL);
    expectRetries(fair, await reportOn(alone(load), true));
  });

  it('quiet keys wait for half a minute or more without fairness', async () => {
    const unfair = await reportOn(workload(name, { scale: 0.5 }), false);
    expect(unfair.quietInNoise.p99).toBeGreaterThan(30);
  });
});

it('keys of very different sizes, at nine tenths of the capacity, lose no throughput', async () => {
  const load = workload('W3', { scale: 0.02 });
  const [fair, unfair] = [await reportOn(load, true), await reportOn(load, false)];
  expect(fair.quiet.p99).toBeLessThanOrEqual(5);
  expect(fair.perSecond).toBeGreaterThanOrEqual(0.98 * unfair.perSecond);
});

it('small piles beside a large one are through in a fraction of the time', async () => {
  const [fair, unfair] = [await reportFor('W7', true), await reportFor('W7', false)];
  expect(fair.quiet.p99).toBeLessThanOrEqual(unfair.quiet.p99 / 3);
});

it('nothing is written for fairness where no key is busy', async () => {
  const quiet = alone(workload('W1'));
  const writes = async (fairness: boolean) => (await reportOn(quiet, fairness)).writes;
  expect(await writes(true)).toEqual(await writes(false));
});
