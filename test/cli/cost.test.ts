import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backlog } from './in-process.js';

const cost = (...args: string[]) => backlog('cost', ...args);

async function json(...args: string[]) {
  const { code, out, err } = await cost(...args, '--json');
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}

describe('backlog cost', () => {
  it('prints the bill line by line, what it comes to, and other designs', async () => {
    const { code, out } = await cost('--rate', '1M/month', '--size', '700B');
    expect(code).toBe(0);
    expect(out).toMatch(/^\$\d+\.\d\d a month for 1,000,000 records\n/);
    expect(out).toContain('records of 700 bytes, so items of 1 KB');
    expect(out).toMatch(/^DynamoDB, writes +[\d,]+ write units +\$\d+\.\d\d$/m);
    expect(out).toMatch(/^CloudWatch, dashboard +1 dashboard +\$3\.00$/m);
    expect(out).toMatch(/^total +\$(\d+\.\d\d) per million +\$\1$/m);
    expect(out).toMatch(/^SQS and Lambda, batches of 10 +\$\d/m);
    expect(out).toContain('Prices of us-east-1, 20');
    for (const line of out.split('\n').slice(0, -1)) expect(line.length).toBeLessThanOrEqual(130);
  });

  it('adds up', async () => {
    const { dollars, items } = await json('--rate', '10/s');
    const sum = items.reduce((total: number, item: { dollars: number }) => total + item.dollars, 0);
    expect(dollars).toBeCloseTo(sum);
  });

  it.each([
    [['--rate', '0.5/s'], { perSecond: 0.5 }],
    [['--rate', '600/min'], { perSecond: 10 }],
    [['--rate', '36k/h', '--size', '2KB'], { perSecond: 10, bytes: 2_048 }],
    [['--rate', '864000/day', '--failing', '5%'], { perSecond: 10, failing: 0.05 }],
    [
      ['--rate', '1/s', '--failing', '0.05', '--attempt', '2s', '--window', '5s'],
      { attemptMs: 2_000, windowSeconds: 5 },
    ],
    [
      ['--rate', '1/s', '--policy', 'progressive', '--queues', '3', '--minimal'],
      { isProgressive: true, queues: 3, isMinimal: true },
    ],
  ])('reads %j', async (args, work) => {
    expect((await json(...args)).work).toMatchObject(work);
  });

  it.each([
    [[], '--rate'],
    [['--rate', '10'], 'Expected records by time'],
    [['--rate', '0/s'], 'Expected records by time'],
    [['--rate', '1/s', '--size', '1MB'], 'from 1B to 400KB'],
    [['--rate', '1/s', '--failing', '100%'], 'from 0% to 99%'],
    [['--rate', '1/s', '--attempt', '200'], 'Expected a duration up to 15m'],
    [['--rate', '1/s', '--window', '6m'], 'from 0s to 5m'],
    [['--rate', '1/s', '--memory', '64'], 'from 128 to 10240'],
    [['--rate', '1/s', '--policy', 'none'], 'fibonacci, progressive'],
    [['--rate', '1/s', '--prices', '/nowhere.json'], '--prices: expected a file that can be read'],
  ])('refuses %j', async (args, message) => {
    const { code, out, err } = await cost(...args);
    expect(code).not.toBe(0);
    expect(out).toBe('');
    expect(err).toContain(message);
  });

  it.each([
    [
      ['--rate', '1M/h', '--attempt', '1s'],
      'a queue needs 1,010,101 attempts an hour, and makes at most 396,000 with a concurrency of 10: ',
    ],
    [['--rate', '1M/h', '--attempt', '1s', '--queues', '3'], ''],
    [['--rate', '1M/h', '--attempt', '1s', '--concurrency', '26'], ''],
  ])('warns of more work than the queues can do: %j', async (args, warning) => {
    const { code, err } = await cost(...args);
    expect(code).toBe(0);
    if (warning === '') expect(err).toBe('');
    else expect(err).toContain(warning);
  });

  it('takes prices of a file, which may be those that --json gives', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'backlog-prices-')), 'prices.json');
    const first = await json('--rate', '1/s');
    await writeFile(file, JSON.stringify(first.prices));
    expect(await json('--rate', '1/s', '--prices', file)).toEqual(first);
    await writeFile(file, JSON.stringify({ ...first.prices, dashboard: 103 }));
    expect((await json('--rate', '1/s', '--prices', file)).dollars).toBeCloseTo(first.dollars + 100);
  });

  it('comes to what docs/cost.md says', async () => {
    const page = await readFile('docs/cost.md', 'utf8');
    const rows = page.matchAll(/^\| `(--rate [^`]+)` \| ([^|]+)\| ([^|]+)\|/gm);
    let compared = 0;
    for (const [, flags = '', ours = '', sqs = ''] of rows) {
      const { dollars, others } = await json(...flags.split(' '));
      const text = (amount: number) => `$${amount.toLocaleString('en-US', { maximumFractionDigits: 0 })}`;
      const range = others.slice(0, 2).map((one: { dollars: number }) => text(one.dollars));
      expect([ours.trim(), sqs.trim()]).toEqual([text(dollars), [...new Set(range)].join(' to ')]);
      compared++;
    }
    expect(compared).toBeGreaterThanOrEqual(6);
  });
});
