import { describe, expect, it } from 'vitest';
import {
  afterRun,
  errorInNote,
  type FailingNotes,
  failingSeconds,
  failingText,
  type GroupOutcomes,
  parseFailing,
  WHOLE_QUEUE,
} from '../../src/record/index.js';
import { failed, HOUR, MINUTE, none, notesOf, outage, succeeded, T } from './failing-support.js';

describe('a queue is failing', () => {
  it('when failures of three records and four minutes outweigh the successes', () => {
    const notes = outage();
    expect(failingSeconds(notes, T + 299)).toBe(299);
    expect(failingSeconds(notes, T + 900)).toBe(900);
    expect(failingSeconds(notesOf([T, { '': failed(5, T) }]), T + 100)).toBeUndefined();
  });

  it.each<[string, ReturnType<typeof notesOf>]>([
    [
      'two records fail again and again',
      notesOf(
        ...Array.from({ length: 20 }, (_, i): [number, Record<string, GroupOutcomes>] => [
          T + i * MINUTE,
          { '': { ...failed(1, T + i * MINUTE), records: i < 2 ? 1 : 0 } },
        ]),
      ),
    ],
    ['seven failures', notesOf([T, { '': failed(3, T) }], [T + 300, { '': failed(4, T + 300) }])],
    ['first attempts alone', notesOf([T, { '': { ...failed(2, T), isTelling: false } }])],
    ['half of the attempts', notesOf([T, { '': failed(50, T, 50) }])],
    [
      'three failures to each success',
      notesOf([T, { '': failed(3, T) }], [T + 250, { '': failed(9, T + 250, 3) }]),
    ],
  ])('never by %s', (_, notes) => {
    expect(failingSeconds(notes, T + 1200)).toBeUndefined();
  });

  it('not by a blink of three minutes, unless nothing is heard for ten minutes after it', () => {
    const notes = notesOf([T, { '': failed(50, T) }], [T + 180, { '': failed(50, T + 180) }]);
    expect(failingSeconds(notes, T + 779)).toBeUndefined();
    expect(failingSeconds(notes, T + 780)).toBe(780);
  });
});

describe('a note begins', () => {
  const evidenceOf = (outcomes: GroupOutcomes) =>
    notesOf([T, { '': outcomes }]).notes.map(({ evidence }) => evidence);

  it('with more failures than successes, of three records, or of one that has failed before', () => {
    expect(evidenceOf(failed(3, T, 3))).toEqual([]);
    expect(evidenceOf(failed(1, T))).toEqual([1]);
    expect(evidenceOf({ ...failed(2, T), isTelling: false })).toEqual([]);
    expect(evidenceOf({ ...failed(3, T), isTelling: false })).toEqual([3]);
  });

  it('with the failures, less twice the successes', () => {
    expect(evidenceOf(failed(5, T, 1))).toEqual([3]);
    expect(evidenceOf(failed(3, T, 2))).toEqual([0]);
  });
});

describe('a note of a time ahead', () => {
  const ahead = (seconds: number) =>
    afterRun(notesOf([T + seconds, { '': failed(5, T + seconds) }]), new Map([['', failed(5, T)]]), T);
  const sinceOf = ({ notes }: FailingNotes) => notes.map(({ since }) => since);

  it('begins again, as it would hide an outage until that time; clocks may differ by minutes', () => {
    expect(sinceOf(ahead(240))).toEqual([T + 240]);
    expect(sinceOf(ahead(241))).toEqual([T]);
  });
});

