import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { announcedRuntime } from './announced-runtime.js';
import { backlog } from './in-process.js';

let runtime: Awaited<ReturnType<typeof announcedRuntime>>;
let made: Awaited<ReturnType<typeof runtime.renew>>;
let documented: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  runtime = await announcedRuntime();
  const page = await readFile('docs/command-line.md', 'utf8');
  const rows = page.split('\n').flatMap((line) => {
    const [, commands = '', shape = ''] = /^\| (`[a-z].*?) \| (.*) \|$/.exec(line) ?? [];
    const names = (text: string) =>
      [...text.replace(/\(.*?\)/g, '').matchAll(/`([\w?-]+)`/g)].map(([, one]) => one ?? '');
    return names(commands).map((command) => [command, names(shape.split(/; /)[0] ?? '')] as const);
  });
  documented = new Map(rows);
});
afterAll(() => runtime.stop());
beforeEach(async () => {
  made = await runtime.renew();
  const queues = { bulk: { owner: 'Blue', retryMode: 'perRecord', at: '2029-12-31T00:00:00.000Z' } };
  await made.control.put({ key: 'registry', rev: 'r', queues });
});

async function json(...args: string[]) {
  const { out, err } = await backlog(...args, '--json');
  expect(out.split('\n'), err).toHaveLength(1);
  return JSON.parse(out);
}

describe('the names that the page gives', () => {
  it.each([
    [['import', 'FILE']],
    [['redrive', 'nothing']],
    [['pause', 'bulk']],
    [['resume', 'bulk']],
    [['transfer', 'bulk', '--to', 'Green']],
    [['stats']],
    [['top']],
    [['doctor']],
    [['policy', 'fibonacci', '--set', 'maxAttempts=3']],
    [['policy', 'progressive']],
  ])('are those of %j', async (args) => {
    const file = await made.file('1\n');
    const names = Object.keys(await json(...args.map((one) => (one === 'FILE' ? file : one))));
    const page = documented.get(args[0] ?? '') ?? [];
    expect(page.filter((name) => !name.endsWith('?') && !names.includes(name))).toEqual([]);
    expect(names.filter((name) => !page.includes(name) && !page.includes(`${name}?`))).toEqual([]);
  });
});

it('import says what it came to, and stdout has nothing else', async () => {
  const path = await made.file('{"id":"a","payload":1,"lane":"x"}\nnonsense\n{"id":"a","payload":1}\n');
  expect(await json('import', path, '--queue', 'bulk')).toEqual({
    complete: true,
    unit: 'line',
    inserted: 1,
    duplicates: 1,
    bad: 1,
    ignored: { lane: 1 },
    queues: ['bulk'],
  });
});

it('top has names that others wrote, cut', async () => {
  const name = 'q'.repeat(1_500);
  const long = 'x'.repeat(100_000);
  await made.control.put(
    { key: `queue#${name}`, paused: true, pausedAt: '2029-12-31T00:00:00.000Z' },
    { key: 'lease#bulk', holder: long, until: Date.now() + 60_000, rev: 'r', ids: [] },
  );
  const found = await json('top');
  const bulk = found.queues.find(({ queue }: { queue: string }) => queue === 'bulk');
  expect(bulk.leases).toMatchObject([{ key: 'bulk', holder: `${'x'.repeat(199)}…` }]);
  expect(found.queues.map(({ queue }: { queue: string }) => queue)).toContain(`${'q'.repeat(199)}…`);
  expect(JSON.stringify(found).length).toBeLessThan(5_000);
});

it('pause says whether it changed anything', async () => {
  expect(await json('pause', 'bulk')).toEqual({ queue: 'bulk', paused: true, changed: true });
  expect(await json('pause', 'bulk')).toEqual({ queue: 'bulk', paused: true, changed: false });
  expect(await json('resume', 'bulk')).toEqual({ queue: 'bulk', paused: false, changed: true });
});

it('transfer says which queues have another owner', async () => {
  const moved = await json('transfer', 'bulk', 'missing', '--to', 'Green');
  expect(moved).toEqual({ to: 'Green', moved: ['bulk'], already: [], others: {}, unknown: ['missing'] });
});
