import { describe, expect, it } from 'vitest';
import { isQuarantined, quarantine, smallerQuarantines } from '../../src/record/index.js';
import { iso, NOW, record } from './records.js';

describe('quarantine', () => {
  it('makes a record dead with its reason, among the dead of its queue, and touches nothing else', () => {
    const waiting = record({ attempts: 2, failures: 2, notBefore: iso(60), history: [{ name: 'E' }] });
    expect(quarantine(waiting, 'no room', NOW)).toEqual({
      set: { status: 'DEAD', lane: 'q/dead', dueAt: iso(0), deadReason: 'quarantined: no room' },
      remove: ['notBefore', 'unknownTaskSince', 'expiresAt'],
    });
  });

  it('leaves it in the shard that it is in, and gives one that is not indexed that of its id', () => {
    const lanes = [record({ lane: 'q#3' }), record({ lane: undefined }), record({ lane: 'other' })].map(
      (one) => quarantine(one, 'no room', NOW, 8).set.lane,
    );
    expect(lanes).toEqual(['q#3/dead', expect.stringMatching(/^q(#\d)?\/dead$/), lanes[1]]);
  });

  it('gives one that was just put the time of its arrival', () => {
    const bare = record({ lane: undefined, dueAt: undefined, insertedAt: undefined });
    expect(quarantine(bare, 'no room', NOW).set.insertedAt).toBe(iso(0));
  });

  it('keeps its reason short', () => {
    const { deadReason } = quarantine(record(), 'x'.repeat(1_000), NOW).set;
    expect(Buffer.byteLength(String(deadReason))).toBe(200);
  });

  it('is known by its reason', () => {
    const { deadReason } = quarantine(record(), 'no room', NOW).set;
    expect(isQuarantined(record({ status: 'DEAD', deadReason }))).toBe(true);
    expect(isQuarantined(record({ status: 'NEW', deadReason }))).toBe(false);
    expect(isQuarantined(record({ status: 'DEAD', deadReason: 'maxAttempts' }))).toBe(false);
  });

  it('writes less and less where there is no room, down to the index keys removed', () => {
    const smaller = smallerQuarantines(quarantine(record(), 'no room', NOW));
    const place = { status: 'DEAD', lane: expect.any(String), dueAt: expect.any(String) };
    expect(smaller.map(({ set }) => set)).toEqual([
      { ...place, deadReason: 'quarantined: no room' },
      { ...place, deadReason: 'quarantined: too large' },
      place,
      { status: 'DEAD', deadReason: 'quarantined: too large' },
      { status: 'DEAD' },
      {},
    ]);
    for (const { remove } of smaller)
      expect(remove).toEqual(expect.arrayContaining(['history', 'lastError']));
    for (const { remove } of smaller.slice(3))
      expect(remove).toEqual(expect.arrayContaining(['lane', 'dueAt']));
  });
});
