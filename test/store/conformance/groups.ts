import { expect, it } from 'vitest';
import type { StoreUnderTest } from './under-test.js';

/** The items of groups. */
export function keepingGroups(current: () => StoreUnderTest): void {
  const groups = () => current().groups;
  let names = 0;
  const name = () => `group#conformance-${names++}`;

  it('writes a new item once, and says so to a repeated write', async () => {
    const key = name();
    expect(await groups().write(key, { size: 3, rev: 'a' }, undefined)).toBe(true);
    expect(await groups().write(key, { size: 3, rev: 'a' }, undefined)).toBe(true);
    expect(await groups().write(key, { size: 4, rev: 'b' }, undefined)).toBe(false);
    expect((await groups().read([key])).get(key)).toMatchObject({ size: 3, rev: 'a' });
  });

  it('changes an item that is as it was read, and leaves attributes that are not named', async () => {
    const key = name();
    const states = new Uint8Array([0x12, 0xf0]);
    await groups().write(key, { size: 3, states, rev: 'a' }, undefined);
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

  it('reads many items, and leaves out absent ones', async () => {
    const keys = Array.from({ length: 120 }, name);
    await Promise.all(keys.slice(1).map((key) => groups().write(key, { rev: key }, undefined)));
    const items = await groups().read([...keys, keys[1] ?? '']);
    expect([...items.keys()].sort()).toEqual(keys.slice(1).sort());
    expect((await groups().read([])).size).toBe(0);
  });

  it('shows the notes of held lines to those who read the control table, and no other such item', async () => {
    await groups().write('held-lines#conformance', { keys: ['a'], hasMore: false, rev: 'a' }, undefined);
    await groups().write('line#conformance#a', { next: 1, rev: 'a' }, undefined);
    const { heldLines, queues } = await current().store.control.read();
    expect(heldLines.get('conformance')).toEqual({ keys: 1, hasMore: false });
    expect([...heldLines.keys(), ...queues.keys()].filter((key) => key.includes('#a'))).toEqual([]);
  });

  it('lists keys by their beginning, and removes items', async () => {
    const keys = [name(), name()];
    for (const key of keys) await groups().write(`${key}/list`, { rev: 'a' }, undefined);
    const lists = async () => (await groups().list('group#')).filter((key) => key.endsWith('/list'));
    expect([...(await lists())].sort()).toEqual(keys.map((key) => `${key}/list`).sort());
    await groups().remove(`${keys[0]}/list`);
    await groups().remove(`${keys[0]}/list`);
    expect(await lists()).toEqual([`${keys[1]}/list`]);
  });

  it('scans items by the beginning of their keys, with the attributes that are named', async () => {
    const names = Array.from({ length: 30 }, () => `${name()}/scan`);
    for (const key of names)
      await groups().write(key, { size: 3, states: new Uint8Array([7]), ids: 'x', rev: key }, undefined);
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
