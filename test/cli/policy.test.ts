import { describe, expect, it } from 'vitest';
import { phaseOf } from '../../src/policies/index.js';
import { durationText } from '../../tools/src/cli/policy-table.js';
import { backlog } from './in-process.js';

const policy = (...args: string[]) => backlog('policy', ...args);

async function json(...args: string[]) {
  const { out, err } = await policy(...args, '--json');
  expect(err).toBe('');
  return JSON.parse(out);
}

const waits = (schedule: { waitSeconds: number }[]) => schedule.map(({ waitSeconds }) => waitSeconds);

/** The cells of a line of the table. */
const cells = (text: string, start: RegExp) =>
  text
    .split('\n')
    .find((line) => start.test(line))
    ?.trim()
    .split(/ {2,}/);

describe('backlog policy progressive', () => {
  const tiers = ['--set', 'tiers=[{"every":"1m","untilAge":"2m"},{"every":"1m","untilAge":"30d"}]'];

  it('shows all six tiers, and how often a record that always fails is attempted in each: 524 times in all', async () => {
    const { out } = await policy('progressive');
    expect(out.split('\n').slice(3)).toEqual([
      'TIER  EVERY  FROM AGE  UNTIL AGE  ATTEMPTS  TOTAL',
      '   1  5 min       0 s        1 d       289    289',
      '   2    1 h       1 d        7 d       144    433',
      '   3   12 h       7 d       14 d        14    447',
      '   4    1 d      14 d       30 d        16    463',
      '   5    4 d      30 d      180 d        38    501',
      '   6    8 d     180 d      360 d        23    524',
      'Dead at failure 524: expired (the next wait would pass the greatest age, 360 d).',
    ]);
  });

  it('is compared by its tiers too, as its first failures are all in the first one', async () => {
    const { out } = await policy('fibonacci', '--compare', 'progressive');
    expect(out).toMatch(/^ +15 [\s\S]*^2 progressive\nTIER [\s\S]*^ +6 +8 d .* 524$/m);
  });

  it('counts the attempts that the policy itself plays, the last one included', async () => {
    const { tiers: played, schedule, end } = await json('progressive', '--attempts', '1000');
    expect(end).toEqual({ reason: 'expired' });
    expect(played.reduce((sum: number, { attempts }: { attempts: number }) => sum + attempts, 0)).toBe(
      schedule.length + 1,
    );
    expect(played[5]).toEqual({
      everySeconds: 8 * 86_400,
      fromAgeSeconds: 180 * 86_400,
      untilAgeSeconds: 360 * 86_400,
      attempts: expect.any(Number),
    });
  });

  it('shows the failures below the tiers to those who ask for them', async () => {
    const { out } = await policy('progressive', '--attempts', '2');
    expect(out).toMatch(/^TIER [\s\S]*^FAILURE +WAIT[\s\S]*^ +2 +5 min/m);
  });

  it('says that a tier has more attempts than are counted', async () => {
    const { out } = await policy('progressive', ...tiers);
    expect(out).toMatch(/^ +1 +1 min +0 s +2 min +3 +3$/m);
    expect(out).toMatch(/^ +2 +1 min +2 min +30 d +> 10000 +-$/m);
  });
});

