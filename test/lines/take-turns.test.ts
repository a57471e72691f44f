import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/store/errors.js';
import type { MemorySharedItems } from '../../src/store/memory/shared-items.js';
import { numbers, OneLine } from './one-line.js';

describe('a line', () => {
  it.each([undefined, 7, null, {}])('goes on if the rev of its items is damaged: %s', async (rev) => {
    const line = new OneLine();
    const damage = async (key: string) => {
      const { rev: _, ...item } = (await line.store.lines.read([key])).get(key) ?? {};
      (line.store.lines as MemorySharedItems).put(key, { ...item, ...(rev !== undefined && { rev }) });
    };
    await line.come(1, 2, 15);
    await damage('line#q#k');
    await damage('line-page#0#q#k');
    expect((await line.come(3)).start).toBeUndefined();
    expect((await line.page(0))?.waiting).toEqual([2, '2', 3, '3', 15, '15']);
    expect((await line.end('1')).start?.id).toBe('2');
    await damage('line#q#k');
    await damage('line-page#0#q#k');
    expect((await line.end('2')).start?.id).toBe('3');
    await line.come(...numbers(4, 14), 16);
    for (const seq of numbers(3, 14)) expect((await line.end(`${seq}`)).start?.id).toBe(`${seq + 1}`);
    await damage('line-page#0#q#k');
    expect((await line.end('15')).start?.id).toBe('16');
    // No process could tell whether it was changed since.
    expect(await line.page(0)).toBeDefined();
  });

  it('begins with number 1, and notes it in no page', async () => {
    const line = new OneLine();
    expect((await line.come(1)).start?.id).toBe('1');
    expect(await line.page(0)).toBeUndefined();
    expect(await line.line()).toMatchObject({ next: 1, head: { id: '1', seq: 1, by: '1' } });
  });

  it('lets the others wait, and gives them their turns by their numbers', async () => {
    const line = new OneLine();
    expect((await line.come(3, 1)).start?.id).toBe('1');
    expect((await line.come(2)).start).toBeUndefined();
    expect((await line.end('1')).start?.id).toBe('2');
    expect((await line.end('2')).start?.id).toBe('3');
    expect((await line.end('3')).start).toBeUndefined();
    expect(await line.line()).toMatchObject({ next: 4, head: null });
  });

  it('begins a turn again if the change comes again by which it has begun', async () => {
    const line = new OneLine();
    await line.come(1, 2, 3);
    await line.end('1');
    expect((await line.take([line.change('1')])).start?.id).toBe('2');
    expect((await line.take([line.change('3')])).start).toBeUndefined();
    line.put('2', 2, { status: 'SUCCESS' });
    expect((await line.take([line.change('1')])).start).toBeUndefined();
  });

  it('starts a record as it is behind its turn: a run may have taken it out of the index', async () => {
    const line = new OneLine();
    await line.come(1);
    line.put('2', 2, { lane: 'q', dueAt: '2026-01-01T00:00:00.000Z', rev: 'r' });
    await line.take([line.change('2')]);
    line.once('write', 'line#', () => line.put('2', 2, { rev: 's' }));
    const { start } = await line.end('1');
    expect(start).toMatchObject({ id: '2', rev: 's' });
    expect(start?.lane).toBeUndefined();
  });

  it('goes on by a number only when a record has it, or after the time for gaps', async () => {
    const line = new OneLine();
    expect(await line.come(2, 4)).toEqual({ skipped: 0, later: { id: '2', seconds: 120 } });
    line.now += 119_000;
    expect(await line.look('2')).toMatchObject({ later: { id: '2', seconds: 1 } });
    line.now += 1_000;
    expect(await line.look('2')).toMatchObject({ start: { id: '2' }, skipped: 1 });
    expect(await line.line()).toMatchObject({ leftOut: { from: 1, to: 1 }, gapSince: null });
    expect(await line.end('2')).toEqual({ skipped: 0, later: { id: '4', seconds: 120 } });
    expect((await line.come(3)).start?.id).toBe('3');
  });

  it('that is lost, where no number is left out, goes on when one may be for a while', async () => {
    const line = new OneLine();
    line.rules = { ...line.rules, skipGapAfter: undefined };
    expect(await line.come(41, 42)).toMatchObject({ held: 'new' });
    line.rules = { ...line.rules, skipGapAfter: 120 };
    line.now += 121_000;
    expect(await line.look('42')).toMatchObject({ start: { id: '41' }, skipped: 40 });
    line.rules = { ...line.rules, skipGapAfter: undefined };
    expect((await line.end('41')).start?.id).toBe('42');
  });

  it('waits for a number for ever where none is left out', async () => {
    const line = new OneLine();
    line.rules = { ...line.rules, skipGapAfter: undefined };
    expect(await line.come(2)).toEqual({ skipped: 0, later: undefined, held: 'new' });
    line.now += 1e12;
    expect(await line.look('2')).toEqual({ skipped: 0, later: undefined, held: 'known' });
    expect(await line.come(1)).toMatchObject({ start: { id: '1' } });
  });

  it('is held by a dead head, until that is over, and by no other', async () => {
    const line = new OneLine();
    await line.come(1, 2);
    expect((await line.end('1', { status: 'ERROR' })).held).toBeUndefined();
    expect((await line.end('1', { status: 'DEAD' })).held).toBe('new');
    expect((await line.come(3)).held).toBeUndefined();
    line.put('1', 1, { status: 'ERROR' });
    expect((await line.look('1')).held).toBeUndefined();
    const discarded = await line.end('1', { status: 'DEAD', deadReason: 'discarded: not wanted' });
    expect(discarded).toMatchObject({ start: { id: '2' } });
    expect(discarded.held).toBeUndefined();
    line.rules = { ...line.rules, onDeadHead: 'skip' };
    expect(await line.end('2', { status: 'DEAD' })).toMatchObject({ start: { id: '3' } });
  });

  it('cancels none behind a head that an operator has given up, as its attempt did not', async () => {
    const line = new OneLine();
    line.rules = { ...line.rules, onDeadHead: 'cancel' };
    await line.come(1, 2, 3);
    const given = { status: 'DEAD', deadReason: 'discarded: not wanted' };
    expect(await line.end('1', given, false)).toMatchObject({ start: { id: '2' } });
    expect((await line.end('2', { status: 'DEAD' })).start).toBeUndefined();
    expect(line.record('3')?.deadReason).toMatch(/^cancelled: /);
  });

  it('takes a number that comes after it was left out before the others', async () => {
    const line = new OneLine();
    await line.come(2, 3);
    line.now += 120_000;
    await line.look('2');
    expect((await line.come(1)).start).toBeUndefined();
    expect((await line.end('2')).start?.id).toBe('1');
    expect((await line.end('1')).start?.id).toBe('3');
  });

  it('gives up when others change the line all the time', async () => {
    const line = new OneLine();
    line.before = async (method, key) => {
      if (method === 'write')
        await line.store.lines.write(key, { rev: `${Math.random()}` }, (await line.line()).rev as string);
    };
    await expect(line.come(1)).rejects.toThrow(StoreUnavailableError);
  });
});

