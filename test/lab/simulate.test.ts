import { describe, expect, it } from 'vitest';
import { type RetryPolicy, resolvePolicy } from '../../src/policies/index.js';
import type { Scenario } from '../../tools/src/lab/scenario.js';
import { simulate } from '../../tools/src/lab/simulate.js';

const HOUR = 3_600_000;
/** Due 5 minutes after the end of an attempt: the rule of the fifth minute is the nearest. */
const FIVE_MINUTES: RetryPolicy = { type: 'constant', jitter: 'none' };

const played = async (policy: RetryPolicy, scenario: Partial<Scenario> = {}) =>
  (await simulated(policy, scenario)).result;

const simulated = (policy: RetryPolicy, scenario: Partial<Scenario> = {}) =>
  simulate({ policy: resolvePolicy(policy) }, scenarioOf(scenario));

const scenarioOf = (scenario: Partial<Scenario>): Scenario => ({
  records: 10,
  failingShare: 0,
  attemptMs: 50,
  concurrency: 10,
  tickSeconds: 60,
  horizonMs: 7 * 24 * HOUR,
  seed: 1,
  ...scenario,
});

describe('a simulation of a progressive queue', () => {
  const tiers = [
    { every: 300, untilAge: 3600 },
    { every: 1800, untilAge: 7200 },
    { every: 3600, untilAge: 20 * 3600 },
  ];
  const onTiers = (scenario: Partial<Scenario>) =>
    simulate(
      { policy: resolvePolicy({ type: 'progressive', tiers, maxAge: 20 * 3600 }), tiers },
      scenarioOf(scenario),
    );

  it('attempts as its rules fire, tier by tier', async () => {
    const { result, perMinute } = await onTiers({ records: 3, outage: { fromMs: 0, toMs: 5.5 * HOUR } });
    const minutes = perMinute.map(({ minute }) => minute);
    // Every 5 minutes for an hour, the half hours of the second, and then every hour until it works.
    expect(minutes).toEqual([0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 90, 120, 180, 240, 300, 360]);
    expect(result).toMatchObject({
      attempts: 3 * 19,
      succeeded: 3,
      dead: 0,
      drainedSeconds: 6 * 3600 + 0.05,
    });
  });

  it('gives up what is older than the greatest age', async () => {
    const { result } = await onTiers({ records: 2, failingShare: 1 });
    expect(result).toMatchObject({ dead: 2, open: 0, oldestAgeSeconds: 20 * 3600 + 300 });
  });

  it('attempts a record that comes between two rules at the next', async () => {
    const { perMinute } = await onTiers({ records: 2, recordsPerSecond: 1 / 400 });
    expect(perMinute).toEqual([
      { minute: 0, attempts: 1, wasted: 0 },
      { minute: 10, attempts: 1, wasted: 0 },
    ]);
  });
});

