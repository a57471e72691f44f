import { StoreAccessError } from 'dynamo-backlog';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ConsoleDeps } from '../../tools/src/console/deps.js';
import { consoleUnderTest, get, hiddenField, MINUTE, post } from './console-under-test.js';
import { DEAD, fillGroups, StoredGroups, SUCCESS } from './stored-groups.js';

const READ_ONLY = { write: false, reason: 'read-only' } as const;

async function filled(changes: Partial<ConsoleDeps> = {}) {
  const console = consoleUnderTest(changes);
  return { ...console, stored: await fillGroups(console) };
}

function empty() {
  const console = consoleUnderTest();
  return { ...console, stored: new StoredGroups(console) };
}

type Console = Pick<ReturnType<typeof consoleUnderTest>, 'app'>;
const plain = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
const page = async ({ app }: Console, path: string) => (await get(app, path)).text;
const words = async (console: Console, path: string) => plain(await page(console, path));
const show = (id: string) => `/groups/show?${new URLSearchParams({ id })}`;
const act = (id: string, action: string) => `/groups/act?${new URLSearchParams({ id, do: action })}`;

/** Waits for other work of this process. */
async function turnsUntil(isOver: () => boolean): Promise<void> {
  for (let turns = 0; !isOver() && turns < 1_000; turns++)
    await new Promise<void>((resolve) => setImmediate(resolve));
  expect(isOver()).toBe(true);
}
afterEach(() => vi.useRealTimers());

