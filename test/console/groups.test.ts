import { describe, expect, it, vi } from 'vitest';
import type { ConsoleDeps } from '../../tools/src/console/deps.js';
import { consoleUnderTest, get, MINUTE, post, runtimeUnderTest, waiting } from './console-under-test.js';
import { DEAD, fillGroups, StoredGroups, SUCCESS } from './stored-groups.js';

const LOCAL = { runtime: runtimeUnderTest() };

async function filled(changes: Partial<ConsoleDeps> = {}) {
  const console = consoleUnderTest(changes);
  return { ...console, stored: await fillGroups(console) };
}

function empty(changes: Partial<ConsoleDeps> = {}) {
  const console = consoleUnderTest(changes);
  return { ...console, stored: new StoredGroups(console) };
}

type Console = Pick<ReturnType<typeof consoleUnderTest>, 'app'>;
const plain = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
const page = async ({ app }: Console, path: string) => (await get(app, path)).text;
const words = async (console: Console, path: string) => plain(await page(console, path));
const rowsOf = (text: string) => [...text.matchAll(/<tr data-key="([^"]*)">/g)].map(([, id]) => id);
const membersOf = (text: string) => [...text.matchAll(/<li data-key="([^"]*)">/g)].map(([, id]) => id);
const show = (id: string, more: Record<string, string> = {}) =>
  `/groups/show?${new URLSearchParams({ id, ...more })}`;
const act = (id: string, action: string) => `/groups/act?${new URLSearchParams({ id, do: action })}`;
const record = (id: string) => `/record?${new URLSearchParams({ id })}`;
const EVIL = '<img src=x onerror=alert(1)>';

