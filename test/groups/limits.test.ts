import { beforeEach, describe, expect, it } from 'vitest';
import { noteStates } from '../../src/groups/note-states.js';
import { StoreUnavailableError } from '../../src/store/index.js';
import { GroupWorld, onComplete, records } from './world.js';

let world: GroupWorld;
beforeEach(() => {
  world = new GroupWorld();
});
const begin = (count: number, options: object = {}) =>
  world.groups.insert('import', records(count), { onComplete, ...options });

describe('a group', () => {
  it('takes no more than 1,000 pages, and reports the other records', async () => {
    await begin(1, { seal: false });
    const rev = String((await world.store.groups.read(['group#import'])).get('group#import')?.rev);
    await world.store.groups.write('group#import', { pages: 1_000, rev: 'x' }, rev);
    const { inserted, failed } = await begin(2, { seal: false });
    expect([inserted, failed.map(({ id }) => id)]).toEqual([0, ['r1']]);
    expect(await world.groups.get('import')).toMatchObject({ state: 'open', members: 1 });
  });

  it('inserts nothing behind the time of a page, which another process may have closed', async () => {
    const { insert } = world.store.records;
    world.store.records.insert = async (item) => {
      if (item.queue === 'rows') world.now += 301_000;
      return insert.call(world.store.records, item);
    };
    await expect(begin(60, { concurrency: 25 })).rejects.toThrow('its page took more than 300 seconds');
    expect(world.store.items().filter(({ queue }) => queue === 'rows').length).toBeLessThanOrEqual(25);
  });

  it('keeps the state that an event brings while its members are checked', async () => {
    await begin(2);
    const { getItems } = world.store.records;
    world.store.records.getItems = async (...given) => {
      const found = await getItems.call(world.store.records, ...given);
      world.store.records.getItems = getItems;
      world.store.delete('r0');
      await world.count();
      return found.filter(({ record }) => record.id === 'r1').slice(1);
    };
    await world.count();
    expect(await world.groups.check('import')).toMatchObject({ removed: 1, lost: 1 });
  });

  it('counts the first death again if the store has no answer for its record', async () => {
    await begin(2, { onFirstDeath: { queue: 'alerts' } });
    await world.count();
    world.die('r0');
    const changes = world.changes();
    const { insert } = world.store.records;
    world.store.records.insert = () => Promise.reject(new StoreUnavailableError('no connection'));
    await expect(noteStates(changes, world.deps)).rejects.toThrow('no connection');
    world.store.records.insert = insert;
    await noteStates(changes, world.deps);
    expect(world.item('import/first-death')).toMatchObject({ payload: { group: { member: 'r0' } } });
  });
});
