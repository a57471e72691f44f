import { beforeEach, describe, expect, it } from 'vitest';
import { idsKey } from '../../src/groups/names.js';
import { GroupWorld, onComplete, records } from './world.js';

let world: GroupWorld;
beforeEach(() => {
  world = new GroupWorld();
});
const begin = (given: object[], options: object = {}) =>
  world.groups.insert('import', given as never, { onComplete, ...options });
const endOf = () => (world.payloadOf('import') as { group: object }).group;
const many = { onComplete, seal: false };

describe('a group', () => {
  it('is not begun again by a call that was held up while it ended', async () => {
    await begin(records(1));
    world.succeed('r0');
    const { get } = world.store.records;
    world.store.records.get = async (id) => {
      const record = await get.call(world.store.records, id);
      world.store.records.get = get;
      await world.count();
      return record;
    };
    const late = await begin(records(1, 'late'));
    expect(late).toMatchObject({ inserted: 0, state: 'ended', failed: [{ id: 'late0' }] });
    expect(await world.store.groups.list('group')).toEqual([]);
    expect(endOf()).toMatchObject({ complete: true, members: 1 });
  });

  it('ends where another process seals it, and the source of the last call breaks', async () => {
    const source = async function* () {
      yield* records(1_001);
      throw new Error('the file ends here');
    };
    const { write } = world.store.groups;
    world.store.groups.write = async (key, attributes, expected) => {
      // The page is closed only behind the events of its members.
      if (key.startsWith('group-page#') && expected !== undefined && attributes.until === 0) {
        world.store.groups.write = write;
        world.succeed(...records(1_000).map(({ id }) => id));
        await world.count();
        await world.groups.seal('import');
        return false;
      }
      return write.call(world.store.groups, key, attributes, expected);
    };
    await expect(world.groups.insert('import', source(), many)).rejects.toThrow();
    expect(endOf()).toMatchObject({ complete: true, members: 1_000, succeeded: 1_000 });
  });

  it('takes no ids that another page has left for its own, and loses no member for that', async () => {
    await world.store.groups.write(idsKey('import', 0), { ids: ['x'], rev: 'a' }, undefined);
    await expect(begin(records(2))).rejects.toThrow('page 0 was closed before it began');
    world.now += 400_000;
    expect(await begin(records(2))).toMatchObject({ inserted: 2, state: 'sealed' });
    expect(await world.groups.check('import')).toMatchObject({ waiting: 2, lost: 0 });
  });

  it('loses no members whose ids cannot be read', async () => {
    await begin(records(2));
    await world.store.groups.remove(idsKey('import', 0));
    await expect(world.groups.check('import')).rejects.toThrow('the ids of page 0 are not there, or damaged');
    world.succeed('r0', 'r1');
    await world.count();
    expect(endOf()).toMatchObject({ complete: true, succeeded: 2 });
  });

  it('has its end, and a line in the log, where the record of its first death is refused', async () => {
    await begin(records(2), { onFirstDeath: { queue: 'alerts' } });
    const { insert } = world.store.records;
    world.store.records.insert = async (item) => {
      if (item.id === 'import/first-death')
        throw new Error('Item size has exceeded the maximum allowed size');
      return insert.call(world.store.records, item);
    };
    world.die('r0');
    world.succeed('r1');
    await world.count();
    expect(endOf()).toMatchObject({ complete: true, dead: 1, succeeded: 1 });
    expect(world.lines).toContainEqual([
      'error',
      'the record of a first death could not be inserted',
      { group: 'import', id: 'r0', reason: expect.stringContaining('Item size') },
    ]);
  });

  it('has as many pages after a call that comes again', async () => {
    await begin(records(2_000), { seal: false });
    for (let again = 0; again < 3; again++) await begin(records(2_000), { seal: false });
    expect(await begin(records(2_500))).toMatchObject({ inserted: 500, state: 'sealed' });
    expect((await world.store.groups.list('group-page#')).length).toBe(3);
    expect((await world.store.groups.list('group-ids#')).length).toBe(3);
    world.succeed(...records(2_500).map(({ id }) => id));
    await world.count();
    expect(endOf()).toMatchObject({ complete: true, members: 2_500, succeeded: 2_500 });
  });
});