describe('actions on a group', () => {
  it('seals one after it has said what that does', async () => {
    const console = await filled();
    const text = await page(console, show('day-335'));
    expect(text).toMatch(/<a class="btn danger end" href="\/groups\/act\?id=day-335&amp;do=seal">/);
    const asked = await words(console, act('day-335', 'seal'));
    expect(asked).toMatch(
      /Seal day-335 \? .* takes no more members.* cannot be undone.* 7 of 12 members wait\. .* 5 minutes at most/,
    );
    expect(asked).toContain('Logged as ops .');
    expect(await console.stored.groups.get('day-335')).toMatchObject({ state: 'open' });
    const sent = await post(console.app, act('day-335', 'seal'));
    expect(sent.status).toBe(303);
    expect(await words(console, sent.location)).toMatch(
      /Sealed: it takes no more members\. .* Sealed 5 of 12 ended/,
    );
    expect(await console.stored.groups.get('day-335')).toMatchObject({ state: 'sealed' });
    expect(console.log).toMatchObject([
      { as: 'ops', text: 'seal the group day-335', result: 'Sealed: it takes no more members.' },
    ]);
  });

  it('ends one with the seal if its members have ended', async () => {
    const console = empty();
    await console.stored.begin('over', 2, { seal: false });
    console.stored.end('over', SUCCESS, 0, 1);
    await console.stored.count();
    expect(await words(console, act('over', 'seal'))).toContain('All 2 members have ended: it ends at once.');
    const { location } = await post(console.app, act('over', 'seal'));
    expect(await words(console, location)).toMatch(/Sealed\. It has ended\. .* Ended 2 of 2 ended/);
  });

  it('checks one, says what that costs, and what was missed', async () => {
    const console = await filled();
    expect(await words(console, act('import-7', 'check'))).toMatch(
      /It reads 59 records: a read unit for each 4 KB of them, at least 59 units \(\$0\.000007\)\./,
    );
    // It compares those that are dead, too, as one of them may have been redriven unseen.
    expect(await words(console, act('invoices-november', 'check'))).toContain('It reads 1 record:');
    console.stored.end('import-7', SUCCESS, 181, 182);
    console.stored.end('import-7', DEAD, 183);
    const { location } = await post(console.app, act('import-7', 'check'));
    expect(await words(console, location)).toMatch(
      /Checked\. 2 more succeeded, 1 more dead, 3 fewer waiting\. .* 184 of 240 ended/,
    );
    const again = await post(console.app, act('import-7', 'check'));
    expect(await words(console, again.location)).toContain('Checked. Nothing was missed.');
  });

  it('ends one by a check', async () => {
    const console = await filled();
    console.stored.end('late-feed', SUCCESS, 2, 3);
    const { location } = await post(console.app, act('late-feed', 'check'));
    expect(await words(console, location)).toMatch(/2 fewer waiting\. The group has ended\. .* Ended 4 of 4/);
  });

  it('does nothing where it does not apply by the time the form is sent', async () => {
    const console = await filled();
    const fields = {
      csrf: /name="csrf" value="([^"]+)"/.exec(await page(console, act('day-335', 'seal')))?.[1] ?? '',
      seen: '',
    };
    await console.stored.groups.seal('day-335');
    const { location } = await post(console.app, act('day-335', 'seal'), fields);
    expect(await words(console, location)).toContain('Nothing was done: Seal does not apply now.');
    expect((await post(console.app, act('unknown', 'seal'), fields)).status).toBe(404);
    expect((await post(console.app, act('day-335', 'remove'), fields)).status).toBe(404);
    expect(console.log).toEqual([]);
    for (const path of [act('done-1', 'check'), act('import-7', 'seal'), act('import-7', 'remove')])
      expect((await get(console.app, path)).status, path).toBe(303);
  });

  it('says why it has failed, on its page and in the log', async () => {
    const console = await filled();
    console.stored.end('day-335', SUCCESS, 5);
    console.store.groups.write = () => Promise.reject(new Error('no right to write into the table'));
    for (const [name, label] of [
      ['seal', 'Seal'],
      ['check', 'Check'],
    ] as const) {
      const { status, text } = await post(console.app, act('day-335', name));
      expect(status).toBe(500);
      expect(plain(text)).toContain(`${label} has failed: no right to write into the table`);
      expect(text).toContain('role="alert"');
      expect(console.log.at(-1)).toMatchObject({
        text: `${name} the group day-335`,
        result: 'failed: no right to write into the table',
      });
    }
  });

  it('goes on behind the answer where a producer inserts members, and its page says so, and how it ends', async () => {
    const console = await filled();
    const { groups } = console.store;
    const key = 'group-page#0#day-335';
    const page0 = (await groups.read([key])).get(key);
    await groups.write(key, { until: console.time.now + MINUTE, rev: 'busy' }, String(page0?.rev));
    const { text } = await get(console.app, act('day-335', 'seal'));
    const fields = { csrf: hiddenField(text, 'csrf'), seen: '' };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const sent = post(console.app, act('day-335', 'seal'), fields);
    await turnsUntil(() => vi.getTimerCount() > 0);
    vi.advanceTimersByTime(5_000);
    expect(await words(console, (await sent).location)).toMatch(
      /Seal goes on: this page says how it ends\. .* Seal, begun now .*, goes on, as long as this console runs\./,
    );
    const second = await post(console.app, act('day-335', 'check'), fields);
    expect([second.status, plain(second.text)]).toEqual([
      422,
      expect.stringContaining('Check has failed: a seal of this group is under way: wait for its end'),
    ]);
    console.time.now += 2 * MINUTE;
    await turnsUntil(() => console.log.length > 0);
    expect(await words(console, show('day-335'))).toMatch(
      /Sealed 5 of 12 ended, 41 % Seal, begun 2 min ago .*: Sealed: it takes no more members\./,
    );
  });

  it('says which rights it needs where one is lacking', async () => {
    const console = await filled();
    console.store.groups.write = () =>
      Promise.reject(new StoreAccessError('UpdateItem (table Control): access denied'));
    const { text } = await post(console.app, act('day-335', 'seal'));
    expect(plain(text)).toContain(
      'access denied. It needs the rights of grantGroups, beside those of an operator.',
    );
  });

  it('needs the right to write, and the token of the form', async () => {
    const forged = { csrf: 'x', seen: '' };
    const readOnly = await filled({ access: READ_ONLY });
    const text = await page(readOnly, show('day-335'));
    expect(text).not.toContain('/groups/act');
    expect(text).toMatch(
      /<button type="button" class="btn danger end" disabled="" aria-describedby="read-only">/,
    );
    expect(await page(readOnly, act('day-335', 'seal'))).toMatch(/<button [^>]*type="submit" disabled/);
    const console = await filled();
    for (const one of [readOnly, console])
      expect((await post(one.app, act('day-335', 'seal'), forged)).status).toBe(403);
    expect(await console.stored.groups.get('day-335')).toMatchObject({ state: 'open' });
    expect(console.log).toEqual([]);
  });
});
