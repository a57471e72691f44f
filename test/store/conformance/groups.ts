import { expect, it } from 'vitest';
import type { StoreUnderTest } from './under-test.js';

/** The items of groups. */
export function keepingGroups(current: () => StoreUnderTest): void {
  const groups = () => current().groups;
  let names = 0;
  const name = () => `group#conformance-${names++}`;

  it('writes a new item once, and says so to a repeated write', async () => {
    const key = name();
    expect(await groups().create(key, { size: 3, rev: 'a' })).toBe(true);
    expect(await groups().create(key, { size: 3, rev: 'a' })).toBe(true);
    expect(await groups().create(key, { size: 4, rev: 'b' })).toBe(false);
    expect((await groups().read([key])).get(key)).toMatchObject({ size: 3, rev: 'a' });
  });

  it('changes an item that is as it was read, and leaves attributes that are not named', async () => {
    const key = name();
    const states = new Uint8Array([0x12, 0xf0]);
    await groups().create(key, { size: 3, states, rev: 'a' });
    expect(await groups().write(key, { size: 4, rev: 'c' }, 'b')).toBe(false);
    expect(await groups().write(key, { size: 4, rev: 'b' }, 'a')).toBe(true);
    expect(await groups().write(key, { size: 4, rev: 'b' }, 'a')).toBe(true);
    const item = (await groups().read([key])).get(key);
    expect(item).toMatchObject({ size: 4, rev: 'b' });
    expect(Uint8Array.from(item?.states as Uint8Array)).toEqual(states);
  });

  it('writes no item that is gone', async () => {
    expect(await groups().write(name(), { rev: 'b' }, 'a')).toBe(false);
  });

  it('writes an item that is not there as one without a rev, once', async () => {
    const key = name();
    expect(await groups().write(key, { size: 3, rev: 'a' }, undefined)).toBe(true);
    expect(await groups().write(key, { size: 3, rev: 'a' }, undefined)).toBe(true);
    expect(await groups().write(key, { size: 4, rev: 'b' }, undefined)).toBe(false);
    expect((await groups().read([key])).get(key)).toMatchObject({ size: 3, rev: 'a' });
  });

  it.each([
    ['no rev', {}],
    ['a number', { rev: 5 }],
    ['null', { rev: null }],
    ['a list', { rev: ['a'] }],
    ['a map', { rev: { a: 'a' } }],
    ['bytes', { rev: new Uint8Array([97]) }],
  ])('goes on with an item whose rev is damaged, from one process: %s', async (_, damaged) => {
    const key = name();
    await current().putControl(key, { size: 3, kept: 1, ...damaged });
    expect(await groups().create(key, { size: 4, rev: 'b' })).toBe(false);
    expect(await groups().write(key, { size: 4, rev: 'b' }, 'a')).toBe(false);
    expect(await groups().write(key, { size: 4, rev: 'b' }, undefined)).toBe(true);
    expect(await groups().write(key, { size: 5, rev: 'c' }, undefined)).toBe(false);
    expect((await groups().read([key])).get(key)).toMatchObject({ size: 4, kept: 1, rev: 'b' });
  });

  it('reads many items, and leaves out absent ones', async () => {
    const keys = Array.from({ length: 120 }, name);
    await Promise.all(keys.slice(1).map((key) => groups().create(key, { rev: key })));
    const items = await groups().read([...keys, keys[1] ?? '']);
    expect([...items.keys()].sort()).toEqual(keys.slice(1).sort());
    expect((await groups().read([])).size).toBe(0);
  });

  it('shows the notes of held lines to those who read the control table, and no other such item', async () => {
    await groups().create('held-lines#conformance', { keys: ['a'], hasMore: false, rev: 'a' });
    await groups().create('line#conformance#a', { next: 1, rev: 'a' });
    const { heldLines, queues } = await current().store.control.read();
    expect(heldLines.get('conformance')).toEqual({ keys: 1, hasMore: false });
    expect([...heldLines.keys(), ...queues.keys()].filter((key) => key.includes('#a'))).toEqual([]);
  });

  it('lists keys by their beginning, and removes items', async () => {
    const keys = [name(), name()];
    for (const key of keys) await groups().create(`${key}/list`, { rev: 'a' });
    const lists = async () => (await groups().list('group#')).filter((key) => key.endsWith('/list'));
    expect([...(await lists())].sort()).toEqual(keys.map((key) => `${key}/list`).sort());
    await groups().remove(`${keys[0]}/list`);
    await groups().remove(`${keys[0]}/list`);
    expect(await lists()).toEqual([`${keys[1]}/list`]);
  });

  it('scans items by the beginning of their keys, with the attributes that are named', async () => {
    const names = Array.from({ length: 30 }, () => `${name()}/scan`);
    for (const key of names)
      await groups().create(key, { size: 3, states: new Uint8Array([7]), ids: 'x', rev: key });
    const found = [];
    let after: string | undefined;
    do {
      const page = await groups().scan({ prefix: 'group#', attributes: ['size', 'states'], after });
      found.push(...page.items.filter(({ key }) => String(key).endsWith('/scan')));
      after = page.next;
    } while (after !== undefined);
    expect(found.map(({ key }) => key).sort()).toEqual([...names].sort());
    const [first] = found;
    expect(Object.keys(first ?? {}).sort()).toEqual(['key', 'size', 'states']);
    expect([first?.size, Uint8Array.from(first?.states as Uint8Array)]).toEqual([3, new Uint8Array([7])]);
  });
}
