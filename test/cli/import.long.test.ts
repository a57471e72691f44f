import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { announcedRuntime } from './announced-runtime.js';
import { backlog } from './in-process.js';

let runtime: Awaited<ReturnType<typeof announcedRuntime>>;
let made: Awaited<ReturnType<typeof runtime.renew>>;

beforeAll(async () => {
  runtime = await announcedRuntime();
});
afterAll(() => runtime.stop());
beforeEach(async () => {
  made = await runtime.renew();
});

const ids = async () => (await made.records.all()).map(({ id }) => id).sort();

describe('backlog import of a JSON array', () => {
  it('puts its elements into the backlog, and names the bad ones by their number', async () => {
    const path = await made.file(
      '\uFEFF[\r\n  { "id": "a", "payload": { "n": 12345678901234567890 } },\r\n  nonsense,\r\n  {"id":"b","payload":2,"status":"DEAD"},\r\n  {"id":"c","payload":3}\r\n]\r\n',
    );
    const { code, err } = await backlog('import', path);
    expect(code).toBe(3);
    expect(err).toMatch(/element 2: no valid JSON[\s\S]*element 3: status: only NEW/);
    expect(err).toContain('inserted 2, duplicates 0, bad elements 2');
    expect(await ids()).toEqual(['a', 'c']);
    expect((await backlog('show', 'a', '--json')).out).toContain('"payload":{"n":12345678901234567890}');
  });

  it('reads more of them than fit into a batch, from one line', async () => {
    const all = Array.from({ length: 603 }, (_, i) => ({ id: `r${i}`, payload: i }));
    const { code, err } = await backlog('import', await made.file(JSON.stringify(all)));
    expect(code, err).toBe(0);
    expect(err).toContain('inserted 603, duplicates 0, bad elements 0');
  });
});

describe('what backlog import puts', () => {
  const put = async (...flags: string[]) => {
    const path = await made.file(
      '{"id":"a","payload":1}\n{"id":"b","payload":1,"availableAt":"2040-01-01T00:00:00Z"}\n',
    );
    const { code, err } = await backlog('import', path, ...flags);
    expect(code, err).toBe(0);
    return Object.fromEntries((await made.records.all()).map((item) => [item.id, item]));
  };

  it('has no lane where an intake looks after the table, so that its first attempt follows at once', async () => {
    const looked = await announcedRuntime({ hasIntake: true });
    made = await looked.renew();
    const { a, b } = await put();
    expect(a).not.toHaveProperty('lane');
    // What waits is indexed by its producer, always.
    expect(b).toMatchObject({ lane: 'default', dueAt: '2040-01-01T00:00:00.000Z' });
    await looked.stop();
  });

  it('is indexed where no intake does, or none is known', async () => {
    expect((await put()).a).toMatchObject({ lane: 'default' });
    made = await runtime.renew();
    const { endpoint, records } = made;
    expect((await put('--endpoint', endpoint, '--table', records.name)).a).toMatchObject({ lane: 'default' });
  });
});

describe('backlog import of a file that it does not take', () => {
  it('says once what to do with records over several lines, and imports nothing', async () => {
    const records = Array.from({ length: 5 }, (_, i) => JSON.stringify({ id: `r${i}`, payload: i }, null, 2));
    const path = await made.file(records.join('\n'));
    const { code, error, err } = await backlog('import', path);
    expect(code).toBeUndefined();
    expect(error).toMatchObject({ name: 'ConfigurationError' });
    expect(err.match(/takes several lines/g)).toHaveLength(1);
    expect(err).toContain(`jq -c . ${path} | backlog import -`);
    expect(err).not.toContain('line 1');
    expect(await ids()).toEqual([]);
  });
});