describe('the page of the groups', () => {
  it('has a row for each that goes on, open ones first, then the oldest, with members in words', async () => {
    const text = await page(await filled(LOCAL), '/groups');
    expect(rowsOf(text)).toEqual(['day-335', 'invoices-november', 'partner-sync', 'late-feed', 'import-7']);
    const shown = plain(text);
    expect(shown).toMatch(
      /5 groups go on: 1 is held by dead members, 1 has lost members, 1 of this page has timed out\./,
    );
    expect(shown).toMatch(
      /Open day-335 5 succeeded 7 waiting 5 of 12 ended, 41 % 5 h ago 09:47:18 in 29 d 19 h/,
    );
    expect(shown).toMatch(
      /invoices-november Held by 1 dead member: redrive, cancel or discard it\. 4 succeeded 1 dead 4 of 5 ended, 80 %/,
    );
    expect(shown).toMatch(/partner-sync 1 member is lost: .* 1 lost 2 waiting/);
    expect(shown).toMatch(/late-feed Timed out: .* 2 succeeded 2 waiting .* 1 h ago 13:47:18/);
    expect(shown).toMatch(/import-7 177 succeeded 3 dead 1 cancelled 59 waiting 181 of 240 ended, 75 %/);
    expect(text).toMatch(/<svg viewBox="0 0 1000 10" [^>]*aria-hidden="true"><rect class="m-none"/);
    expect(text).toContain('href="/record?id=import-7"');
  });

  it('is linked where groups have been seen, or a function of the app counts', async () => {
    const link = 'href="/groups"';
    expect(await page(await filled(), '/')).not.toContain(link);
    expect(await page(await filled({ countsGroups: () => true }), '/')).toContain(link);
    expect(await page(empty({ countsGroups: () => false }), '/')).not.toContain(link);
    for (const path of [
      record('import-7/3'),
      record('import-7'),
      '/records?id=import-7/3',
      show('import-7'),
    ]) {
      const console = await filled();
      await page(console, path);
      expect(await page(console, '/'), path).toContain(link);
    }
    const listed = await filled();
    await page(listed, '/groups?list=yes');
    await page(listed, '/groups');
    expect(await page(listed, '/')).toContain(link);
    const none = empty();
    none.store.put(waiting('plain'));
    for (const path of ['/groups?list=yes', '/groups', record('plain'), show('unknown')])
      await page(none, path);
    expect(await page(none, '/')).not.toContain(link);
  });

  it('reads no item of a group for other pages, nor for this one before it is asked', async () => {
    const console = await filled();
    const reads = [vi.spyOn(console.store.groups, 'scan'), vi.spyOn(console.store.groups, 'read')];
    for (const path of ['/', '/records', '/failures', '/tiers', '/jobs', record('import-7/3'), '/groups'])
      expect((await get(console.app, path)).status, path).toBe(200);
    expect(await words(console, '/groups')).toMatch(
      /Groups are listed when you ask for it\. .* reads the whole control table .* about 5 read units/,
    );
    for (const read of reads) expect(read).not.toHaveBeenCalled();
  });

  it('is listed once in AWS, however often it is opened, and again when asked', async () => {
    const console = await filled();
    const scan = vi.spyOn(console.store.groups, 'scan');
    const asked = await get(console.app, '/groups?list=yes');
    expect([asked.status, asked.headers.get('location')]).toEqual([303, '/groups']);
    console.time.now += 3 * MINUTE;
    const text = await page(console, '/groups');
    await page(console, '/groups');
    expect(scan).toHaveBeenCalledTimes(1);
    expect(plain(text)).toMatch(/listed 3 min ago, for 0 read units\. List again/);
    expect(text).not.toContain('data-refresh');
    await page(console, '/groups?list=yes');
    expect(scan).toHaveBeenCalledTimes(2);
    expect((await get(console.app, '/groups?list=yes', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(scan).toHaveBeenCalledTimes(2);
  });

  it('is listed by itself on one machine, but not for each of many requests', async () => {
    const console = await filled(LOCAL);
    const scan = vi.spyOn(console.store.groups, 'scan');
    const [first, second] = await Promise.all([page(console, '/groups'), page(console, '/groups')]);
    expect(rowsOf(first ?? '')).toEqual(rowsOf(second ?? ''));
    await page(console, '/groups');
    expect(scan).toHaveBeenCalledTimes(1);
    console.time.now += 5_000;
    expect(await page(console, '/groups')).toContain('data-refresh="5"');
    expect(scan).toHaveBeenCalledTimes(2);
  });

  it('has pages of twenty', async () => {
    const console = empty();
    for (let i = 0; i < 45; i++) {
      console.time.now += 1_000;
      await console.stored.begin(`g${i}`, 1);
    }
    await page(console, '/groups?list=yes');
    const scan = vi.spyOn(console.store.groups, 'scan');
    const pages = await Promise.all(
      ['', '?page=2', '?page=3'].map((query) => page(console, `/groups${query}`)),
    );
    expect(pages.flatMap(rowsOf)).toEqual(Array.from({ length: 45 }, (_, i) => `g${i}`));
    expect(plain(pages[1] ?? '')).toMatch(/45 groups go on\. .* 21 to 40 of 45 Previous page Next page/);
    expect(pages[2]).not.toContain('rel="next"');
    for (const query of ['?page=99', '?page=3'])
      expect(rowsOf(await page(console, `/groups${query}`))).toEqual(rowsOf(pages[2] ?? ''));
    for (const query of ['?page=-1', '?page=x', '?page=0'])
      expect(rowsOf(await page(console, `/groups${query}`))).toEqual(rowsOf(pages[0] ?? ''));
    expect(scan).not.toHaveBeenCalled();
  });

  it('takes in what is seen of a group later, without another look', async () => {
    const console = await filled();
    await page(console, '/groups?list=yes');
    const scan = vi.spyOn(console.store.groups, 'scan');
    await page(console, (await post(console.app, act('day-335', 'seal'))).location);
    console.stored.end('late-feed', SUCCESS, 2, 3);
    await console.stored.count();
    await page(console, show('late-feed'));
    const text = await page(console, '/groups');
    expect(rowsOf(text)).toEqual(['invoices-november', 'day-335', 'partner-sync', 'import-7']);
    expect(plain(text)).toMatch(/Sealed day-335/);
    expect(scan).not.toHaveBeenCalled();
  });

  it('answers no page of another site that would have groups read', async () => {
    const console = await filled();
    const read = vi.spyOn(console.store.groups, 'read');
    for (const path of [show('import-7'), act('import-7', 'check')])
      for (const site of ['cross-site', 'same-site']) {
        const headers = {
          'sec-fetch-site': site,
          'sec-fetch-mode': 'navigate',
          'sec-fetch-dest': 'document',
        };
        expect((await get(console.app, path, headers)).status).toBe(403);
      }
    expect(read).not.toHaveBeenCalled();
  });

  it('says that no group goes on, and leads to one by its id', async () => {
    expect(await words(empty(LOCAL), '/groups')).toMatch(
      /No group goes on\. .* The prop groups of the CDK app/,
    );
    expect(await page(empty(), '/groups')).toMatch(
      /<form [^>]*action="\/groups\/show".*name="id" maxlength="128"/,
    );
  });

  it('shows a group whose end record is gone, edited or started by hand', async () => {
    const console = empty(LOCAL);
    for (const id of ['gone', 'edited', 'early']) await console.stored.begin(id, 2);
    console.store.delete('gone');
    console.stored.set('edited', { payload: 7 });
    console.stored.set('early', { attempts: 1 });
    const shown = await words(console, '/groups');
    expect(shown).toMatch(/gone The record of its end is gone: .* – no end record/);
    expect(shown).toMatch(/edited The record of its end does not wait for it any more/);
    expect(shown).toMatch(/early The record of its end was started by hand/);
  });
});

describe('the page of a group', () => {
  it('has its bar, its timeout, the record of its end and its first death', async () => {
    const text = await page(await filled(), show('import-7'));
    const shown = plain(text);
    expect(shown).toMatch(/Sealed 181 of 240 ended, 75 % Timeout in 29 d 23 h Wed 23 Dec 2026 14:07:18 UTC/);
    expect(shown).toMatch(/177 succeeded 3 dead 1 cancelled 59 waiting Since 40 min ago/);
    expect(shown).toMatch(
      /Dead members count as ended First death import-7\/177 The record of the first death import-7\/first-death/,
    );
    expect(shown).toMatch(/The record of its end import-7 in mails New Check…/);
    expect(text).toContain('href="/record?id=import-7%2Ffirst-death"');
    expect(text).toContain('<time class="sm sub" datetime="2026-12-23T14:07:18.000Z">');
    expect(text).not.toContain('do=seal');
  });

  it('has the members that wait, in pages, and those in each other state', async () => {
    const console = await filled();
    const first = await page(console, show('import-7'));
    expect(membersOf(first)).toEqual(Array.from({ length: 50 }, (_, i) => `import-7/${181 + i}`));
    expect(first).toContain('href="/record?id=import-7%2F181"');
    const next = /href="([^"]+)" rel="next"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = await page(console, next);
    expect(membersOf(second)).toEqual(Array.from({ length: 9 }, (_, i) => `import-7/${231 + i}`));
    expect(second).not.toContain('rel="next"');
    expect(plain(second)).toMatch(/9 of 59 shown First page/);
    const dead = await page(console, show('import-7', { state: 'dead' }));
    expect(membersOf(dead)).toEqual(['import-7/177', 'import-7/178', 'import-7/179']);
    expect(membersOf(await page(console, show('import-7', { state: 'cancelled' })))).toEqual([
      'import-7/180',
    ]);
    // An operator looks for dead members where none waits.
    expect(membersOf(await page(console, show('invoices-november')))).toEqual(['invoices-november/4']);
    for (const more of [
      { state: 'nonsense' },
      { from: '-5' },
      { from: 'x' },
      { state: '__proto__', from: '1e3' },
    ])
      expect(membersOf(await page(console, show('import-7', more as never)))).toEqual(membersOf(first));
    expect(await words(console, show('import-7', { from: '999999999' }))).toContain('There are no more.');
  });

  it('pages through more members than an item has ids, and reads few items of ids for a page', async () => {
    const console = empty();
    await console.stored.begin('large', 6_100);
    for (let i = 0; i < 6_100; i++) if (i % 1_000 > 2) console.stored.end('large', SUCCESS, i);
    await console.stored.count();
    const read = vi.spyOn(console.store.groups, 'read');
    const [found, reads]: [(string | undefined)[], number[]] = [[], []];
    let path: string | undefined = show('large');
    while (path !== undefined && reads.length < 9) {
      read.mockClear();
      const text = await page(console, path);
      found.push(...membersOf(text));
      reads.push(
        read.mock.calls.flatMap(([keys]) => keys).filter((key) => key.startsWith('group-ids#')).length,
      );
      path = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(found).toEqual(
      Array.from({ length: 7 }, (_, of) => [0, 1, 2].map((i) => `large/${of * 1_000 + i}`)).flat(),
    );
    expect(reads).toEqual([4, 3]);
  });

  it('says what holds a group, and that one has timed out', async () => {
    const console = await filled();
    const held = await words(console, show('invoices-november'));
    expect(held).toMatch(
      /Held by 1 dead member: redrive, cancel or discard it\. .* Dead members hold it until/,
    );
    const late = await words(console, show('late-feed'));
    expect(late).toMatch(/Timed out: .* Timed out 1 h ago Mon 23 Nov 2026 13:47:18 UTC/);
  });

  it('shows one that has ended by the record of its end', async () => {
    const console = await filled();
    const text = await page(console, show('done-1'));
    expect(plain(text)).toMatch(/Ended 30 of 30 ended, 100 % 29 succeeded 1 dead .* done-1 in mails New/);
    expect(plain(text)).toContain('The members of a group that has ended are not kept');
    expect(text).not.toContain('/groups/act');
    expect(text).not.toContain('data-refresh');
  });

  it('says that there is no such group, and that the id is that of another record', async () => {
    const console = await filled();
    console.store.put(waiting('plain'));
    for (const path of [show('unknown'), '/groups/show', show('x'.repeat(129)), show('ü'.repeat(100))]) {
      const { status, text } = await get(console.app, path);
      expect([status, plain(text).includes('There is no group')], path).toEqual([404, true]);
    }
    expect(await page(console, show('plain'))).toContain('href="/record?id=plain"');
  });

  it('is read again by its page while it goes on', async () => {
    expect(await page(await filled(), show('import-7'))).toContain('data-refresh="30"');
    expect(await page(await filled(LOCAL), show('import-7'))).toContain('data-refresh="5"');
  });

  it('shows what can be read of one whose items are damaged', async () => {
    const console = await filled();
    const { groups } = console.store;
    const write = async (key: string, attributes: object) => {
      const rev = (await groups.read([key])).get(key)?.rev as string | undefined;
      await groups.write(key, { ...attributes, rev: 'damaged' }, rev);
    };
    await write('group-ids#0#import-7', { ids: 'none' });
    await write('group-page#0#day-335', { states: 'none' });
    await write('group#late-feed', { createdAt: 1e300, pages: 3 });
    await write('group#partner-sync', { pages: -1 });
    expect(await words(console, show('import-7'))).toContain(
      'The ids of 50 members are not there, or damaged.',
    );
    expect(await words(console, show('day-335'))).toMatch(/Open no members/);
    expect(await words(console, show('late-feed'))).toMatch(/Sealed 2 of 4 ended/);
    expect((await get(console.app, show('partner-sync'))).status).toBe(404);
    await page(console, '/groups?list=yes');
    expect(rowsOf(await page(console, '/groups'))).toEqual([
      'day-335',
      'invoices-november',
      'import-7',
      'late-feed',
    ]);
  });
});

describe('the page of a record', () => {
  it('leads to the group that it is a member, the end or the first death of', async () => {
    const console = await filled();
    const link = 'href="/groups/show?id=import-7"';
    for (const [id, text] of [
      ['import-7/3', 'Member of the group import-7'],
      ['import-7', 'The record of the end of the group import-7'],
      ['import-7/first-death', 'The record of the first death in the group import-7'],
    ] as const) {
      const html = await page(console, record(id));
      expect([html.includes(link), plain(html).includes(text)], id).toEqual([true, true]);
    }
    console.store.put(
      waiting('both', { memberOf: '7#outer', payload: { group: { id: 'both', complete: false } } }),
    );
    expect(await words(console, record('both'))).toMatch(
      /Member of the group outer The record of the end of the group both/,
    );
  });

  it.each([
    7,
    null,
    true,
    [],
    { S: '1#a' },
    '',
    '1',
    '#a',
    '1#',
    '-1#a',
    '1.5#a',
    '1000000#a',
    `1#${'x'.repeat(200)}`,
    new Uint8Array([1]),
  ])('has no such link where memberOf is %j', async (memberOf) => {
    const console = empty();
    console.store.put(waiting('odd', { memberOf }));
    const { status, text } = await get(console.app, record('odd'));
    expect([status, text.includes('/groups/show')]).toEqual([200, false]);
  });

  it.each([[null], [7], ['group'], [[]], [{ group: 7 }], [{ group: null }], [{ group: { id: {} } }]])(
    'has none where the payload is %j',
    async (payload) => {
      const console = empty();
      console.store.put(waiting('odd/first-death', { payload }));
      const { status, text } = await get(console.app, record('odd/first-death'));
      expect([status, text.includes('/groups/show')]).toEqual([200, false]);
    },
  );
});

describe('what others wrote', () => {
  it('is escaped on each page', async () => {
    const console = empty(LOCAL);
    await console.stored.begin(EVIL, 2, { onFirstDeath: { queue: 'mails' } });
    console.stored.end(EVIL, DEAD, 0);
    await console.stored.count();
    console.stored.set(`${EVIL}/first-death`, { payload: { group: { id: EVIL, member: EVIL } } });
    const ended = {
      id: 'ended',
      complete: true,
      members: EVIL,
      succeeded: { EVIL },
      dead: -5,
      lost: 1e300,
      removed: 3,
    };
    console.store.put(waiting('ended', { queue: EVIL, payload: { group: ended } }));
    console.store.put(waiting('member', { memberOf: `3#${EVIL}` }));
    for (const path of [
      '/groups',
      ...[show(EVIL), show(EVIL, { state: 'dead' }), show('ended'), show('member'), act(EVIL, 'check')],
      ...[record('member'), record(EVIL), record(`${EVIL}/first-death`)],
    ]) {
      const { status, text } = await get(console.app, path);
      expect([status < 500, text.includes('<img'), /NaN|undefined|\[object/.test(text)], path).toEqual([
        true,
        false,
        false,
      ]);
    }
    expect(await words(console, show('ended'))).toMatch(/Ended no members 3 removed/);
  });
});

it('the tables that cannot be read are an error on each page', async () => {
  const console = await filled();
  const fail = () =>
    Promise.reject(Object.assign(new Error('AccessDenied: no right to Scan'), { name: 'StoreError' }));
  Object.assign(console.store.groups, { scan: fail, read: fail });
  for (const path of ['/groups?list=yes', show('import-7')]) {
    const { status, text } = await get(console.app, path);
    expect(status).toBe(500);
    expect(text).toContain('no right to Scan');
  }
});