describe('backlog policy --json', () => {
  it('is the policy and its schedule, to the figure', async () => {
    expect(await json('fibonacci', '--set', 'jitter=none', '--attempts', '3')).toEqual({
      policy: { type: 'fibonacci', jitter: 'none' },
      schedule: [
        { failures: 1, waitSeconds: 60, minSeconds: 60, maxSeconds: 60, totalSeconds: 60 },
        { failures: 2, waitSeconds: 60, minSeconds: 60, maxSeconds: 60, totalSeconds: 120 },
        { failures: 3, waitSeconds: 120, minSeconds: 120, maxSeconds: 120, totalSeconds: 240 },
      ],
    });
  });

  it('has fifteen intervals of n^5 + 30 s', async () => {
    const { schedule } = await json('power', '--attempts', '15', '--set', 'jitter=none');
    expect(waits(schedule)).toEqual([
      30, 31, 62, 273, 1054, 3155, 7806, 16837, 32798, 59079, 100030, 161081, 248862, 371323, 537854,
    ]);
  });

  it('has ten windows that double', async () => {
    const { schedule } = await json('window', '--attempts', '10');
    const windows = schedule.map((row: { minSeconds: number; maxSeconds: number }) => [
      row.minSeconds,
      row.maxSeconds,
    ]);
    expect(windows).toEqual([
      [35, 70],
      [70, 140],
      [140, 280],
      [280, 560],
      [560, 1120],
      [1120, 2240],
      [2240, 4480],
      [4480, 8960],
      [8960, 17920],
      [17920, 35840],
    ]);
  });

  it('shows fifteen failures by default, and says why it ends before', async () => {
    expect((await json('constant')).schedule).toHaveLength(15);
    expect(await json('constant')).not.toHaveProperty('end');
    expect(await json('list')).toMatchObject({ schedule: { length: 3 }, end: { reason: 'maxAttempts' } });
    const { schedule, end } = await json('fibonacci', '--set', 'jitter=none', '--attempts', '10000');
    expect([schedule.length, end]).toEqual([27, { reason: 'expired' }]);
  });

  it('has the waits of one record, by the phase that its queue and id give it', async () => {
    const first = async (...args: string[]) =>
      (await json('fibonacci', '--set', 'jitter.type=phase', '--set', 'jitter.amplitude=0.236', ...args))
        .schedule[0].waitSeconds;
    const at = (u: number) => expect.closeTo(60 * (1 + 0.236 * (2 * u - 1)), 9);
    expect(await first('--id', 'order-7')).toEqual(at(phaseOf('order-7', 'default')));
    expect(await first('--id', 'order-7', '--queue', 'bulk')).toEqual(at(phaseOf('order-7', 'bulk')));
    expect(await first('--id', 'ü')).toEqual(at(phaseOf('ü', 'default')));
    expect(await first()).toBe(60);
  });

  it('draws the same from the same seed, whatever stands beside it', async () => {
    const alone = await json('sidekiq', '--seed', '7');
    expect(await json('sidekiq', '--seed', '7')).toEqual(alone);
    expect(await json('sidekiq', '--seed', '8')).not.toEqual(alone);
    const { policies } = await json('buckets', '--seed', '7', '--compare', 'sidekiq');
    expect(policies[1]).toEqual(alone);
  });

  it('takes settings as JSON and as text, dotted and nested', async () => {
    const { policy, schedule } = await json(
      'list',
      ...['waits=[10,20]', 'jitter=none', 'maxAttempts=6'].flatMap((one) => ['--set', one]),
      ...['afterwards.type=exponential', 'afterwards.base=3'].flatMap((one) => ['--set', one]),
    );
    expect(policy).toEqual({
      type: 'list',
      waits: [10, 20],
      jitter: 'none',
      maxAttempts: 6,
      afterwards: { type: 'exponential', base: 3 },
    });
    expect(waits(schedule)).toEqual([10, 20, 240, 360, 720]);
  });

  it('compares policies, each with its own settings', async () => {
    const own = '{"type":"fibonacci","unit":10,"maxAttempts":3}';
    const { policies } = await json('fibonacci', '--set', 'maxAttempts=5', '--compare', 'NoRetry', own);
    expect(policies.map(({ policy }: { policy: unknown }) => policy)).toEqual([
      { type: 'fibonacci', maxAttempts: 5 },
      { type: 'NoRetry' },
      { type: 'fibonacci', unit: 10, maxAttempts: 3 },
    ]);
    expect(policies.map(({ schedule }: { schedule: { waitSeconds: number }[] }) => waits(schedule))).toEqual([
      [60, 60, 120, 180],
      [],
      [10, 10],
    ]);
  });
});

