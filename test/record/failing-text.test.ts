import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterRun,
  type FailingNotes,
  failingSeconds,
  failingText,
  parseFailing,
} from '../../src/record/index.js';
import { failed, outage, succeeded, T } from './failing-support.js';

describe('stored notes', () => {
  it('are read back as they were written', () => {
    const notes = afterRun(outage(), new Map([['x', failed(4, T + 360)]]), T + 363);
    expect(parseFailing(failingText(notes))).toEqual(notes);
    const success = afterRun(notes, new Map([['x', { ...failed(4, T + 390), successes: 1 }]]), T + 400);
    expect(success.notes.map(({ lastSuccessAt }) => lastSuccessAt)).toEqual([undefined, T + 400]);
    expect(parseFailing(failingText(success))).toEqual(success);
    const over = afterRun(outage(), new Map([['', succeeded(9)]]), T + 360);
    expect(over.past).toHaveLength(1);
    expect(parseFailing(failingText(over))).toEqual(over);
  });

  it('keep the error of an outage that is over, where there is room beside all that is over', () => {
    const error = 'HttpError 503';
    const run = (at: number) => new Map([['', { ...failed(5, at), error }]]);
    const during = afterRun(afterRun(parseFailing(undefined), run(T), T), run(T + 300), T + 300);
    const over = afterRun(during, new Map([['', succeeded(9)]]), T + 360);
    expect(over.past).toEqual([{ group: '', since: T, endedAt: T + 360, error }]);
    expect(parseFailing(failingText(over))).toEqual(over);
    const past = Array.from({ length: 12 }, (_, i) => ({
      ...{ group: `${i}.${'x'.repeat(38)}`, since: T, endedAt: T + 9, error },
    }));
    const stored = failingText({ notes: [], past });
    const kept = parseFailing(stored).past;
    expect(stored.length).toBeLessThanOrEqual(850);
    expect(kept.map(({ group }) => group)).toEqual(past.map(({ group }) => group));
    expect([kept.at(0)?.error, kept.at(-1)?.error]).toEqual([error, '']);
  });

  it('are those that have all parts', () => {
    expect(parseFailing('[7,[["x","",1,2,3,4,5,6,7]],[["x","",1,2],["y","E",1,2]]]')).toMatchObject({
      notes: [{ group: 'x', since: 1, recentFailures: 7 }],
      past: [
        { group: 'x', since: 1, endedAt: 3, error: '' },
        { group: 'y', error: 'E' },
      ],
      endedAt: 7,
    });
  });

  it.each([
    ...['', '{}', 'null', '[]', '[0]', '[0,[[]]]', '[-1,[]]', '["x",[]]', '[1e99,[]]', '[0,{"length":9}]'],
    ...['[0,[],[],[]]', '[0,[],{}]', '[0,[],[["x","",1]]]', '[0,[],[["x","",1,-1]]]', '[0,[],[[1,"",1,1]]]'],
    ...[
      `[0,[],[["x","${'E'.repeat(101)}",1,1]]]`,
      '[0,[],[["x",1,1]]]',
      '[0,[],[["x",1,1,1]]]',
      '[0,[],[["x","",1,1,1]]]',
      '[0,[],[["x","",1,0.5]]]',
      '[0,[],["x"]]',
    ],
    ...['[0,[["x","",1,2,3,4,5,6]]]', '[0,[["x","",-1,0,0,0,0,0,0]]]', '[0,[["x","",0.5,0,0,0,0,0,0]]]'],
    ...['[0,[["x","",1,0,0,0,0,0,0,0.5]]]', '[0,[["x","",1,0,0,0,0,0,0,1,1]]]'],
    ...[`[0,[["${'x'.repeat(101)}","",1,0,0,0,0,0,0]]]`, `[0,[["x","",1,0,0,0,0,1e300,0]]]`],
  ])('that the library cannot have written are none: %s', (text) => {
    expect(parseFailing(text)).toEqual({ notes: [], past: [] });
  });

  it('of any content harm no run and stay small', () => {
    const int = fc.nat();
    const entry = fc.tuple(
      fc.string({ maxLength: 100 }),
      fc.string({ maxLength: 100 }),
      ...[int, int, int, int, int, int, int],
    );
    const past = fc.tuple(fc.string({ maxLength: 100 }), fc.string({ maxLength: 100 }), int, int);
    const stored = fc
      .tuple(int, fc.array(entry, { maxLength: 40 }), fc.array(past, { maxLength: 40 }))
      .map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(stored, fc.nat(), (text, now) => {
        const notes: FailingNotes = parseFailing(text);
        const next = afterRun(notes, new Map([['', failed(3, now, 1)]]), now);
        expect(Buffer.byteLength(failingText(next) ?? '')).toBeLessThanOrEqual(850);
        expect(failingSeconds(next, now) ?? 0).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 200 },
    );
  });
});