describe('a simulation', () => {
  it('ends with every record, where nothing fails', async () => {
    expect(await played(FIVE_MINUTES)).toEqual({
      records: 10,
      succeeded: 10,
      dead: 0,
      open: 0,
      attempts: 10,
      wastedAttempts: 0,
      countedFailures: 0,
      peakPerSecond: 10,
      peakPer10Seconds: 10,
      peakPerMinute: 10,
      retryPeakPerSecond: 0,
      retryPeakPer10Seconds: 0,
      retryPeakPerMinute: 0,
      indexOfDispersion: null,
      meanDeviation: null,
      greatestDeviation: null,
      drainedSeconds: 0.05,
      oldestAgeSeconds: 0.05,
    });
  });

  it('of an outage of an hour has an attempt every five minutes, and one behind it', async () => {
    const windows = 3600 - 300 + 1;
    expect(await played(FIVE_MINUTES, { outage: { fromMs: 0, toMs: HOUR } })).toEqual({
      records: 10,
      succeeded: 10,
      dead: 0,
      open: 0,
      attempts: 130,
      wastedAttempts: 120,
      countedFailures: 120,
      peakPerSecond: 10,
      peakPer10Seconds: 10,
      peakPerMinute: 10,
      retryPeakPerSecond: 10,
      retryPeakPer10Seconds: 10,
      retryPeakPerMinute: 10,
      // A twelfth of the retries in each of twelve seconds of all.
      indexOfDispersion: expect.closeTo(10 - 120 / windows, 9),
      meanDeviation: expect.closeTo(1 - 299.95 / 300, 9),
      greatestDeviation: expect.closeTo(1 - 299.95 / 300, 9),
      drainedSeconds: 3600.05,
      oldestAgeSeconds: 3600.05,
    });
  });

  it('knows when the last record came back that had failed, while others go on coming', async () => {
    const scenario = { records: 60, recordsPerSecond: 1 / 60, outage: { fromMs: 600_000, toMs: 1_200_000 } };
    const { result, lastRecoveryMs = 0 } = await simulated(FIVE_MINUTES, scenario);
    expect(result.succeeded).toBe(60);
    expect(result.drainedSeconds).toBeGreaterThan(3500);
    // The last one failed in the outage's last minute, and is due five minutes later.
    expect(lastRecoveryMs / 60_000).toBeGreaterThanOrEqual(23);
    expect(lastRecoveryMs / 60_000).toBeLessThan(26);
    expect((await simulated(FIVE_MINUTES)).lastRecoveryMs).toBeUndefined();
  });

  it('counts the attempts and the wasted ones of every minute that has any', async () => {
    const { perMinute } = await simulated(FIVE_MINUTES, { outage: { fromMs: 0, toMs: 400_000 } });
    expect(perMinute).toEqual([
      { minute: 0, attempts: 10, wasted: 10 },
      { minute: 5, attempts: 10, wasted: 10 },
      { minute: 10, attempts: 10, wasted: 0 },
    ]);
  });

  it('spares those that come before the outage or behind it', async () => {
    const at = (fromMs: number, toMs: number) => played(FIVE_MINUTES, { outage: { fromMs, toMs } });
    expect((await at(1, HOUR)).wastedAttempts).toBe(0);
    expect((await at(0, 300_000)).wastedAttempts).toBe(10);
    expect((await at(0, 300_001)).wastedAttempts).toBe(20);
  });

  it('without a second try ends at the first', async () => {
    const result = await played({ type: 'none' }, { outage: { fromMs: 0, toMs: 1 } });
    expect(result).toMatchObject({ attempts: 10, wastedAttempts: 10, succeeded: 0, dead: 10, open: 0 });
    expect(result).toMatchObject({ drainedSeconds: null, oldestAgeSeconds: 0.05 });
  });

  it('has the destination refuse what is above its capacity, second by second', async () => {
    const result = await played(FIVE_MINUTES, { capacityPerSecond: 3 });
    // 3 of 10, 3 of 7, 3 of 4, and the last.
    expect(result).toMatchObject({ attempts: 10 + 7 + 4 + 1, succeeded: 10, drainedSeconds: 3 * 300 + 0.05 });
    expect((await played(FIVE_MINUTES, { capacityPerSecond: 10 })).wastedAttempts).toBe(0);
  });

  it('has a share that never succeeds, to the record, and stops at the horizon', async () => {
    const result = await played(FIVE_MINUTES, { failingShare: 0.3, horizonMs: HOUR });
    // At 0, and three of them at minutes 5, 10 .. 55.
    expect(result).toMatchObject({ attempts: 10 + 11 * 3, wastedAttempts: 36, succeeded: 7, open: 3 });
    expect(result).toMatchObject({ drainedSeconds: 0.05, oldestAgeSeconds: 3600 });
    const limited = await played({ ...FIVE_MINUTES, maxAttempts: 4 }, { failingShare: 0.3 });
    expect(limited).toMatchObject({
      attempts: 10 + 3 * 3,
      dead: 3,
      open: 0,
      oldestAgeSeconds: 3 * 300 + 0.05,
    });
  });

  it('is not drained while a record that can succeed is open', async () => {
    const half = await played(FIVE_MINUTES, { capacityPerSecond: 1, horizonMs: HOUR / 2 });
    expect(half).toMatchObject({ succeeded: 6, open: 4, drainedSeconds: null, oldestAgeSeconds: 1800 });
    const all = await played(FIVE_MINUTES, { capacityPerSecond: 1, horizonMs: HOUR });
    expect(all).toMatchObject({ succeeded: 10, open: 0, drainedSeconds: 9 * 300 + 0.05 });
  });

  it('lets records come evenly, and wait for the rule', async () => {
    const result = await played(FIVE_MINUTES, { records: 120, recordsPerSecond: 2 });
    // The first at once, one of 0.5 s at the rule of the first minute, and those up to 59.5 s with it.
    expect(result).toMatchObject({ records: 120, attempts: 120, peakPerSecond: 119, peakPerMinute: 119 });
    expect(result).toMatchObject({ oldestAgeSeconds: 59.55, drainedSeconds: 60 + 12 * 0.05 });
  });

  it('waits for records to come where none is left', async () => {
    const result = await played(FIVE_MINUTES, { records: 2, recordsPerSecond: 0.001 });
    // The second comes at 1000 s, the rule at 1020.
    expect(result).toMatchObject({
      records: 2,
      succeeded: 2,
      drainedSeconds: 1020.05,
      oldestAgeSeconds: 20.05,
    });
  });

  it('goes on in a run that takes longer than a tick, while the rule fires as ever', async () => {
    const result = await played(FIVE_MINUTES, { records: 100, concurrency: 1, attemptMs: 2_000 });
    expect(result).toMatchObject({ attempts: 100, peakPerSecond: 1, peakPerMinute: 30, drainedSeconds: 200 });
  });

  it('lets the next run take over from one whose time is up', async () => {
    const result = await played(FIVE_MINUTES, { records: 400, concurrency: 1, attemptMs: 2_000 });
    expect(result).toMatchObject({ attempts: 400, wastedAttempts: 0, succeeded: 400 });
    // A function of 5 minutes begins no attempt in its last half minute; the rule of the next minute goes on.
    expect(result.drainedSeconds).toBeGreaterThan(800);
    expect(result.drainedSeconds).toBeLessThan(920);
  });

  it('keeps the pace of the queue', async () => {
    const result = await played(FIVE_MINUTES, { attemptsPerSecond: 2 });
    expect(result).toMatchObject({ attempts: 10, peakPerSecond: 2, drainedSeconds: 4.55 });
  });

  it('fires the rule as often as told', async () => {
    const outage = { fromMs: 0, toMs: 299_999 };
    const policy = { ...FIVE_MINUTES, interval: '20m' } as const;
    expect((await played(policy, { outage, tickSeconds: 1 })).drainedSeconds).toBe(1200.05);
    expect((await played(policy, { outage, tickSeconds: 3600 })).drainedSeconds).toBe(3600.05);
  });

  it('keeps a wait of less than a tick to the second', async () => {
    const outage = { fromMs: 0, toMs: 299_999 };
    const { drainedSeconds } = await played(FIVE_MINUTES, { outage, tickSeconds: 3600 });
    expect(drainedSeconds).toBeCloseTo(300.05, 0);
  });

  it('comes to the same from the same seed, and to something else from another', async () => {
    const outage = { fromMs: 0, toMs: HOUR / 6 };
    for (const type of ['fibonacci', 'window'] as const) {
      const of = (seed: number) => played({ type }, { records: 20, failingShare: 0.1, outage, seed });
      const one = JSON.stringify(await of(1));
      expect(JSON.stringify(await of(1)), type).toBe(one);
      expect(JSON.stringify(await of(2)), type).not.toBe(one);
    }
  });
});