describe('backlog policy, for people', () => {
  it('has a row for each failure, in human durations', async () => {
    const { code, out } = await policy('fibonacci', '--set', 'unit=70');
    expect(code).toBe(0);
    expect(cells(out, /FAILURE/)).toEqual(['FAILURE', 'WAIT', 'LEAST', 'GREATEST', 'TOTAL']);
    expect(cells(out, /^ +1 /)).toEqual(['1', '1 min 10 s', '53.5 s', '1 min 27 s', '1 min 10 s']);
    expect(out).toContain('{"type":"fibonacci","unit":70}');
    expect(out).toContain('amplitude 0.236');
  });

  it('names the record and its phase', async () => {
    const { out } = await policy('fibonacci', '--id', 'order-7', '--queue', 'orders');
    expect(out).toContain(
      `order-7 of queue orders, its phase u = ${phaseOf('order-7', 'orders').toFixed(3)}`,
    );
  });

  it.each([
    [['progressive'], 'By age: the interval of the tier that the failing record is in'],
    [['window'], 'the middle of what is drawn'],
    [['window', '--seed', '4'], 'drawn with seed 4'],
    [['constant', '--set', 'jitter=full'], 'Jitter full: the middle'],
    [['none'], 'Dead at failure 1: maxAttempts.'],
    [['LinearRetry'], 'Dead at failure 4: maxAttempts.'],
    [['constant', '--set', 'maxAge=600'], 'Dead at failure 3: expired (the next wait would pass'],
  ])('%j says: %s', async (args, expected) => {
    expect((await policy(...args)).out).toContain(expected);
  });

  it('puts policies side by side, down to the end of each', async () => {
    const { out } = await policy('constant', '--attempts', '5', '--compare', 'list', 'exponential');
    expect(cells(out, /FAILURE/)).toEqual([
      'FAILURE',
      '1 constant',
      'TOTAL',
      '2 list',
      'TOTAL',
      '3 exponential',
      'TOTAL',
    ]);
    expect(cells(out, /^ +3 /)).toEqual(['3', '5 min', '15 min', '25 min', '40 min', '7 min', '16 min']);
    expect(cells(out, /^ +4 /)).toEqual(['4', '5 min', '20 min', 'dead: maxAttempts', '11 min', '27 min']);
    expect(cells(out, /^ +5 /)).toEqual(['5', '5 min', '25 min', '19 min', '46 min']);
  });

  it('says that a queue without a record changes nothing', async () => {
    expect((await policy('fibonacci', '--queue', 'bulk')).err).toContain('--queue says nothing without --id');
  });

  it.each([
    [0, '0 s'],
    [53.2226, '53.2 s'],
    [59.97, '1 min'],
    [120, '2 min'],
    [4200, '1 h 10 min'],
    [273_600, '3 d 4 h'],
  ])('shows %d seconds as %s', (seconds, text) => expect(durationText(seconds)).toBe(text));
});

describe('backlog policy, used wrongly', () => {
  it.each([
    [['fibonaci'], /policy\.type: .*did you mean "fibonacci"\?/],
    [['fibonacci', '--set', 'unti=3'], /policy: unknown option "unti"; did you mean "unit"\?/],
    [['fibonacci', '--set', 'unit=soon'], /policy\.unit: expected seconds or a duration.*got "soon"/],
    [['fibonacci', '--set', 'jitter=fill'], /policy\.jitter.*"phase", "full"/],
    [['fibonacci', '--set', 'jitter.amplitude=0.2'], /policy\.jitter/],
    [['window', '--set', 'jitter=full'], /policy\.jitter: expected "none"/],
    [['fibonacci', '--set', 'unit'], /--set: expected key=value.*got "unit"/],
    [['fibonacci', '--set', 'unit='], /--set: expected key=value/],
    [['fibonacci', '--set', '__proto__.type=x'], /--set: expected key=value/],
    [['fibonacci', '--set', 'type=constant'], /--set type: the type is named in front/],
    [['fibonacci', '--set', 'unit=1', '--set', 'unit=2'], /--set unit: .* set already/],
    [
      ['fibonacci', '--set', 'jitter=none', '--set', 'jitter.type=full'],
      /--set jitter\.type: jitter is set already/,
    ],
    [
      ['fibonacci', '--set', 'jitter.type=full', '--set', 'jitter=none'],
      /--set jitter: jitter is set already/,
    ],
    [
      ['fibonacci', '--set', 'jitter={"type":"phase"}', '--set', 'jitter.amplitude=0.2'],
      /--set jitter\.amplitude: jitter is set already/,
    ],
    [['{"type":"fibonacci","maxAttempts":2}', '--set', 'maxAttempts=3'], /--set maxAttempts: .* set already/],
    [['{"type":'], /policy\.type: expected one of/],
    [['fibonacci', '--compare', 'exponental'], /did you mean "exponential"\?/],
  ])('%j is a usage error', async (args, expected) => {
    const { code, out, err } = await policy(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(expected);
  });

  it.each([
    [['fibonacci', '--attempts', '0'], /whole number from 1 to 10000/],
    [['fibonacci', '--attempts', '10001'], /whole number from 1 to 10000/],
    [['fibonacci', '--seed', '-1'], /whole number from 0/],
    [['fibonacci', '--compare'], /argument missing/],
    [[], /missing required argument 'type'/],
  ])('%j is refused before anything is looked at', async (args, expected) => {
    const { error, out, err } = await policy(...args);
    // main.ts ends with exit code 2 on these.
    expect(error).toMatchObject({ name: 'CommanderError', exitCode: 1 });
    expect(out).toBe('');
    expect(err).toMatch(expected);
  });
});
