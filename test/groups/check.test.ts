import { beforeEach, describe, expect, it } from 'vitest';
import { checkGroup } from '../../src/groups/check-group.js';
import { pageKey } from '../../src/groups/names.js';
import type { MemorySharedItems } from '../../src/store/memory/shared-items.js';
import { GroupWorld, onComplete, records, START } from './world.js';

let world: GroupWorld;
beforeEach(() => {
  world = new GroupWorld();
});
const begin = (count: number, options: object = {}) =>
  world.groups.insert('import', records(count), { onComplete, ...options });
const endOf = () => (world.payloadOf('import') as { group: object }).group;

describe('a check of a group', () => {
  it('corrects ends that were not seen, and finds records that are gone', async () => {
    await begin(5);
    world.succeed('r0');
    world.die('r1');
    world.store.delete('r2');
    world.set('r3', { memberOf: '9#other' });
    world.changes();
    const group = await world.groups.check('import');
    expect(group).toMatchObject({ state: 'sealed', waiting: 1, succeeded: 1, dead: 1, lost: 2 });
    world.succeed('r4');
    world.changes();
    expect(await world.groups.check('import')).toMatchObject({
      state: 'ended',
      succeeded: 2,
      dead: 1,
      lost: 2,
    });
    expect(endOf()).toMatchObject({ complete: true, lost: 2 });
  });

  it('finds dead members that hold the group, and were redriven or deleted unseen', async () => {
    await begin(3, { deadMembers: 'hold' });
    for (const id of ['r0', 'r1', 'r2']) world.die(id);
    await world.count();
    expect(await world.groups.check('import')).toMatchObject({ state: 'sealed', dead: 3 });
    world.succeed('r0');
    world.set('r1', { status: 'NEW', deadReason: undefined });
    world.store.delete('r2');
    world.changes();
    expect(await world.groups.check('import')).toMatchObject({
      waiting: 1,
      succeeded: 1,
      dead: 0,
      removed: 1,
    });
    world.succeed('r1');
    await world.count();
    expect(endOf()).toMatchObject({ complete: true, succeeded: 2, removed: 1 });
  });

  it('reports the first death that it finds', async () => {
    await begin(2, { onFirstDeath: { queue: 'alerts' } });
    world.die('r1');
    await world.groups.check('import');
    expect(world.item('import/first-death')).toMatchObject({ payload: { group: { member: 'r1' } } });
  });

  it('leaves a group alone whose members wait, and reads each of them once', async () => {
    await begin(3);
    const before = await world.store.groups.read(['group#import', pageKey('import', 0)]);
    expect(await checkGroup('import', world.deps)).toEqual({
      corrected: 0,
      busyUntil: undefined,
    });
    expect(await world.store.groups.read([...before.keys()])).toEqual(before);
  });

  it('leaves a page alone whose members may be under insertion, and closes it when that cannot be', async () => {
    const { insert } = world.store.records;
    world.store.records.insert = async (item) => {
      if (item.id === 'r1') throw new Error('killed');
      return insert.call(world.store.records, item);
    };
    await expect(begin(2, { concurrency: 1 })).rejects.toThrow('killed');
    world.store.records.insert = insert;
    const { rev } = (await world.store.groups.read(['group#import'])).get('group#import') ?? {};
    await world.store.groups.write('group#import', { sealed: true, rev: 'x' }, String(rev));
    world.succeed('r0');
    await world.count();
    world.now = START + 300_000;
    expect(await world.groups.check('import')).toMatchObject({ state: 'sealed', members: 2, waiting: 1 });
    expect(endOf()).toMatchObject({ complete: false });
    world.now = START + 305_000;
    expect(await world.groups.check('import')).toMatchObject({
      state: 'ended',
      members: 1,
      succeeded: 1,
      lost: 0,
    });
  });

  it('goes on behind the number of a page that was never written', async () => {
    await begin(1, { seal: false });
    const { create } = world.store.groups;
    world.store.groups.create = async (key, ...rest) => {
      if (key.startsWith('group-')) throw new Error('killed');
      return create.call(world.store.groups, key, ...rest);
    };
    const more = world.groups.insert('import', records(1, 's'), { onComplete });
    await expect(more).rejects.toThrow('killed');
    world.store.groups.create = create;
    expect(await world.groups.insert('import', records(1, 's'), { onComplete })).toMatchObject({
      inserted: 1,
      state: 'sealed',
    });
    world.succeed('r0', 's0');
    await world.count();
    expect(endOf()).toMatchObject({ complete: true, members: 2 });
  });

  it('ends no group of which a page is damaged, and is no trouble for others', async () => {
    await begin(1);
    const key = pageKey('import', 0);
    const rev = String((await world.store.groups.read([key])).get(key)?.rev);
    await world.store.groups.write(key, { states: 'none', rev: 'x' }, rev);
    world.succeed('r0');
    await world.count();
    await world.groups.check('import');
    expect(endOf()).toMatchObject({ complete: false });
    expect(await world.groups.get('import')).toMatchObject({ state: 'sealed', members: 0 });
  });

  it.each([undefined, 7, null, {}])(
    'goes on with a group whose items have a damaged rev: %s',
    async (rev) => {
      const items = world.store.groups as MemorySharedItems;
      const damage = async () => {
        for (const key of ['group#import', pageKey('import', 0)]) {
          const { rev: _, ...item } = items.item(key) ?? {};
          items.put(key, { ...item, ...(rev !== undefined && { rev }) });
        }
      };
      await begin(2, { seal: false, onFirstDeath: { queue: 'alerts' } });
      await damage();
      await world.groups.insert('import', records(1, 's'), { onComplete, seal: false });
      await damage();
      expect(await world.groups.seal('import')).toBe('sealed');
      world.die('r0');
      await damage();
      await world.count();
      expect(world.item('import/first-death')).toMatchObject({ payload: { group: { member: 'r0' } } });
      expect(await world.groups.get('import')).toMatchObject({ members: 3, waiting: 2, dead: 1 });
      world.succeed('r1', 's0');
      await damage();
      await world.count();
      expect(endOf()).toMatchObject({ complete: true, members: 3, succeeded: 2, dead: 1 });
    },
  );

  it('begins no group, and fills no gap, over an item that is damaged', async () => {
    const items = world.store.groups as MemorySharedItems;
    items.put('group#import', { pages: 'many' });
    expect(await begin(1, { seal: false })).toMatchObject({ inserted: 0, failed: [{ id: 'r0' }] });
    expect(items.item('group#import')).toEqual({ pages: 'many' });
    items.put('group#import', { pages: 1, sealed: true });
    items.put(pageKey('import', 0), { states: 'none' });
    await world.groups.check('import');
    expect(items.item(pageKey('import', 0))).toEqual({ states: 'none' });
    expect(endOf()).toMatchObject({ complete: false });
  });

  it('is nothing for a group that there is not, or whose head is damaged', async () => {
    expect(await world.groups.check('none')).toBeUndefined();
    await world.store.groups.write('group#odd', { pages: 'many', rev: 'a' }, undefined);
    expect(await world.groups.get('odd')).toBeUndefined();
    expect(await world.groups.check('odd')).toBeUndefined();
  });
});
