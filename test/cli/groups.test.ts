import { RecordGroups } from 'dynamo-backlog';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backlogTables } from './backlog-tables.js';
import { backlog } from './in-process.js';

let tables: Awaited<ReturnType<typeof backlogTables>>;
beforeAll(async () => {
  tables = await backlogTables();
});
afterAll(() => tables.stop());
beforeEach(() => tables.renew('rows', 'mail'));

const run = (...args: string[]) => backlog('groups', ...args, ...tables.at);
const rows = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `r${i}`, payload: i, queue: 'rows' }));
const begin = (id: string, count: number, options: object = {}) =>
  new RecordGroups({
    table: tables.table.name,
    controlTable: tables.control.name,
    endpoint: tables.endpoint,
  }).insert(id, rows(count), { onComplete: { queue: 'mail' }, ...options });

describe('backlog groups', () => {
  it('lists groups, shows one with a bar, and what it waits for', async () => {
    await begin('import\u202e7', 25);
    const list = await run();
    expect(list).toMatchObject({ code: 0, err: expect.stringMatching(/^1 group in table /) });
    expect(list.out).toMatch(/^GROUP +STATE +MEMBERS +WAITING +SUCCEEDED/);
    expect(list.out).toMatch(/^import.*7 +sealed +25 +25 +0/m);
    expect(list.out).not.toContain('\u202e');
    const shown = await run('import\u202e7', '--waiting');
    expect(shown.out).toMatch(/: takes no more members, begun \S+ \S+ UTC$/m);
    expect(shown.out).toMatch(/^░{40} 0 of 25 members have ended, 0 %$/m);
    expect(shown.out).toMatch(/^r19$/m);
    expect(shown.out).not.toMatch(/^r20$/m);
    expect(shown.err).toContain('the first 20 of 25 records');
    const { waitingIds, ...group } = JSON.parse((await run('import\u202e7', '--waiting', '--json')).out);
    expect(group).toMatchObject({ state: 'sealed', members: 25, waiting: 25 });
    expect(waitingIds).toEqual(rows(25).map(({ id }) => id));
  });

  it('checks a group whose ends were missed, and seals one', async () => {
    await begin('import', 2, { seal: false });
    const stored = (await tables.table.all()).find(({ id }) => id === 'r0');
    await tables.table.put({ ...stored, status: 'SUCCESS' });
    const checked = await run('import', '--check');
    expect(checked.out).toMatch(/^import: takes more members/);
    expect(checked.out).toMatch(/^█{20}░{20} 1 of 2 members have ended, 50 %$/m);
    await tables.table.put({ ...(await tables.table.get('r1')), memberOf: 'none' });
    const sealed = await run('import', '--seal', '--check');
    expect(sealed.out).toMatch(/^import: has ended$/m);
    expect(sealed.out).toMatch(/^lost +1$/m);
    expect((await run('--json')).out).toBe('[]');
  });

  it('prints the event of an end as a rule of EventBridge sees it', async () => {
    await begin('import', 1);
    const early = await run('import', '--event');
    expect(early).toMatchObject({ code: 1, out: '' });
    expect(early.err).toContain('no group import has ended: there is no event');
    await tables.table.put({ ...(await tables.table.get('r0')), status: 'SUCCESS' });
    await run('import', '--check');
    const { out, err, code } = await run('import', '--event');
    expect([err, code]).toEqual(['', 0]);
    expect(JSON.parse(out)).toMatchObject({
      ...{ source: 'dynamo-backlog', 'detail-type': 'Backlog group ended' },
      detail: { id: 'import', table: tables.table.name, queue: 'mail', complete: true, members: 1 },
    });
    expect((await run('r0', '--event')).code).toBe(1);
  });

  it.each([
    [['none'], 1, /^no group "none" in table /],
    [['--waiting'], 2, /--waiting: of which group\?/],
    [['--event'], 2, /--event: of which group\?/],
    [['none', '--event'], 1, /no group none has ended/],
    [['--seal'], 2, /--seal: of which group\?/],
    [['x'.repeat(200)], 2, /id: expected text of 1 to 128 bytes/],
  ])('says what is wrong with %j', async (args, code, message) => {
    const answer = await tables.run('groups', ...args);
    expect(answer).toMatchObject({ code, err: expect.stringMatching(message) });
  });
});
