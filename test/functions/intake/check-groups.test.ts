import { describe, expect, it } from 'vitest';
// Virtual time does not wait for an import.
import '../../../functions/intake/check-groups.js';
import { sweepHandler } from '../../../functions/intake/sweep-handler.js';
import { RecordGroups } from '../../../src/groups/index.js';
import { StoreUnavailableError } from '../../../src/store/errors.js';
import type { SharedItems } from '../../../src/store/index.js';
import { replacing } from '../../simulation/replacing.js';
import { context, workbench } from '../support.js';

const DAY = 86_400;

/** The sweep of a backlog, and an application that has groups there. */
function bench({
  env = { BACKLOG_GROUPS: 'true' },
  onRead = () => {},
}: {
  readonly env?: Readonly<Record<string, string>>;
  readonly onRead?: (key: string) => void;
} = {}) {
  const made = workbench({ default: { retryMode: 'perRecord' } });
  const { store, clock, overrides } = made;
  const invoker = { async sendToRedelivery() {}, async sendShortWait() {}, async giveUp() {} };
  const read: SharedItems['read'] = (keys) => {
    keys.forEach(onRead);
    return store.groups.read(keys);
  };
  const groups = new RecordGroups({ table: 'records', controlTable: 'control', store, clock });
  const sweep = sweepHandler({
    ...overrides,
    env: { ...overrides.env, ...env },
    invoker,
    groups: replacing({ groups: { read } }, store),
  });
  const itemOf = (id: string) => store.items().find((item) => item.id === id);
  /** Inserts a group, and ends its members where no event tells it. */
  const ended = async (id: string) => {
    await groups.insert(id, [{ id: `${id}/0`, payload: 1 }], { onComplete: {}, timeout: '365d' });
    store.put({ ...itemOf(`${id}/0`), status: 'SUCCESS', id: `${id}/0` });
  };
  const lines = (level: string) => made.log().filter((line) => line.level === level);
  return { ...made, groups, sweep, ended, itemOf, lines };
}

describe('the sweep of a backlog with groups', () => {
  it('checks each of them once it has come to its end, and once a day', async () => {
    const { sweep, ended, groups, clock, log } = bench();
    await ended('a');
    expect(await sweep({}, context)).toMatchObject({ ended: 'finished' });
    expect(await groups.get('a')).toMatchObject({ state: 'ended', succeeded: 1 });
    expect(log()).toContainEqual(
      expect.objectContaining({ message: 'groups checked', checked: 1, corrected: 1, failed: 0, left: 0 }),
    );
    await ended('b');
    clock.advance(3_600);
    expect(await sweep({}, context)).toMatchObject({ ended: 'rested' });
    expect(await groups.get('b')).toMatchObject({ state: 'sealed' });
    clock.advance(DAY);
    await sweep({}, context);
    expect(await groups.get('b')).toMatchObject({ state: 'ended' });
  });

  it('has no such work without the prop', async () => {
    const { sweep, ended, groups } = bench({ env: {} });
    await ended('a');
    expect(await sweep({}, context)).toMatchObject({ ended: 'finished' });
    expect(await groups.get('a')).toMatchObject({ state: 'sealed' });
  });

  it('logs a group whose check fails, and goes on with the others', async () => {
    const { sweep, ended, groups, lines } = bench({
      onRead: (key) => {
        if (key === 'group#b') throw new StoreUnavailableError('no answer');
      },
    });
    for (const id of ['a', 'b', 'c']) await ended(id);
    expect(await sweep({}, context)).toMatchObject({ ended: 'finished' });
    for (const id of ['a', 'c']) expect(await groups.get(id)).toMatchObject({ state: 'ended' });
    expect(lines('ERROR')).toMatchObject([
      { message: 'a group could not be checked', group: 'b', reason: 'no answer' },
    ]);
  });

  it('has each group checked some day, if there is time for few', async () => {
    const seen = new Set<string>();
    const { sweep, groups, clock, log } = bench({
      onRead: (key) => {
        clock.advance(2);
        if (key.startsWith('group-ids#')) seen.add(key);
      },
    });
    for (let i = 0; i < 8; i++)
      await groups.insert(`g${i}`, [{ id: `m${i}`, payload: 1 }], { onComplete: {}, timeout: '365d' });
    // A read takes two seconds, and a check has five of them.
    const shortly = { ...context, getRemainingTimeInMillis: () => 52_000 };
    await sweep({}, shortly);
    const checked = log().find(({ message }) => message === 'groups checked');
    expect(checked).toMatchObject({ failed: 0 });
    expect(checked?.left).toBeGreaterThan(4);
    for (let day = 0; day < 60 && seen.size < 8; day++) {
      clock.advance(DAY);
      await sweep({}, shortly);
    }
    expect(seen.size).toBe(8);
  });

  it('looks at each page some day of a group that is too large for one', async () => {
    const { sweep, groups, store, itemOf, clock } = bench({
      onRead: (key) => {
        if (key.startsWith('group-ids#')) clock.advance(6);
      },
    });
    const ids = Array.from({ length: 10 }, (_, i) => `m${i}`);
    for (const id of ids)
      await groups.insert('large', [{ id, payload: 1 }], {
        ...{ onComplete: {}, seal: false, timeout: '365d' },
      });
    // The first ones go on waiting.
    for (const id of ids.slice(5)) store.put({ ...itemOf(id), status: 'SUCCESS', id });
    const shortly = { ...context, getRemainingTimeInMillis: () => 48_000 };
    await sweep({}, shortly);
    expect((await groups.get('large'))?.succeeded).toBeLessThan(5);
    for (let day = 0; day < 100 && (await groups.get('large'))?.succeeded !== 5; day++) {
      clock.advance(DAY);
      await sweep({}, shortly);
    }
    expect(await groups.get('large')).toMatchObject({ state: 'open', succeeded: 5, waiting: 5 });
  });

  it('removes a group whose record of the end is gone, behind all timeouts', async () => {
    const { sweep, groups, store, clock, lines } = bench();
    const members = [{ id: 'm', payload: 1 }];
    for (const id of ['gone', 'kept']) {
      await groups.insert(id, id === 'gone' ? members : [{ id: 'n', payload: 1 }], { onComplete: {} });
    }
    const end = await store.records.get('gone');
    if (end) await store.records.remove(end, 'r');
    await sweep({}, context);
    clock.advance(399 * DAY);
    await sweep({}, context);
    expect(await groups.get('gone')).toMatchObject({ state: 'sealed', waiting: 1 });
    clock.advance(2 * DAY);
    await sweep({}, context);
    expect(await groups.get('gone')).toBeUndefined();
    expect(await store.groups.list('group')).toEqual(
      expect.arrayContaining(['group#kept', 'group-page#0#kept', 'group-ids#0#kept']),
    );
    expect(await store.groups.list('group')).toHaveLength(3);
    expect(lines('WARN')).toMatchObject([
      { message: 'a group is removed, as the record of its end is gone', group: 'gone' },
    ]);
  });
});
