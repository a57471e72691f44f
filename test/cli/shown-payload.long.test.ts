import { describe, expect, it } from 'vitest';
import { checkPayload } from '../../src/tasks/payload.js';
import { shownPayload } from '../../tools/src/shown-payload.js';

/** An item of 400 KB can have so many of them. */
const MANY = 190_000;

describe('a payload with as many values as an item holds', () => {
  it.each<[string, unknown]>([
    ['list', Array.from({ length: MANY }, () => 1)],
    ['list in a map', { list: Array.from({ length: MANY }, () => 1) }],
    ['map', Object.fromEntries(Array.from({ length: MANY }, (_, i) => [i.toString(36), 1]))],
  ])('is shown as its redaction says: %s', (_, payload) => {
    const shown = shownPayload({ id: 'a', queue: 'orders', payload }, (given) => given);
    expect(shown.hidden).toBeUndefined();
    expect(shown).toMatchObject({ isRedacted: false });
  });

  it('is redacted where the answer of the module has a set of as many', () => {
    const set = new Set(Array.from({ length: MANY }, (_, i) => i));
    expect(shownPayload({ id: 'a', queue: 'orders', payload: 1 }, () => set).hidden).toBeUndefined();
  });

  it('that its schema refuses is quoted in no problem', () => {
    const payload = new Set(Array.from({ length: MANY }, (_, i) => `value ${i}`));
    const schema = {
      '~standard': { version: 1, vendor: 'x', validate: () => ({ issues: [{ message: 'no' }] }) },
    } as const;
    expect(checkPayload(schema as never, payload)).toEqual({ problem: 'payload: no' });
  });
});
