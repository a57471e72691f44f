import { describe, expect, it } from 'vitest';
import { parseQueueState } from '../../src/store/dynamodb/queues.js';
import { keyPausesText, parseKeyPauses } from '../../src/store/key-pauses.js';

const PAUSED = { paused: true, pausedAt: '2026-11-20T12:00:00.000Z' };
const NOTE = { pausedUntil: '2026-11-20T16:00:00.000Z', pauseReason: 'é'.repeat(200), pausedBy: 'role/ops' };

describe('the note of a pause', () => {
  it('is read as it was written, and only of a queue that is paused', () => {
    expect(parseQueueState({ ...PAUSED, ...NOTE })).toMatchObject({ ...PAUSED, ...NOTE });
    expect(parseQueueState(NOTE)).toEqual(parseQueueState({}));
  });

  it.each([7, 'noon', 'x'.repeat(300_000), '+275760-09-13T00:00:00.000Z', ['2026-11-20'], Number.NaN])(
    'has no time where that is damaged: %.20j',
    (damaged) => {
      expect(parseQueueState({ paused: true, pausedAt: damaged })).toEqual(parseQueueState({ paused: true }));
      expect(parseQueueState({ resumedAt: damaged })).toEqual(parseQueueState({}));
    },
  );

  it.each([
    { pausedUntil: 'noon', pauseReason: 'x'.repeat(201), pausedBy: '' },
    { pausedUntil: 5, pauseReason: 7, pausedBy: ['anna'] },
    { pausedUntil: '+012345-01-01', pauseReason: 'red \u001b[31m', pausedBy: 'a\u202eb' },
    { pausedUntil: '', pauseReason: 'half a character: \ud800', pausedBy: 'two\u2028lines' },
  ])('is none where other services have damaged it: %j', (damaged) => {
    expect(parseQueueState({ ...PAUSED, ...damaged })).toEqual(parseQueueState(PAUSED));
  });
});

describe('the text of paused keys', () => {
  const since = '2026-11-20T12:00:00.000Z';
  const whole = {
    key: 'tenant-7',
    since,
    until: '2026-11-20T16:00:00.000Z',
    reason: 'asked',
    by: 'role/ops',
  };

  it('is read as it was written', () => {
    const pauses = [whole, { key: 'ü "\u0000', since }];
    expect(parseKeyPauses(keyPausesText(pauses))).toEqual({ pauses, isDamaged: false });
    expect(keyPausesText([])).toBeUndefined();
    expect(parseKeyPauses(undefined)).toEqual({ pauses: [], isDamaged: false });
  });

  it.each([
    [{ ...whole, until: 'noon' }],
    [{ ...whole, until: 5 }],
    [{ ...whole, since: undefined }],
    [{ ...whole, key: 'x'.repeat(257) }],
    [{ ...whole, key: { toString: 'x' } }],
    [['tenant-7', since]],
    ['tenant-7'],
    [null],
  ])('has no pause that cannot be read: %j', (damaged) => {
    const read = parseKeyPauses(JSON.stringify([damaged, { key: 'other', since }]));
    expect(read).toEqual({ pauses: [{ key: 'other', since }], isDamaged: true });
  });

  it('is without a reason or a name that cannot be shown', () => {
    const damaged = { ...whole, reason: 'a\u202eb', by: 'two\nlines', more: 1 };
    const { key, until } = whole;
    expect(parseKeyPauses(JSON.stringify([damaged])).pauses).toEqual([{ key, since, until }]);
  });

  it('is that of 20 keys at most, each once', () => {
    const many = Array.from({ length: 30 }, (_, i) => ({ key: `k${i}`, since }));
    expect(parseKeyPauses(JSON.stringify(many)).pauses.map(({ key }) => key)).toEqual(
      many.slice(0, 20).map(({ key }) => key),
    );
    expect(parseKeyPauses(JSON.stringify([whole, whole]))).toEqual({ pauses: [whole], isDamaged: true });
  });

  it('is none where another service has put another type', () => {
    expect(parseQueueState({ pausedKeys: [whole] }).pausedKeys).toBeUndefined();
  });
});