describe('a queue has recovered', () => {
  it('when successes of late reach the failures of late: then 0 is said for an hour', () => {
    const notes = afterRun(outage(), new Map([['', succeeded(5)]]), T + 320);
    expect(failingSeconds(notes, T + 320)).toBe(0);
    expect(failingSeconds(notes, T + 320 + HOUR - 1)).toBe(0);
    expect(failingSeconds(notes, T + 320 + HOUR)).toBeUndefined();
  });

  it('by a run of five successes without a failure, after any number of failures', () => {
    const down = afterRun(outage(), new Map([['', failed(500, T + 330)]]), T + 330);
    const secondsAfter = (outcomes: GroupOutcomes) =>
      failingSeconds(afterRun(down, new Map([['', outcomes]]), T + 331), T + 331);
    expect(secondsAfter(succeeded(4))).toBe(331);
    expect(secondsAfter(failed(1, T + 331, 9))).toBe(331);
    expect(secondsAfter(succeeded(5))).toBe(0);
  });

  it('by one success after a silence, but not by one among many failures', () => {
    const success = new Map([['', succeeded(1)]]);
    expect(failingSeconds(afterRun(outage(), success, T + 310), T + 310)).toBe(310);
    expect(failingSeconds(afterRun(outage(), success, T + HOUR), T + HOUR)).toBe(0);
  });

  it('by as many successes as failures of late, which halve in two minutes', () => {
    const groups = (at: number, outcomes: GroupOutcomes) =>
      notesOf([T, { '': failed(8, T) }], [at, { '': outcomes }]).notes.length;
    expect(groups(T, failed(1, T, 8))).toBe(1);
    expect(groups(T, failed(1, T, 9))).toBe(0);
    expect(groups(T + 119, failed(1, T + 119, 5))).toBe(1);
    expect(groups(T + 120, failed(1, T + 120, 5))).toBe(0);
  });

  it('by as many successes as records have failed, if these are fewer than five', () => {
    const down = notesOf([T, { '': { ...failed(8, T), records: 3 } }]);
    const left = (successes: number) => afterRun(down, new Map([['', succeeded(successes)]]), T).notes.length;
    expect([left(2), left(3)]).toEqual([1, 0]);
  });

  it('not by failures of old records alone, however long after the others', () => {
    const old = { ...none, lastFailureAt: T + 9 * HOUR };
    const { notes, endedAt } = afterRun(outage(), new Map([['', old]]), T + 9 * HOUR);
    expect(notes).toMatchObject([{ since: T, lastAt: T + 9 * HOUR, evidence: 10 }]);
    expect(endedAt).toBeUndefined();
  });

  it('once: further runs do not lengthen the hour', () => {
    const over = afterRun(outage(), new Map([['', succeeded(5)]]), T + 320);
    const later = afterRun(over, new Map([['', succeeded(5)]]), T + 2_000);
    expect(failingSeconds(later, T + 320 + HOUR - 1)).toBe(0);
    expect(failingSeconds(later, T + 320 + HOUR)).toBeUndefined();
  });

  it('without a word where it was not failing yet', () => {
    const notes = notesOf([T, { '': failed(5, T) }], [T + 60, { '': succeeded(9) }]);
    expect(notes).toEqual({ notes: [], past: [] });
  });

  it('when no record waits or is dead, ten minutes after the last failure', () => {
    const left = { waiting: 0, inRetry: 0, dead: 0 };
    expect(failingSeconds(outage(), T + 899, left)).toBe(899);
    expect(failingSeconds(outage(), T + 900, left)).toBe(0);
  });

  it('when the dead are a day old and no record waits for a retry', () => {
    const [day, left] = [86_400, { waiting: 5, inRetry: 0, dead: 10 }];
    expect(failingSeconds(outage(), T + 299 + day, left)).toBe(299 + day);
    expect(failingSeconds(outage(), T + 300 + day, left)).toBe(0);
    expect(failingSeconds(outage(), T + 299 + day, { ...left, waiting: 0 })).toBe(299 + day);
    expect(failingSeconds(outage(), T + 9 * day, { ...left, inRetry: 1 })).toBe(9 * day);
  });
});

describe('the error of a note', () => {
  const with_ = (error: string, at: number) => ({ '': { ...failed(5, at), error } });

  it('is the class and the status of the last one, and nothing else of its message', () => {
    const first = errorInNote({
      name: 'HttpError',
      message: 'HTTP 503 from https://erp.example.com: order 4711',
    });
    expect(first).toBe('HttpError 503');
    expect(errorInNote({ name: 'E'.repeat(99), message: 'a secret' })).toBe('E'.repeat(30));
    const notes = notesOf(
      [T, with_(first, T)],
      [T + 60, with_('TimeoutError', T + 60)],
      [T + 120, with_('', T)],
    );
    expect(notes.notes).toMatchObject([{ error: 'TimeoutError' }]);
    expect(parseFailing(failingText(notes))).toEqual(notes);
  });

  it('is refused where it is no text, or longer than any', () => {
    const text = failingText(notesOf([T, with_('E: m', T)])) ?? '';
    expect(parseFailing(text).notes).toHaveLength(1);
    expect(parseFailing(text.replace('"E: m"', '7')).notes).toEqual([]);
    expect(parseFailing(text.replace('E: m', 'x'.repeat(101))).notes).toEqual([]);
  });
});