describe('two records with one number', () => {
  it.each([
    ['after another change', false],
    ['with the record behind them, in one batch', true],
  ])('have their turns one after another, when the first one ends %s', async (_, isTogether) => {
    const line = new OneLine();
    await line.come(1);
    line.put('twin', 1);
    await line.take([line.change('twin')]);
    line.put('2', 2);
    if (!isTogether) await line.take([line.change('2')]);
    line.put('1', 1, { status: 'SUCCESS' });
    const ended = { ...line.change('1'), isOwnEnd: true };
    expect((await line.take(isTogether ? [ended, line.change('2')] : [ended])).start?.id).toBe('twin');
    expect((await line.end('twin')).start?.id).toBe('2');
  });

  it.each([false, true])(
    'have their turns, when the second one comes as the first one ends (in one batch: %s)',
    async (isTogether) => {
      const line = new OneLine();
      await line.come(1);
      line.put('2', 2);
      if (!isTogether) await line.take([line.change('2')]);
      line.put('twin', 1);
      line.once('write', 'line#', () => line.take([line.change('twin')]));
      line.put('1', 1, { status: 'SUCCESS' });
      const ended = { ...line.change('1'), isOwnEnd: true };
      const { start } = await line.take(isTogether ? [ended, line.change('2')] : [ended]);
      expect(start?.id).toBe('twin');
    },
  );
});

