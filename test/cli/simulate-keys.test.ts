import { describe, expect, it } from 'vitest';
import { WORKLOAD_NAMES, WORKLOADS } from '../../tools/src/lab/keys/workloads.js';
import { backlog } from './in-process.js';

const simulate = (...args: string[]) => backlog('simulate', ...args);

/** Three hundred records of one key in a second: a pile of some seconds. */
const PILE = ['--keys', 'one-noisy', '--noisy-records', '300', '--noisy-within', '1s', '--quiet', '400'];
const FEW = ['--keys', 'one-noisy', '--noisy-records', '30', '--noisy-within', '1s', '--quiet', '60'];

/** Plays by their arguments: each load is played once, as the same seed gives the same figures. */
const played = new Map<string, ReturnType<typeof simulate>>();

async function json(...args: string[]) {
  const name = args.join(' ');
  const run = played.get(name) ?? simulate(...args, '--json');
  played.set(name, run);
  const { code, out, err } = await run;
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}

describe('backlog simulate --keys --json', () => {
  it('is the load, and the figures of the queue without the options of keys and with them', async () => {
    const seconds = expect.any(Number);
    const delays = {
      records: expect.any(Number),
      firstAttemptSeconds: { p50: seconds, p99: seconds, max: seconds },
    };
    const figures = {
      quietInNoise: delays,
      quiet: delays,
      noisy: { ...delays, records: 300, lastSuccessSeconds: seconds },
      maxAttemptsOfKey: expect.any(Number),
      firstAttemptsPerSecond: expect.any(Number),
      writesPerRecord: expect.any(Number),
    };
    expect(await json(...PILE, '--fairness', '--concurrency', '8')).toEqual({
      keys: 'one-noisy',
      scale: 1,
      attemptMs: 200,
      failingAttempts: 0.05,
      seed: 1,
      queues: [
        { options: { concurrency: 8 }, ...figures },
        { options: { concurrency: 8, fairness: true }, ...figures },
      ],
    });
  });

  it('plays one queue if no option of keys is given, and two with --compare', async () => {
    const optionsOf = async (...args: string[]) =>
      (await json(...FEW, ...args)).queues.map(({ options }: { options: unknown }) => options);
    expect(await optionsOf()).toEqual([{}]);
    expect(await optionsOf('--compare')).toEqual([{}, { fairness: true }]);
    expect(await optionsOf('--compare', '--fairness')).toEqual([{}, { fairness: true }]);
  });

  it('is the same twice, and another with another seed', async () => {
    const { out } = await simulate(...FEW, '--json');
    expect((await simulate(...FEW, '--json', '--seed', '1')).out).toBe(out);
    expect((await json(...FEW, '--seed', '2')).queues).not.toEqual(JSON.parse(out).queues);
  });

  it('has null where something has not come, or no record was counted', async () => {
    const { queues } = await json(...FEW, '--quiet', '1', '--failing-attempts', '1');
    expect(queues[0].noisy.lastSuccessSeconds).toBeNull();
    expect(queues[0].quietInNoise).toEqual({
      records: 0,
      firstAttemptSeconds: { p50: null, p99: null, max: null },
    });
  });
});

