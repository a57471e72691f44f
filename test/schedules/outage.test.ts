import { beforeAll, describe, expect, it } from 'vitest';
import { resolvePolicy } from '../../src/policies/index.js';
import { resolveBreaker } from '../../src/worker/index.js';
import { type Simulation, simulate } from '../../tools/src/lab/simulate.js';

/** The long tests play it with 20,000. */
const RECORDS = Number(process.env.OUTAGE_RECORDS ?? 1_000);
/** Failed attempts without a breaker, of a tenth of the records, as a multiple of those with one, of all records. */
const FRUITLESS_ATTEMPTS = RECORDS / 100;
const PACE = 20;
const OUTAGE_SECONDS = 3_600;

function outage(breaker: boolean, records: number): Promise<Simulation> {
  return simulate(
    { policy: resolvePolicy({ type: 'fibonacci' }) },
    {
      records,
      outage: { fromMs: 0, toMs: OUTAGE_SECONDS * 1000 },
      failingShare: 0,
      attemptMs: 50,
      concurrency: 10,
      attemptsPerSecond: PACE,
      breaker: resolveBreaker(breaker),
      tickSeconds: 60,
      horizonMs: 12 * 3_600_000,
      seed: 1,
    },
  );
}

describe(`after an outage of one hour with ${RECORDS} records waiting, at a pace of 20 a second, with a breaker`, () => {
  let simulation: Simulation;
  beforeAll(async () => {
    simulation = await outage(true, RECORDS);
  });

  it('no second ever has more attempts than the pace', () => {
    expect(simulation.result.peakPerSecond).toBe(PACE);
    expect(simulation.result.peakPer10Seconds).toBe(10 * PACE);
  });

  it('no failure was counted while the breaker was open, but one probe a minute', () => {
    const { perMinute, result } = simulation;
    const whileOpen = perMinute.filter(({ minute }) => minute > 0 && minute < 60);
    expect(whileOpen.map(({ attempts, wasted }) => [attempts, wasted])).toEqual(Array(59).fill([1, 1]));
    expect(result.countedFailures).toBe(10 + 59);
    expect(result.wastedAttempts).toBe(10 + 59);
  });

  it('all are done in the time that the pace allows to runs that begin attempts in 266 of 300 seconds', () => {
    const { succeeded, drainedSeconds } = simulation.result;
    expect(succeeded).toBe(RECORDS);
    expect(drainedSeconds).toBeLessThan(OUTAGE_SECONDS + (RECORDS / PACE) * (300 / 266));
  });

  it(`without one, a tenth of the records costs ${FRUITLESS_ATTEMPTS} times the failed attempts`, async () => {
    const { result } = await outage(false, RECORDS / 10);
    expect(result.wastedAttempts).toBeGreaterThan(FRUITLESS_ATTEMPTS * simulation.result.wastedAttempts);
    expect(result.countedFailures).toBe(result.wastedAttempts);
  });
});