describe('the end of the head', () => {
  it('by another hand lets the line wait until no attempt of it can be under way', async () => {
    const line = new OneLine();
    await line.come(1, 2);
    line.underAttempt.add('1');
    expect(await line.end('1', {}, false)).toEqual({ skipped: 0, later: { id: '2', seconds: 900 } });
    expect((await line.come(3)).start).toBeUndefined();
    line.now += 899_999;
    expect((await line.look('2')).start).toBeUndefined();
    line.now += 1;
    expect((await line.look('2')).start?.id).toBe('2');
  });

  it('by another hand lets the next one begin where none attempts it', async () => {
    const line = new OneLine();
    await line.come(1, 2);
    expect((await line.end('1', {}, false)).start?.id).toBe('2');
  });

  it('by its own attempt is an end, whatever a journal names', async () => {
    const line = new OneLine();
    await line.come(1, 2);
    line.underAttempt.add('1');
    expect((await line.end('1')).start?.id).toBe('2');
  });

  it('remembers a long attempt of an earlier change of the same batch', async () => {
    const line = new OneLine();
    await line.come(1, 2);
    line.put('1', 1, { status: 'DEAD', deadReason: 'discarded' });
    const ended = line.change('1');
    const turn = await line.take([{ ...ended, goesOn: true }, ended]);
    expect(turn).toEqual({ skipped: 0, later: { id: '2', seconds: 900 } });
  });

  it.each([
    ['hold', undefined],
    ['skip', '2'],
  ] as const)('as dead, with "%s", gives the next one its turn: %s', async (onDeadHead, next) => {
    const line = new OneLine();
    line.rules = { ...line.rules, onDeadHead };
    await line.come(1, 2);
    expect((await line.end('1', { status: 'DEAD', deadReason: 'maxAttempts' })).start?.id).toBe(next);
    if (next === undefined)
      expect((await line.end('1', { status: 'DEAD', deadReason: 'discarded' }, false)).start?.id).toBe('2');
  });

  it('is not that of a record that has come back, when an old change comes again', async () => {
    const line = new OneLine();
    line.rules = { ...line.rules, onDeadHead: 'skip' };
    await line.come(1, 2, 3);
    line.put('1', 1, { status: 'DEAD', deadReason: 'maxAttempts' });
    const old = { ...line.change('1'), isOwnEnd: true };
    await line.take([old]);
    line.put('1', 1);
    await line.take([line.change('1')]);
    expect((await line.end('2')).start?.id).toBe('1');
    expect((await line.take([old])).start?.id).toBe('1');
    expect(await line.line()).toMatchObject({ head: { id: '1' } });
    expect((await line.end('1')).start?.id).toBe('3');
  });

  it('is its move to another number, where it waits again', async () => {
    const line = new OneLine();
    await line.come(1, 2);
    const left = { ...line.change('1'), record: undefined };
    line.put('1', 3);
    expect((await line.take([left, line.change('1')])).start?.id).toBe('2');
    expect((await line.end('2')).start?.id).toBe('1');
  });

  it('is its move that no event has notified of, when its turn has lasted for long', async () => {
    const line = new OneLine();
    await line.come(1, 2);
    line.put('1', 1, { queue: 'other' });
    line.now += 900_000;
    expect((await line.come(3)).start).toBeUndefined();
    line.now += 1;
    line.underAttempt.add('1');
    expect(await line.come(4)).toEqual({ skipped: 0 });
    line.underAttempt.clear();
    expect((await line.come(5)).start?.id).toBe('2');
  });

  it('is seen without its change only where heads are read', async () => {
    const line = new OneLine();
    await line.come(1, 2);
    line.put('1', 1, { status: 'SUCCESS' });
    expect((await line.look('2')).start).toBeUndefined();
    line.checksHead = true;
    expect((await line.look('2')).start?.id).toBe('2');
  });
});
