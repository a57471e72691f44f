import { describe, expect, it } from 'vitest';
import { parseQueueState } from '../../src/store/dynamodb/queues.js';

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
