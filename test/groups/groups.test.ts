import { describe, expect, it } from 'vitest';
import { GroupWorld, onComplete, records, START } from './world.js';

const counts = { members: 0, succeeded: 0, dead: 0, cancelled: 0, removed: 0, lost: 0 };

describe('a group', () => {
  it('starts its record once all members have ended, with the counts in its payload', async () => {
    const world = new GroupWorld();
    const result = await world.groups.insert('import-7', records(4), { onComplete });
    expect(result).toEqual({ inserted: 4, duplicates: [], failed: [], state: 'sealed' });
    expect(world.item('import-7')).toMatchObject({
      status: 'NEW',
      queue: 'mail',
      payload: { to: 'sales', group: { id: 'import-7', complete: false } },
      availableAt: new Date(START + 30 * 86_400_000).toISOString(),
    });
    await world.count();
    world.succeed('r0', 'r1');
    world.die('r2');
    await world.count();
    expect(await world.groups.get('import-7')).toEqual({
      ...counts,
      id: 'import-7',
      state: 'sealed',
      createdAt: new Date(START).toISOString(),
      members: 4,
      waiting: 1,
      succeeded: 2,
      dead: 1,
    });
    world.now += 60_000;
    world.die('r3', 'cancelled: not wanted');
    await world.count();
    const group = {
      ...counts,
      id: 'import-7',
      complete: true,
      members: 4,
      succeeded: 2,
      dead: 1,
      cancelled: 1,
    };
    expect(world.item('import-7')).toMatchObject({ payload: { to: 'sales', group }, status: 'NEW' });
    expect(world.item('import-7')).toMatchObject({ availableAt: new Date(START + 60_000).toISOString() });
    expect(world.item('import-7')).not.toHaveProperty('lane');
    expect(await world.groups.get('import-7')).toMatchObject({
      state: 'ended',
      members: 4,
      waiting: 0,
      dead: 1,
    });
    expect(await world.store.groups.list('group')).toEqual([]);
  });
});
