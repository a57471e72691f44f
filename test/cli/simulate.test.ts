import { describe, expect, it } from 'vitest';
import { backlog } from './in-process.js';

const simulate = (...args: string[]) => backlog('simulate', ...args);

async function json(...args: string[]) {
  const { code, out, err } = await simulate(...args, '--json');
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}

const CONSTANT = ['--policy', 'constant', '--set', 'jitter=none'];

describe('backlog simulate --json', () => {
  it('is the policy and its figures, not rounded', async () => {
    expect(await json(...CONSTANT, '--records', '10', '--outage', '0s-1h')).toEqual({
      policy: { type: 'constant', jitter: 'none' },
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
      indexOfDispersion: expect.closeTo(10 - 120 / 3301, 9),
      meanDeviation: expect.closeTo(1 - 299.95 / 300, 12),
      greatestDeviation: expect.closeTo(1 - 299.95 / 300, 12),
      drainedSeconds: 3600.05,
      oldestAgeSeconds: 3600.05,
    });
  });

  it('is the same twice, and another with another seed', async () => {
    const args = ['--policy', 'window', '--records', '20', '--outage', '0s-30m', '--failing', '0.1'];
    const limited = [...args, '--horizon', '6h'];
    const { out } = await simulate(...limited, '--json');
    expect((await simulate(...limited, '--json', '--seed', '1')).out).toBe(out);
    expect((await simulate(...limited, '--json', '--seed', '2')).out).not.toBe(out);
  });

  it('compares policies on the same records with the same fates, whatever stands beside them', async () => {
    const scenario = ['--records', '40', '--outage', '10s-30m', '--failing', '0.25', '--horizon', '2h'];
    const { policies } = await json(...CONSTANT, ...scenario, '--compare', 'sidekiq', '{"type":"none"}');
    expect(policies.map(({ policy }: { policy: unknown }) => policy)).toEqual([
      { type: 'constant', jitter: 'none' },
      { type: 'sidekiq' },
      { type: 'none' },
    ]);
    expect(policies.map(({ succeeded }: { succeeded: number }) => succeeded)).toEqual([30, 30, 30]);
    expect(policies[1]).toEqual(await json('--policy', 'sidekiq', ...scenario));
  });

  it('has 1,000 records at once under Fibonacci, if nothing is said', async () => {
    expect(await json()).toMatchObject({ policy: { type: 'fibonacci' }, records: 1000, attempts: 1000 });
  });

  it.each([
    [['--rate', '0.5', '--for', '1m'], { records: 30, attempts: 30 }],
    [['--records', '10', '--capacity', '3'], { attempts: 22, wastedAttempts: 12 }],
    [['--records', '10', '--failing', '1', '--max-attempts', '3'], { attempts: 30, dead: 10 }],
    [
      ['--records', '10', '--failing', '1', '--set', 'maxAttempts=2', '--max-attempts', '3'],
      { attempts: 20 },
    ],
    [['--records', '10', '--failing', '1', '--horizon', '5m'], { attempts: 10, open: 10 }],
    [['--records', '10', '--attempt-ms', '200', '--concurrency', '5'], { drainedSeconds: 0.4 }],
    [['--records', '10', '--attempts-per-second', '2'], { peakPerSecond: 2, drainedSeconds: 4.55 }],
    [['--records', '1', '--outage', '0s-1s', '--tick', '7s'], { drainedSeconds: 301.05 }],
  ])('%j comes to %j', async (args, expected) => {
    expect(await json(...CONSTANT, ...args)).toMatchObject(expected);
  });
});

