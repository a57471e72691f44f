import { expect, it } from 'vitest';
import type { UnderTest } from './under-test.js';

export function keepingJobs(underTest: UnderTest): void {
  const job = (changes: Record<string, unknown> = {}) => ({
    state: 'running',
    rev: 'r0',
    n: [1],
    ...changes,
  });

  it('stores a job once, and lists it', async () => {
    const { jobs, control } = underTest().store;
    expect(await jobs.create('once', job())).toBe(true);
    expect(await jobs.create('once', job({ rev: 'other' }))).toBe(false);
    expect(await jobs.read('once')).toMatchObject(job());
    expect(await jobs.read('never')).toBeUndefined();
    expect((await jobs.list()).get('once')).toMatchObject(job());
    expect((await control.read('strong')).jobs.get('once')).toMatchObject(job());
  });

  it('changes a job only while it is as expected', async () => {
    const { jobs } = underTest().store;
    await jobs.create('changed', job({ holder: 'a' }));
    const expected = { holder: 'a', state: 'running', why: undefined };
    const set = { state: 'stopped', why: 'ü', rev: 'r1' };
    expect(await jobs.change('changed', { set, remove: ['holder'], expected })).toMatchObject(set);
    expect(await jobs.change('changed', { set: { rev: 'r2' }, expected })).toBeUndefined();
    expect(await jobs.change('never', { set: { rev: 'r2' }, expected: {} })).toBeUndefined();
    expect(await jobs.read('never')).toBeUndefined();
    expect(await jobs.read('changed')).toMatchObject({ ...set, n: [1] });
    expect(await jobs.read('changed')).not.toHaveProperty('holder');
  });

  it('keeps pages of records as they were, whatever is in them', async () => {
    const { jobs } = underTest().store;
    const before = {
      payload: { B: 'text', BS: ['x'], bytes: new Uint8Array([1, 255]), n: 2n ** 60n },
      tags: new Set(['a', 'b']),
      none: null,
    };
    const kept = [{ id: 'ü', revs: ['r1', 'r2'], names: ['payload', 'tags', 'none'], before }];
    expect(await jobs.keep('paged', 1, kept, 2e9)).toBe(true);
    expect(await jobs.keep('paged', 1, [], 2e9)).toBe(false);
    expect(await jobs.kept('paged', 1)).toEqual(kept);
    expect(await jobs.kept('paged', 2)).toBeUndefined();
  });
}
