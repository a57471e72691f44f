import { describe, expect, it } from 'vitest';
import { failuresOf, latestSuccess } from '../../src/overview/queue-failures.js';
import { type FailingNote, failingText } from '../../src/record/index.js';
import { failingNote, MINUTE, NOW, queueView } from '../cli/top/queue-views.js';

type Known = Parameters<typeof failuresOf>[0];
const seconds = (minutesAgo: number) => NOW / 1000 - minutesAgo * 60;
const notesText = (notes: readonly FailingNote[], endedMinutesAgo?: number) =>
  failingText({
    notes,
    past: [],
    ...(endedMinutesAgo === undefined ? {} : { endedAt: seconds(endedMinutesAgo) }),
  });
const QUEUE = { paused: false, tiers: new Map(), breakers: new Map() };
const known = (failing: string | undefined, parts: Partial<Known> = {}): Known => ({
  stats: queueView('orders', 'waiting', { pending: 5 }).stats,
  state: { ...QUEUE, failing },
  ...{ minutes: undefined, inRetry: undefined, isPassive: false, now: NOW, speed: 1 },
  ...parts,
});
const failing = failingNote('erp.example.com', 20 * MINUTE);
const minute = (ago: number, succeeded: number, failed: number) => ({
  at: Math.floor(NOW / MINUTE) * MINUTE - ago * MINUTE,
  succeeded,
  failed,
});
const OUTAGE = Array.from({ length: 10 }, (_, i) => minute(12 - i, 0, 9));

describe('the latest success of a queue', () => {
  it('is evidence for 5 minutes, unless failures have been noted since, or its clock is another one', () => {
    const isOld = (minutesAgo: number, failing?: string) =>
      latestSuccess([0, NOW - minutesAgo * MINUTE], { failing }, NOW)?.isOld;
    expect([4, 6, -6].map((ago) => isOld(ago))).toEqual([false, true, true]);
    expect(isOld(4, notesText([{ ...failing, lastAt: seconds(3) }]))).toBe(true);
    expect(isOld(2, notesText([{ ...failing, lastAt: seconds(3) }]))).toBe(false);
    expect(latestSuccess([], undefined, NOW)).toBeUndefined();
  });
});

