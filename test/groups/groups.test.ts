import { beforeEach, describe, expect, it } from 'vitest';
import { RecordGroups } from '../../src/groups/index.js';
import { noteStates } from '../../src/groups/note-states.js';
import { defineTask } from '../../src/tasks/index.js';
import { GroupWorld, onComplete, records, START } from './world.js';

const none = { succeeded: 0, dead: 0, cancelled: 0, removed: 0, lost: 0 };
let world: GroupWorld;
beforeEach(() => {
  world = new GroupWorld();
});
const begin = (count: number, options: object = {}) =>
  world.groups.insert('import', records(count), { onComplete, ...options });
const endOf = (id = 'import') => (world.payloadOf(id) as { group: object }).group;

describe('the end of a group', () => {
  it('starts its record once all members have ended, with the counts in its payload', async () => {
    const result = await begin(4);
    expect(result).toEqual({ inserted: 4, duplicates: [], failed: [], state: 'sealed' });
    expect(world.item('import')).toMatchObject({
      status: 'NEW',
      queue: 'mail',
      payload: { to: 'sales', group: { id: 'import', complete: false } },
      availableAt: new Date(START + 30 * 86_400_000).toISOString(),
    });
    await world.count();
    world.succeed('r0', 'r1');
    world.die('r2');
    await world.count();
    expect(await world.groups.get('import')).toEqual({
      ...none,
      id: 'import',
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
    const counts = { ...none, members: 4, succeeded: 2, dead: 1, cancelled: 1 };
    expect(endOf()).toEqual({ id: 'import', complete: true, ...counts });
    const now = new Date(START + 60_000).toISOString();
    expect(world.item('import')).toMatchObject({
      status: 'NEW',
      payload: { to: 'sales' },
      ...{ lane: 'mail', dueAt: now, availableAt: now },
    });
    expect(await world.groups.get('import')).toEqual({ id: 'import', state: 'ended', waiting: 0, ...counts });
    expect(await world.store.groups.list('group')).toEqual([]);
  });

  it('comes at once for a group without members', async () => {
    expect(await begin(0)).toMatchObject({ inserted: 0, state: 'ended' });
    expect(endOf()).toEqual({ id: 'import', complete: true, members: 0, ...none });
  });

  it('comes with the seal if all members have ended before', async () => {
    expect(await begin(2, { seal: false })).toMatchObject({ state: 'open' });
    world.succeed('r0', 'r1');
    await world.count();
    expect(endOf()).toMatchObject({ complete: false });
    expect(await world.groups.seal('import')).toBe('ended');
    expect(endOf()).toMatchObject({ complete: true, members: 2, succeeded: 2 });
    expect(await world.groups.seal('import')).toBe('ended');
  });

  it('is built up over time, and counts the members of all calls', async () => {
    await begin(3, { seal: false });
    await world.groups.insert('import', records(2, 's'), { onComplete, seal: false });
    world.succeed('r0', 'r1', 'r2', 's0');
    await world.count();
    expect(await world.groups.get('import')).toMatchObject({ state: 'open', members: 5, waiting: 1 });
    expect(await world.groups.seal('import')).toBe('sealed');
    world.succeed('s1');
    await world.count();
    expect(endOf()).toMatchObject({ complete: true, members: 5 });
  });

  it('comes once, though changes come again, late, and twice at the same time', async () => {
    await begin(3);
    world.succeed('r0', 'r1');
    const first = world.changes();
    world.die('r2');
    const last = world.changes();
    await noteStates(first, world.deps);
    await noteStates(first, world.deps);
    await Promise.all([noteStates(last, world.deps), noteStates([...first, ...last], world.deps)]);
    const ended = world.item('import');
    expect(ended.payload).toMatchObject({ group: { complete: true, succeeded: 2, dead: 1 } });
    await noteStates([...first, ...last], world.deps);
    expect(world.item('import')).toEqual(ended);
    expect(await world.store.groups.list('group')).toEqual([]);
  });

  it('is the work of another process where one was lost between the start of its record and the rest', async () => {
    await begin(1);
    world.succeed('r0');
    const changes = world.changes();
    const { remove } = world.store.groups;
    world.store.groups.remove = () => Promise.reject(new Error('lost'));
    await expect(noteStates(changes, world.deps)).rejects.toThrow('lost');
    world.store.groups.remove = remove;
    const started = world.item('import');
    await noteStates(changes, world.deps);
    expect(world.item('import')).toEqual(started);
    expect(await world.store.groups.list('group')).toEqual([]);
  });

  it('waits for a member that was redriven before it', async () => {
    await begin(2);
    world.die('r0');
    await world.count();
    world.set('r0', { status: 'NEW', deadReason: undefined });
    world.succeed('r1');
    await world.count();
    expect(await world.groups.get('import')).toMatchObject({ waiting: 1, dead: 0 });
    world.succeed('r0');
    await world.count();
    expect(endOf()).toMatchObject({ complete: true, succeeded: 2, dead: 0 });
  });

  it('waits, with deadMembers: hold, until dead members have succeeded or are discarded', async () => {
    await begin(3, { deadMembers: 'hold' });
    world.die('r0');
    world.die('r1');
    world.succeed('r2');
    await world.count();
    expect(await world.groups.get('import')).toMatchObject({ state: 'sealed', waiting: 0, dead: 2 });
    world.set('r0', { status: 'NEW', deadReason: undefined });
    await world.count();
    world.succeed('r0');
    await world.count();
    expect(endOf()).toMatchObject({ complete: false });
    world.set('r1', { deadReason: 'discarded' });
    await world.count();
    expect(endOf()).toMatchObject({ complete: true, succeeded: 2, dead: 0, cancelled: 1 });
  });

  it('counts a record that is deleted, or replaced by its producer, as removed', async () => {
    await begin(3);
    await world.count();
    world.store.delete('r0');
    world.store.put({ id: 'r1', status: 'NEW', payload: 'another', queue: 'rows' });
    world.succeed('r2');
    await world.count();
    expect(endOf()).toMatchObject({ complete: true, members: 3, succeeded: 1, removed: 2 });
  });

  it('leaves out records that claim a place which the group does not have, or a group that there is not', async () => {
    await begin(2);
    for (const [i, memberOf] of ['2#import', '5000#import', '0#none', '999999#import'].entries())
      world.store.put({ id: `x${i}`, status: 'SUCCESS', payload: 0, queue: 'rows', memberOf });
    await world.count();
    expect(await world.groups.get('import')).toMatchObject({ members: 2, waiting: 2 });
    expect(await world.groups.get('none')).toBeUndefined();
  });

  it('keeps what others have changed in its record', async () => {
    await begin(1);
    world.set('import', { payload: { to: 'support', group: endOf() }, queue: 'letters', note: 7 });
    world.succeed('r0');
    await world.count();
    expect(world.item('import')).toMatchObject({
      queue: 'letters',
      note: 7,
      payload: { to: 'support', group: { complete: true } },
    });
  });

  it.each([
    ['cancelled', () => world.die('import', 'cancelled: not wanted')],
    ['attempted when its time was over', () => world.set('import', { status: 'ERROR', attempts: 1 })],
    ['attempted, and waits again', () => world.set('import', { attempts: 1 })],
    ['deleted', () => world.store.delete('import')],
    ['given another payload', () => world.set('import', { payload: { mine: 1 } })],
    ['given a payload that is none', () => world.set('import', { payload: null })],
  ])('starts no record that was %s, and says so', async (_, change) => {
    await begin(1);
    change();
    const before = world.store.item('import');
    world.succeed('r0');
    await world.count();
    expect(world.store.item('import')).toEqual(before);
    expect(world.lines).toContainEqual([
      'warn',
      'a group has ended, and its record does not wait for it any more',
      expect.objectContaining({ group: 'import', succeeded: 1 }),
    ]);
    expect(await world.store.groups.list('group')).toEqual([]);
  });
});

describe('the first death', () => {
  const onFirstDeath = { queue: 'alerts', payload: { urgent: true } };

  it('inserts one record, with the id of the member', async () => {
    await begin(3, { onFirstDeath });
    world.succeed('r0');
    await world.count();
    expect(world.store.item('import/first-death')).toBeUndefined();
    world.die('r2');
    await world.count();
    expect(world.item('import/first-death')).toMatchObject({
      status: 'NEW',
      queue: 'alerts',
      payload: { urgent: true, group: { id: 'import', complete: false, member: 'r2' } },
    });
    world.store.delete('import/first-death');
    world.die('r1');
    await world.count();
    expect(world.store.item('import/first-death')).toBeUndefined();
    expect(endOf()).toMatchObject({ complete: true, dead: 2 });
  });

  it('is none where members are cancelled', async () => {
    await begin(1, { onFirstDeath });
    world.die('r0', 'cancelled: not wanted');
    await world.count();
    expect(world.store.item('import/first-death')).toBeUndefined();
  });
});

describe('an insertion', () => {
  it('leaves out of the group what is there already, comes twice, or cannot be stored', async () => {
    world.store.put({ id: 'r1', status: 'SUCCESS', payload: 0, queue: 'rows' });
    const source = [
      ...records(3),
      { id: 'r0', payload: 9 },
      { id: 'bad', payload: undefined },
      7,
      { payload: 'own id' },
    ];
    const result = await world.groups.insert('import', source as never, { onComplete });
    expect(result).toMatchObject({
      inserted: 3,
      duplicates: expect.arrayContaining(['r0', 'r1']),
      state: 'sealed',
    });
    expect(result.failed.map(({ id, index, error }) => [id, index, error.name])).toEqual([
      ['bad', 4, 'InvalidRecordError'],
      [undefined, 5, 'InvalidRecordError'],
    ]);
    expect(await world.groups.get('import')).toMatchObject({ members: 3, waiting: 3 });
    const ids = [];
    for await (const id of world.groups.waiting('import')) ids.push(id);
    expect(ids).toEqual(['r0', 'r2', expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    world.succeed(...ids);
    await world.count();
    expect(endOf()).toMatchObject({ complete: true, members: 3, succeeded: 3 });
  });

  it('fills pages of 1,000 members', async () => {
    const progress: number[] = [];
    await begin(2_500, { onProgress: ({ inserted }: { inserted: number }) => progress.push(inserted) });
    expect(progress.at(-1)).toBe(2_500);
    expect((await world.store.groups.list('group-page#')).length).toBe(3);
    expect(await world.groups.get('import')).toMatchObject({ members: 2_500, waiting: 2_500 });
    expect(world.item('r2499')).toMatchObject({ memberOf: '2499#import' });
    world.succeed(...records(2_500).map(({ id }) => id));
    await world.count();
    expect(endOf()).toMatchObject({ complete: true, members: 2_500, succeeded: 2_500 });
  });

  it('takes the records of a task, checked by its schema, with options of their own', async () => {
    const task = defineTask<{ row: number }>({
      name: 'import-row',
      queue: 'rows',
      key: ({ row }) => `k${row}`,
      perform: () => {},
    });
    const payloads = [{ row: 1 }, { payload: { row: 2 }, id: 'two', delay: '1h' }];
    expect(await world.groups.insert('import', task, payloads, { onComplete })).toMatchObject({
      inserted: 2,
    });
    expect(world.item('two')).toMatchObject({
      task: 'import-row',
      key: 'k2',
      memberOf: '1#import',
      availableAt: new Date(START + 3_600_000).toISOString(),
    });
  });

  it('comes again with the same records: each is a member once', async () => {
    await begin(3, { seal: false });
    expect(await begin(4)).toMatchObject({ inserted: 1, duplicates: ['r0', 'r1', 'r2'], state: 'sealed' });
    expect(await world.groups.get('import')).toMatchObject({ members: 4, waiting: 4 });
  });

  it('reports each new record for a group that is sealed or has ended', async () => {
    await begin(2);
    expect(await begin(2)).toMatchObject({
      inserted: 0,
      duplicates: ['r0', 'r1'],
      failed: [],
      state: 'sealed',
    });
    world.succeed('r0', 'r1');
    await world.count();
    const late = await world.groups.insert('import', records(3), { onComplete });
    expect(late).toMatchObject({ inserted: 0, duplicates: ['r0', 'r1'], state: 'ended' });
    expect(late.failed.map(({ id, error }) => [id, error.message])).toEqual([
      ['r2', 'record "r2": the group import takes no more members'],
    ]);
    expect(world.store.item('r2')).toBeUndefined();
  });

  it('reports what it has not inserted when another process seals the group meanwhile', async () => {
    let isSealed = false;
    const onProgress = () => {
      if (!isSealed) void world.groups.seal('import');
      isSealed = true;
    };
    const result = await begin(1_500, { onProgress, seal: false });
    expect(result).toMatchObject({ inserted: 1_000, duplicates: [], state: 'sealed' });
    expect(result.failed).toHaveLength(500);
    expect(result.failed[0]).toMatchObject({ id: 'r1000', index: 1_000 });
    expect(result.failed[0]?.error.message).toBe('record "r1000": the group import takes no more members');
    world.succeed(...records(1_000).map(({ id }) => id));
    await world.count();
    expect(endOf()).toMatchObject({ complete: true, members: 1_000 });
  });

  it('ends a group whose call was lost between its seal and its end', async () => {
    await begin(1, { seal: false });
    world.succeed('r0');
    await world.count();
    const { read, write } = world.store.groups;
    world.store.groups.write = async (...given) => {
      world.store.groups.read = () => Promise.reject(new Error('killed'));
      return write.call(world.store.groups, ...given);
    };
    await expect(world.groups.seal('import')).rejects.toThrow('killed');
    Object.assign(world.store.groups, { read, write });
    expect(endOf()).toMatchObject({ complete: false });
    expect(await begin(1)).toMatchObject({ inserted: 0, duplicates: ['r0'], state: 'ended' });
    expect(endOf()).toMatchObject({ complete: true });
  });

  it('goes on where a call was cut off, and ends once all members have ended', async () => {
    const source = async function* () {
      yield* records(1_200);
      throw new Error('the file ends here');
    };
    const cutOff = world.groups.insert('import', source(), { onComplete });
    await expect(cutOff).rejects.toMatchObject({
      name: 'InsertInterruptedError',
      message: expect.stringContaining('the file ends here'),
      result: { inserted: 1_000 },
      taken: 1_200,
    });
    expect(await world.groups.get('import')).toMatchObject({ state: 'open', members: 1_000 });
    expect(await begin(1_300)).toMatchObject({ inserted: 300, state: 'sealed' });
    expect(await world.groups.get('import')).toMatchObject({ members: 1_300, waiting: 1_300 });
  });

  it('waits for the page of a call that was lost, and counts what that has inserted', async () => {
    let inserted = 0;
    const { insert } = world.store.records;
    world.store.records.insert = async (item) => {
      if (item.queue === 'rows' && ++inserted > 7) throw new Error('killed');
      return insert.call(world.store.records, item);
    };
    await expect(begin(20, { concurrency: 5 })).rejects.toThrow('killed');
    world.store.records.insert = insert;
    const there = world.store.items().filter(({ queue }) => queue === 'rows').length;
    expect(there).toBeGreaterThan(4);
    // An end in the meantime is counted.
    world.succeed('r0');
    await world.count();
    const again = await begin(20);
    expect(again).toMatchObject({ inserted: 20 - there, state: 'sealed' });
    expect(world.now - START).toBeGreaterThanOrEqual(300_000);
    expect(await world.groups.get('import')).toMatchObject({
      members: 20,
      waiting: 19,
      succeeded: 1,
      lost: 0,
    });
  });

  it('stops at its signal, also while it waits', async () => {
    const stop = new AbortController();
    const onProgress = () => stop.abort(new Error('stopped'));
    await expect(begin(2_000, { onProgress, signal: stop.signal })).rejects.toMatchObject({
      name: 'InsertInterruptedError',
      message: expect.stringContaining('stopped'),
    });
    expect(await world.groups.get('import')).toMatchObject({ state: 'open' });
  });

  it('refuses an id that is that of another record, and inserts nothing', async () => {
    world.store.put({ id: 'import', status: 'NEW', payload: {}, queue: 'rows' });
    await expect(begin(1)).rejects.toThrow(
      'group import: expected an id of its own, but it is that of another record',
    );
    expect(world.store.items()).toHaveLength(1);
  });

  it.each<[string, unknown, unknown, string]>([
    ['no id', '', { onComplete }, 'insert: id: expected text of 1 to 128 bytes, got ""'],
    ['a long id', 'ü'.repeat(65), { onComplete }, 'insert: id: expected text of 1 to 128 bytes'],
    ['no record of the end', 'g', {}, 'insert.onComplete: expected object, got nothing'],
    [
      'a payload that is a list',
      'g',
      { onComplete: { payload: [1] } },
      'onComplete.payload: expected an object, got',
    ],
    [
      'a payload with group',
      'g',
      { onComplete: { payload: { group: 1 } } },
      'onComplete.payload.group: expected nothing',
    ],
    [
      'the attribute of the end',
      'g',
      { onComplete: { attributes: { endOf: 'other' } } },
      'group g: onComplete.attributes.endOf: expected nothing, as the group writes it',
    ],
    ['attributes that are none', 'g', { onComplete: { attributes: 'x' } }, 'attributes: expected an object'],
    ['an id for the end', 'g', { onComplete: { id: 'x' } }, 'insert.onComplete: unknown option "id"'],
    ['a bad queue', 'g', { onComplete: { queue: 'a b' } }, 'record "g": queue: expected'],
    [
      'a bad first death',
      'g',
      { onComplete, onFirstDeath: { queue: 'a b' } },
      'record "g/first-death": queue: expected',
    ],
    ['a bad timeout', 'g', { onComplete, timeout: '2y' }, 'insert.timeout: expected'],
    ['a bad choice', 'g', { onComplete, deadMembers: 'wait' }, 'insert.deadMembers: expected'],
    [
      'an unknown option',
      'g',
      { onComplete, seals: true },
      'insert: unknown option "seals"; did you mean "seal"?',
    ],
  ])('refuses %s, and inserts nothing', async (_, id, options, message) => {
    await expect(world.groups.insert(id as string, records(1), options as never)).rejects.toThrow(message);
    expect(world.store.items()).toEqual([]);
    expect(await world.store.groups.list('')).toEqual([]);
  });

  it('refuses what is no source, and a group that there is not', async () => {
    await expect(world.groups.insert('g', 7 as never, { onComplete })).rejects.toThrow(
      'insert: expected an array, or another source of records, got 7',
    );
    await expect(world.groups.seal('g')).rejects.toThrow(
      'seal: expected the id of a group, but there is no group "g"',
    );
    expect(() => new RecordGroups({ table: 'records' } as never)).toThrow(
      'RecordGroups.controlTable: expected',
    );
  });

  it('reports a record that names a place by itself', async () => {
    const source = [{ id: 'a', payload: 1, attributes: { memberOf: '3#other' } }];
    const { failed } = await world.groups.insert('import', source, { onComplete });
    expect(failed[0]?.error.message).toBe(
      'record "a": attributes.memberOf: expected nothing, as the group writes it',
    );
  });
});