describe('the queue that backlog simulate --keys plays', () => {
  it('has fewer waits of quiet keys with fairness', async () => {
    const [without, fair] = (await json(...PILE, '--fairness', '--concurrency', '8')).queues;
    expect(without.quietInNoise.firstAttemptSeconds.max).toBeGreaterThan(
      2 * fair.quietInNoise.firstAttemptSeconds.max,
    );
  });

  it('makes one attempt of a key at once with --concurrency-per-key 1', async () => {
    const [without, limited] = (await json(...FEW, '--fairness', '--concurrency-per-key', '1')).queues;
    expect(without.maxAttemptsOfKey).toBeGreaterThan(1);
    expect(limited.maxAttemptsOfKey).toBe(1);
  });

  it('makes two attempts at once with --global-concurrency 2', async () => {
    expect((await json(...FEW, '--global-concurrency', '2')).queues[0].maxAttemptsOfKey).toBe(2);
  });

  it('attempts fewer at once with fewer runs and attempts in each', async () => {
    const few = await json(...FEW, '--concurrency', '1', '--on-insert-concurrency', '1');
    // One of a run on arrival, one of a run of the rule.
    expect(few.queues[0].maxAttemptsOfKey).toBeLessThanOrEqual(2);
    const [more] = (await json(...FEW, '--concurrency', '1')).queues;
    expect(more.maxAttemptsOfKey).toBeGreaterThan(2);
  });

  it('keeps to --attempts-per-second', async () => {
    const [limited] = (await json(...FEW, '--attempts-per-second', '2')).queues;
    expect(limited.firstAttemptsPerSecond).toBeLessThanOrEqual(2.2);
  });

  it('makes attempts that take --attempt-ms, of which --failing-attempts fail', async () => {
    const [quick] = (await json(...FEW, '--attempt-ms', '0', '--failing-attempts', '0')).queues;
    const [slow] = (await json(...FEW, '--attempt-ms', '5000', '--failing-attempts', '0')).queues;
    expect(slow.noisy.lastSuccessSeconds - quick.noisy.lastSuccessSeconds).toBeGreaterThan(4.5);
    // The rule of the next minute has the first retry.
    const [failing] = (await json(...FEW, '--failing-attempts', '0.5')).queues;
    expect(failing.noisy.lastSuccessSeconds).toBeGreaterThan(60);
    expect(failing.writesPerRecord).toBeGreaterThan(quick.writesPerRecord);
  });
});

describe('backlog simulate --keys, for people', () => {
  it('has a column for each queue, and says what the figures mean', async () => {
    const { code, out } = await simulate(...FEW, '--fairness', '--concurrency-per-key', '2');
    expect(code).toBe(0);
    const [first, second, load, attempts, , head] = out.split('\n');
    expect([first, second]).toEqual(['1 {}', '2 {"fairness":true,"concurrencyPerKey":2}']);
    expect(load).toBe(
      'one-noisy: 1 noisy key with 30 records in 1 s, beside 60 quiet keys with a record every 10 min each;',
    );
    expect(attempts).toBe('attempts of 200 ms, of which 5 % fail; seed 1.');
    expect(head).toMatch(/^ +1 without fairness {2}2 with fairness$/);
    expect(out).toMatch(/^noisy keys: records +30 +30$/m);
    expect(out).toMatch(/^most attempts of one key at once +\d+ +2$/m);
    expect(out).toMatch(/^Attempts of one key at once: at most 2; without fairness, \d+\.$/m);
    expect(out).toMatch(
      /^The last record of the noisy keys succeeded after .+; without fairness, after .+\.$/m,
    );
  });

  it('plays a rate for each key', async () => {
    const [, queue] = (await json(...FEW, '--fairness', '--attempts-per-second-per-key', '0.5')).queues;
    // Thirty records at one in two seconds.
    expect(queue.noisy.lastSuccessSeconds).toBeGreaterThanOrEqual(58);
    const { code, err } = await simulate(...FEW, '--attempts-per-second-per-key', '0.5');
    expect(code).toBe(2);
    expect(err).toContain('--attempts-per-second-per-key: expected --fairness beside it');
  });

  it('says what quiet keys waited, or that none put a record during the noise', async () => {
    const { out } = await simulate(...PILE);
    expect(out).toMatch(/^quiet keys, during the noise: records +[1-9]\d*$/m);
    expect(out).toMatch(
      /^During the noise, first attempts of quiet keys came after [\d.]+ s \(at most [\d.]+ s\)\.$/m,
    );
    const none = await simulate(...FEW, '--quiet', '1');
    expect(none.out).toMatch(/^No quiet key put a record during the noise/m);
    expect(none.out).toMatch(/^ {2}99 % +-$/m);
  });

  it('says the scale of a load, and has its figures in full in the help', async () => {
    const { out } = await simulate('--keys', 'unequal', '--scale', '0.002');
    expect(out).toContain(
      'unequal: 1 noisy key with 200 records in 0.12 s, beside 19 quiet ones with 1 each',
    );
    expect(out).toContain('scale 0.002, and so are waits behind a pile; attempts of 200 ms');
    const { out: help } = await simulate('--help');
    for (const name of WORKLOAD_NAMES) expect(help).toMatch(new RegExp(`^  ${name} +.*\\d+.*keys?`, 'm'));
    expect(help).toMatch(/^ {2}one-noisy +1 noisy key with 100,000 records in 60 s/m);
  });

  it.each(WORKLOAD_NAMES)('plays %s', async (name) => {
    const part = name.endsWith('steadily') ? 0.01 : 0.001;
    const fewQuiet = 'figures' in WORKLOADS[name] ? ['--quiet', '60'] : [];
    const { keys, scale, queues } = await json('--keys', name, '--scale', String(part), ...fewQuiet);
    expect({ keys, scale }).toEqual({ keys: name, scale: part });
    expect(queues[0].noisy.records).toBeGreaterThan(0);
    expect(queues[0].quiet.records).toBeGreaterThan(0);
  });

  it('counts records whose destination hangs as without a success', async () => {
    const { out } = await simulate(
      '--keys',
      'one-hangs',
      '--noisy-records',
      '10',
      '--noisy-within',
      '1s',
      '--quiet',
      '20',
    );
    expect(out).toContain('nothing answers the noisy one’s attempts, which last for 30 s');
    expect(out).toMatch(/^ {2}last success after +not by the end$/m);
    expect(out).toContain('Not every record of the noisy keys succeeded by the end.');
  });
});