describe('the failures of a queue', () => {
  it('are those of its notes, with the groups', () => {
    expect(failuresOf(known(notesText([failing])))).toMatchObject({
      isFailing: true,
      failingSeconds: 1200,
      failingGroups: [{ group: 'erp.example.com', since: seconds(20) }],
    });
    expect(failuresOf(known(notesText([failing]), { isPassive: true }))).toMatchObject({ isFailing: false });
    expect(failuresOf(known(undefined))).toMatchObject({ isFailing: false, failingSeconds: undefined });
    expect(failuresOf(known(notesText([], 7)))).toMatchObject({ isFailing: false, failingSeconds: 0 });
    expect(failuresOf(known('[nonsense'))).toMatchObject({ isFailing: false });
  });

  it('end with the first successes by minute, before the notes do', () => {
    const text = notesText([failing]);
    expect(failuresOf(known(text, { minutes: OUTAGE }))).toMatchObject({ isFailing: true });
    const back = [...OUTAGE, minute(1, 3, 0), minute(0, 2, 0)];
    expect(failuresOf(known(text, { minutes: back }))).toMatchObject({
      isFailing: false,
      backAt: minute(1, 0, 0).at,
    });
  });

  it('are over, and the queue recovers, for an hour at most and while records are left', () => {
    const backOf = (...known_: Parameters<typeof known>) => failuresOf(known(...known_)).backAt;
    expect(backOf(notesText([], 7))).toBe(NOW - 7 * MINUTE);
    expect(backOf(notesText([], 61))).toBeUndefined();
    expect(backOf(notesText([], 7), { inRetry: 0 })).toBeUndefined();
    expect(backOf(notesText([], 7), { stats: queueView('orders', 'quiet').stats })).toBeUndefined();
  });

  it('are not said to be over while records fail again', () => {
    const again = { ...failing, since: seconds(2), records: 3, evidence: 9 };
    const backOf = (text: string | undefined, parts?: Partial<Known>) =>
      failuresOf(known(text, parts)).backAt;
    expect(backOf(notesText([again], 7))).toBeUndefined();
    const minutes = [minute(2, 0, 1), minute(0, 0, 1)];
    expect(backOf(notesText([], 7), { minutes })).toBeUndefined();
    expect(backOf(notesText([], 7), { minutes: [minute(0, 1, 0)] })).toBe(NOW - 7 * MINUTE);
  });

  it('are over since the same time, though one record fails', () => {
    const poison = { ...failing, since: seconds(2), records: 1, evidence: 3 };
    const minutes = [minute(2, 0, 1)];
    for (const parts of [{}, { minutes }]) {
      expect(failuresOf(known(notesText([poison], 7), parts)).backAt).toBe(NOW - 7 * MINUTE);
    }
  });

  it('are not known in a pause and until its first runs, if something failed then', () => {
    const inState = (state: object, parts: Partial<Known> = {}, notes = [failing]) =>
      failuresOf(known(undefined, { state: { ...QUEUE, failing: notesText(notes), ...state }, ...parts }));
    const resumedAt = (minutesAgo: number) => ({
      resumedAt: new Date(NOW - minutesAgo * MINUTE).toISOString(),
    });
    const unknown = {
      isFailing: false,
      failing: undefined,
      unknownGroups: [{ group: 'erp.example.com', since: seconds(20) }],
    };
    expect(inState({ paused: true })).toMatchObject(unknown);
    expect(inState({ paused: true }, { now: NOW + 300 * MINUTE })).toMatchObject(unknown);
    expect(inState({ paused: true }, { minutes: OUTAGE })).toMatchObject(unknown);
    expect(inState(resumedAt(2))).toMatchObject(unknown);
    const young = { ...failing, since: seconds(22), lastAt: seconds(20) };
    const later = { now: NOW + 300 * MINUTE };
    expect(inState({ paused: true }, later, [young])).not.toHaveProperty('unknownGroups');
    expect(inState(resumedAt(4))).toMatchObject({ isFailing: true, failingGroups: unknown.unknownGroups });
    const isKnown = { isFailing: false };
    for (const known of [
      inState({ paused: true }, { isPassive: true }),
      inState({ paused: true }, { minutes: [minute(9, 0, 9), minute(5, 9, 0)], now: NOW + 30 * MINUTE }, [
        { ...failing, lastAt: seconds(9) },
      ]),
      inState({ paused: true }, {}, []),
      inState({ paused: true, failing: undefined }),
      inState({ paused: true, failing: '[nonsense' }),
    ]) {
      expect(known).toMatchObject(isKnown);
      expect(known).not.toHaveProperty('unknownGroups');
    }
  });

  it('are those of the notes again, a quarter of an hour after the attempts have recovered', () => {
    const backAgo = (ago: number) => ({ minutes: [minute(ago + 1, 0, 9), minute(ago, 99, 0)] });
    expect(failuresOf(known(notesText([failing]), backAgo(10)))).toMatchObject({ isFailing: false });
    expect(failuresOf(known(notesText([failing]), backAgo(20)))).toMatchObject({ isFailing: true });
  });

  const past = (group: string, from: number, to: number, error = '') => ({
    ...{ group, since: seconds(from), endedAt: seconds(to), error },
  });
  const outagesOf = (notes: Parameters<typeof failingText>[0], parts: Partial<Known> = {}) =>
    failuresOf(known(failingText(notes), parts)).endedOutages?.map(({ group, since, endedAt, error }) => [
      ...[group, (NOW / 1000 - since) / 60, (NOW / 1000 - endedAt) / 60, error],
    ]);

  it('have the outages that ended in the last day, with their error', () => {
    const day = 24 * 60;
    const notes = [
      past('erp', 42, 7, 'HttpError 503'),
      past('crm', day + 9, day - 1),
      past('old', day + 9, day),
    ];
    expect(outagesOf({ notes: [], past: notes })).toEqual([
      ['erp', 42, 7, 'HttpError 503'],
      ['crm', day + 9, day - 1, ''],
    ]);
    // Written by a clock that is ahead.
    expect(outagesOf({ notes: [], past: [past('erp', 42, -11)] })).toEqual([]);
  });

  it('have no outage of the whole queue beside that of a destination', () => {
    const whole = past('', 43, 6);
    expect(outagesOf({ notes: [], past: [whole, past('erp', 42, 7)] })).toEqual([['erp', 42, 7, '']]);
    expect(outagesOf({ notes: [failing], past: [past('', 19, 6)] })).toEqual([]);
    expect(outagesOf({ notes: [], past: [whole, past('erp', 99, 50)] })).toHaveLength(2);
  });

  it('have the outage that attempts say is over, before the notes do', () => {
    const minutes = [...OUTAGE, minute(1, 9, 0)];
    const note = { ...failing, error: 'HttpError 503' };
    const ended = ['erp.example.com', 20, (NOW - minute(1, 0, 0).at) / MINUTE, 'HttpError 503'];
    expect(outagesOf({ notes: [note], past: [] }, { minutes })).toEqual([ended]);
    expect(outagesOf({ notes: [note], past: [] }, { minutes: OUTAGE })).toEqual([]);
    const poison = { ...note, records: 1 };
    expect(outagesOf({ notes: [poison], past: [] }, { minutes })).toEqual([]);
    // Its queue has recovered, and it is not known yet whether it has.
    const doubted = { ...note, evidence: 5 };
    expect(
      outagesOf({ notes: [doubted], past: [past('erp.example.com', 20, 2)], endedAt: seconds(2) }),
    ).toEqual([['erp.example.com', 20, 2, '']]);
  });

  it('began where the attempts say so', () => {
    const minutes = [...OUTAGE, minute(1, 9, 0)];
    expect(failuresOf(known(undefined, { minutes }))).toMatchObject({ failedSince: minute(12, 0, 0).at });
    expect(failuresOf(known(notesText([], 7))).failedSince).toBeUndefined();
  });
});
