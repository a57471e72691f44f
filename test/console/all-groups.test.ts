import { RecordGroups } from 'dynamo-backlog';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/support/clock.js';
import { consoleApp } from '../../tools/src/console/app.js';
import { AllGroups } from '../../tools/src/console/groups/all-groups.js';
import type { GroupTables } from '../../tools/src/console/groups/open-items.js';
import { backlogTables } from '../cli/backlog-tables.js';
import { consoleUnderTest, get, NOW } from './console-under-test.js';
import { StoredGroups } from './stored-groups.js';

describe('a look at all groups', () => {
  const clock = { wall: () => NOW };
  const page = (n: number) => ({
    items: [{ key: `group#g${n}`, createdAt: NOW, pages: 1, addedAt: NOW, rev: 'r' }],
    next: `group#g${n}`,
  });

  it('ends at 20,000 read units, and says that it is not whole', async () => {
    let scans = 0;
    const scan = async () => page(scans++);
    const groups = { scan } as unknown as GroupTables['groups'];
    const all = new AllGroups(() => ({ groups, readUnits: () => scans * 1_000 }), clock);
    const look = await all.look();
    expect([scans, look.groups.length, look.isWhole, look.readUnits]).toEqual([20, 20, false, 20_000]);
  });

  it('ends at 10,000 groups', async () => {
    let scans = 0;
    const scan = async () => {
      const start = 600 * scans++;
      return { items: Array.from({ length: 600 }, (_, i) => page(start + i).items[0] ?? {}), next: 'more' };
    };
    const groups = { scan } as unknown as GroupTables['groups'];
    const look = await new AllGroups(() => ({ groups, readUnits: () => 0 }), clock).look();
    expect([scans, look.groups.length, look.isWhole]).toEqual([17, 10_200, false]);
  });

  it('goes on behind a page without groups, and looks again after a failure', async () => {
    const answers = [
      async () => Promise.reject(new Error('throttled')),
      async () => ({ items: [{ key: 'group-ids#0#g1' }, { key: 7 }, { key: 'group#' }], next: 'a' }),
      async () => ({ ...page(1), next: undefined }),
    ];
    const scan = vi.fn(() => answers.shift()?.());
    const groups = { scan } as unknown as GroupTables['groups'];
    const all = new AllGroups(() => ({ groups, readUnits: () => 1 }), clock);
    await expect(all.look()).rejects.toThrow('throttled');
    expect(all.known()).toBeUndefined();
    const look = await all.look();
    expect([look.groups.map(({ id }) => id), look.isWhole]).toEqual([['g1'], true]);
    expect(scan.mock.calls.map(([asked]: readonly unknown[]) => (asked as { after?: string }).after)).toEqual(
      [undefined, undefined, 'a'],
    );
  });

  it('says on the page that groups are missing, and that counts are too low', async () => {
    const console = consoleUnderTest();
    await new StoredGroups(console).begin('g', 3, { seal: false });
    const { groups } = console.store;
    const scan = groups.scan.bind(groups);
    groups.scan = async (asked) => {
      const more = Array.from({ length: 10_000 }, (_, i) => page(i).items).flat();
      return { items: [...(await scan(asked)).items, ...more], next: 'more' };
    };
    await get(console.app, '/groups?list=yes');
    const { text } = await get(console.app, '/groups');
    expect(text).toContain('groups are missing, and counts are too low');
    expect(text).toContain('≥ 10,001 groups go on');
    expect(text).toContain('≥ 3 waiting');
  });
});

describe('groups of a console on DynamoDB', () => {
  let tables: Awaited<ReturnType<typeof backlogTables>>;
  beforeAll(async () => {
    tables = await backlogTables();
  });
  afterAll(() => tables.stop());

  it('are listed for what the control table costs, and shown for what they cost', async () => {
    await tables.renew('rows', 'mail');
    const at = { table: tables.table.name, controlTable: tables.control.name };
    const groups = new RecordGroups({ ...at, endpoint: tables.endpoint });
    const rows = Array.from({ length: 1_020 }, (_, i) => ({
      id: `${i}`.padStart(36, '0'),
      queue: 'rows',
      payload: i,
    }));
    await groups.insert('import', rows, { onComplete: { queue: 'mail' } });
    const app = consoleApp({
      ...{
        backlog: { ...at, client: tables.table.client, clock: systemClock },
        name: 'shop',
        where: 'a test',
      },
      ...{ access: { write: true, as: 'ops' } as const, onAction: () => {}, countsForMs: 0 },
    });
    expect((await get(app, '/groups?list=yes')).status).toBe(303);
    const list = (await get(app, '/groups')).text;
    expect(list).toContain('1,020 waiting');
    expect(list).toMatch(/listed (?:now|\d s ago), for \d+(?:\.\d)? read units/);
    const shown = (await get(app, '/groups/show?id=import&from=990')).text;
    expect(shown).toContain(`id=${'990'.padStart(36, '0')}`);
    expect(shown).toContain(`id=${'1010'.padStart(36, '0')}`);
    expect(shown).toMatch(/This page has cost \d+(?:\.\d)? read units/);
  });
});