describe('backlog simulate, for people', () => {
  it('has a row for each figure, and says what was played', async () => {
    const { code, out } = await simulate(...CONSTANT, '--records', '10', '--outage', '0s-1h');
    expect(code).toBe(0);
    expect(out).toContain('{"type":"constant","jitter":"none"}');
    expect(out).toContain('10 records at once; outage from 0 s to 1 h; attempts of 50 ms, 10 at once;');
    expect(out).toMatch(/^wasted attempts +120$/m);
    expect(out).toMatch(/^deviation, mean +0\.000167$/m);
    expect(out).toMatch(/^peak of retries per second +10$/m);
    expect(out).toMatch(/^drained after +1 h$/m);
  });

  it('names every part of the scenario', async () => {
    const scenario = ['--rate', '2', '--for', '10s', '--failing', '0.125', '--capacity', '3'];
    const queue = [
      '--attempts-per-second',
      '2.5',
      '--max-attempts',
      '4',
      '--tick',
      '120s',
      '--horizon',
      '1d',
    ];
    expect((await simulate(...CONSTANT, ...scenario, ...queue)).out).toContain(
      '20 records, 2 a second; 12.5 % never succeed; capacity 3 a second; attempts of 50 ms, 10 at once; ' +
        '2.5 a second; no more than 4 of a record; rules every 2 min; horizon 1 d; seed 1.',
    );
  });

  it('plays progressive as a queue whose rules keep its schedule, with tiers of one’s own too', async () => {
    const scenario = ['--records', '5', '--outage', '0s-1h'];
    const { out } = await simulate('--policy', 'progressive', ...scenario);
    expect(out).toContain('progressive: a rule for each tier');
    expect(out).toMatch(/^attempts +65$/m);
    const tiers = '{"type":"progressive","tiers":[{"every":1200,"untilAge":86400}]}';
    const own = await simulate('--policy', tiers, ...scenario, '--json');
    expect(JSON.parse(own.out)).toMatchObject({ attempts: 20, drainedSeconds: 3600.05 });
  });

  it('has a column for each policy, and a dash where there is nothing to say', async () => {
    const { out } = await simulate(...CONSTANT, '--records', '1', '--outage', '0s-1s', '--compare', 'none');
    expect(out).toMatch(/^ +1 constant +2 none$/m);
    expect(out).toMatch(/^drained after +5 min +-$/m);
  });
});

describe('backlog simulate, used wrongly', () => {
  it.each([
    [['--policy', 'fibonaci'], /policy\.type: .*did you mean "fibonacci"\?/],
    [['--set', 'unti=3'], /did you mean "unit"\?/],
    [['--set', 'unit'], /--set: expected key=value/],
    [['--compare', 'exponental'], /did you mean "exponential"\?/],
    [['--rate', '5'], /--rate and --for: expected both/],
    [['--for', '2h'], /--rate and --for: expected both/],
    [['--rate', '5', '--for', '2h', '--records', '7'], /--records: expected either all at once, or --rate/],
    [['--rate', '1000', '--for', '1d'], /expected from 1 to 1000000 records in all, got 86400000/],
    [['--rate', '0.001', '--for', '1s'], /expected from 1 to 1000000 records in all, got 0/],
    [['--rate', '1', '--for', '8d'], /--for: expected at most the horizon/],
  ])('%j is a usage error', async (args, expected) => {
    const { code, out, err } = await simulate(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(expected);
  });

  it.each([
    [['--records', '0'], /whole number from 1 to 1000000/],
    [['--records', '1000001'], /whole number from 1 to 1000000/],
    [['--rate', '0'], /number from 0\.001/],
    [['--rate', '5/s'], /number from 0\.001/],
    [['--outage', '1h'], /Expected FROM-TO/],
    [['--outage', '1h-1h'], /Expected FROM-TO/],
    [['--outage', '0-1h'], /Expected FROM-TO/],
    [['--outage', '1h-2h-3h'], /Expected FROM-TO/],
    [['--outage', '0s-soon'], /Expected FROM-TO/],
    [['--failing', '1.1'], /share from 0 to 1/],
    [['--failing', '5%'], /share from 0 to 1/],
    [['--capacity', '0'], /whole number from 1/],
    [['--attempt-ms', '30000'], /from 0 to 29999/],
    [['--concurrency', '1001'], /from 1 to 1000/],
    [['--attempts-per-second', '0'], /number from 0\.001/],
    [['--max-attempts', '0'], /whole number from 1/],
    [['--horizon', '7'], /duration with a unit/],
    [['--tick', '0s'], /from 1s to 1d/],
    [['--tick', '60'], /from 1s to 1d/],
    [['--seed', '-1'], /whole number from 0/],
    [['fibonacci'], /too many arguments/],
    [['--chart', 'a.pdf'], /ends in \.svg, \.html or \.png/],
  ])('%j is refused before anything is played', async (args, expected) => {
    const { error, out, err } = await simulate(...args);
    // main.ts ends with exit code 2 on these.
    expect(error).toMatchObject({ name: 'CommanderError', exitCode: 1 });
    expect(out).toBe('');
    expect(err).toMatch(expected);
  });
});