describe('backlog simulate --keys, used wrongly', () => {
  const ONE = ['--keys', 'one-noisy'];

  it.each([
    [[...ONE, '--outage', '0s-1h'], '--outage: expected no such flag beside --keys'],
    [[...ONE, '--policy', 'constant'], '--policy: expected no such flag beside --keys, got "constant"'],
    [[...ONE, '--records', '10'], '--records: expected no such flag beside --keys, got 10'],
    [[...ONE, '--chart', 'a.svg'], '--chart: expected no such flag beside --keys, got "a.svg"'],
    [
      [...ONE, '--failing', '0.1'],
      '--failing: expected --failing-attempts in its place beside --keys, got 0.1',
    ],
    [[...ONE, '--compare', 'constant'], '--compare: expected no policies beside --keys, got constant'],
    [['--compare'], '--compare: expected policies, such as --compare constant exponential, got nothing'],
    [['--fairness'], '--fairness: expected --keys LOAD beside it'],
    [
      ['--scale', '0.1'],
      '--scale: expected --keys LOAD beside it, such as --keys one-noisy, got 0.1 without it',
    ],
    [
      ['--keys', 'zipf', '--noisy', '3'],
      '--noisy: expected --keys to be one of one-noisy, many-noisy, one-hangs, one-hangs-steadily, ' +
        'one-slow-steadily beside it, got zipf',
    ],
    [
      [...ONE, '--noisy', '3', '--noisy-records', '1000000'],
      '--noisy-records and --scale: expected from 1 to 1000000 noisy records in all, got 3000000',
    ],
    [[...ONE, '--concurrency-per-key', '3'], '--concurrency-per-key: expected --fairness beside it'],
    [
      [...ONE, '--fairness', '--concurrency-per-key', '0'],
      '--concurrency-per-key: expected number to be >=1, got 0',
    ],
    [
      [...ONE, '--fairness', '--concurrency-per-key', '1,5'],
      '--concurrency-per-key: expected number, got "1,5"',
    ],
    [
      [...ONE, '--global-concurrency', '1001'],
      '--global-concurrency: expected number to be <=1000, got 1001',
    ],
    [[...ONE, '--on-insert-concurrency', '1.5'], '--on-insert-concurrency: expected int, got 1.5'],
  ])('%j is a usage error', async (args, expected) => {
    const { code, out, err } = await simulate(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(expected);
  });

  it.each([
    [['--keys', 'W1'], /Allowed choices are one-noisy, many-noisy/],
    [[...ONE, '--scale', '2'], /part from 0\.001 to 1/],
    [[...ONE, '--noisy', '0'], /whole number from 1 to 10000/],
    [[...ONE, '--noisy-within', '60'], /duration with a unit/],
    [[...ONE, '--failing-attempts', '5%'], /share from 0 to 1/],
  ])('%j is refused before anything is played', async (args, expected) => {
    const { error, out, err } = await simulate(...args);
    expect(error).toMatchObject({ name: 'CommanderError', exitCode: 1 });
    expect(out).toBe('');
    expect(err).toMatch(expected);
  });
});