describe('destinations', () => {
  const both = (at: number) => ({ '': failed(10, at), a: failed(5, at), b: failed(5, at) });
  const down = () => notesOf([T, both(T)], [T + 300, both(T + 300)]);

  it('fail each by itself', () => {
    const at = T + 300;
    const run = (time: number) => ({ '': failed(5, time, 5), a: failed(5, time) });
    const notes = notesOf([T, run(T)], [at, run(at)]);
    expect(notes.notes.map(({ group }) => group)).toEqual(['a']);
    expect(failingSeconds(notes, at)).toBe(300);
  });

  it('recover with the whole queue, until three more failures or a death', () => {
    const recovered = afterRun(down(), new Map([['', succeeded(20)]]), T + 400);
    const secondsAfter = (outcomes: GroupOutcomes) =>
      failingSeconds(afterRun(recovered, new Map([['b', outcomes]]), T + 700), T + 700);
    expect(failingSeconds(recovered, T + 400)).toBe(0);
    expect(recovered.past.map(({ group }) => group)).toEqual(['', 'a', 'b']);
    expect(secondsAfter({ ...failed(1, T + 700), evidence: 2 })).toBe(0);
    expect(secondsAfter({ ...failed(1, T + 700), evidence: 3 })).toBe(700);
    expect(afterRun(recovered, new Map([['b', succeeded(1)]]), T + 700).notes).toMatchObject([
      { group: 'a' },
    ]);
  });

  it('do not recover with a queue in whose run they fail, nor with one that did not fail', () => {
    const recovers = { '': failed(1, T + 320, 40), a: failed(1, T + 320) };
    const groupsOf = ({ notes }: FailingNotes) => notes.map(({ group, evidence }) => [group, evidence]);
    expect(groupsOf(afterRun(down(), new Map(Object.entries(recovers)), T + 320))).toEqual([
      ['a', 11],
      ['b', 5],
    ]);
    const few = notesOf([T, { '': failed(10, T, 9), a: failed(10, T) }], [T + 300, { '': succeeded(20) }]);
    expect(groupsOf(few)).toEqual([['a', 10]]);
  });

  it('are said by the one that has failed longest', () => {
    const notes = notesOf(
      [T, { a: failed(9, T) }],
      [T + 300, { a: failed(9, T + 300), b: failed(9, T + 300) }],
    );
    expect(failingSeconds(afterRun(notes, new Map([['b', failed(9, T + 600)]]), T + 600), T + 600)).toBe(600);
  });

  it('go on where one of them recovers and the whole queue does not', () => {
    const notes = afterRun(down(), new Map([['a', succeeded(9)]]), T + 400);
    expect(notes.notes.map(({ group }) => group)).toEqual(['', 'b']);
    expect(failingSeconds(notes, T + 400)).toBe(400);
  });

  it('are twelve at most, those with most evidence, in less than a kilobyte', () => {
    const groups = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`destination-${i}.example.com`, failed(i, T)]),
    );
    const text = failingText(notesOf([T, { ...groups, '': failed(900, T) }])) ?? '';
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(850);
    const names = parseFailing(text).notes.map(({ group }) => group);
    expect(names[0]).toBe(WHOLE_QUEUE);
    expect(names.length).toBeGreaterThan(10);
    expect(names.length).toBeLessThanOrEqual(13);
    expect(names).not.toContain('destination-1.example.com');
  });
});

describe('an outage that is over', () => {
  const over = () => afterRun(outage(), new Map([['', succeeded(5)]]), T + 320);

  it('is kept for a day, in which it costs no write', () => {
    expect(over().past).toEqual([{ group: '', since: T, endedAt: T + 320, error: '' }]);
    const later = (seconds: number) => afterRun(over(), new Map([['', succeeded(5)]]), T + 320 + seconds);
    expect(failingText(later(HOUR - 1))).toBe(failingText(over()));
    expect(failingText(later(HOUR))).toBe(failingText(later(24 * HOUR - 1)));
    expect(later(24 * HOUR)).toEqual({ notes: [], past: [] });
  });

  it('is replaced by the next one of its group alone', () => {
    const again = [T + HOUR, T + HOUR + 300].reduce(
      (notes, at) =>
        afterRun(
          notes,
          new Map([
            ['', failed(5, at)],
            ['a', failed(5, at)],
          ]),
          at,
        ),
      over(),
    );
    expect(again.past).toEqual(over().past);
    const { past } = afterRun(again, new Map([['a', succeeded(5)]]), T + 2 * HOUR);
    expect(past.map(({ group, since }) => [group, since])).toEqual([
      ['a', T + HOUR],
      ['', T],
    ]);
  });
});
