import { describe, expect, it } from 'vitest';
import { failingAttempts, latestMinutes, outageByMinute } from '../../src/overview/failing.js';
import type { MinuteCount } from '../../src/overview/runtime.js';
import {
  consoleUnderTest,
  dead,
  get,
  inRetry,
  iso,
  MINUTE,
  NOW,
  runtimeUnderTest,
} from './console-under-test.js';

const minute = (ago: number, succeeded: number, failed: number): MinuteCount => ({
  at: Math.floor(NOW / MINUTE) * MINUTE - ago * MINUTE,
  succeeded,
  failed,
});
/** An hour of successes, then the destination is down. */
const OUTAGE = [...Array.from({ length: 60 }, (_, i) => minute(60 - i, 40, 0)), minute(0, 0, 12)];

const consoleOf = (minutes: readonly MinuteCount[], of = 'orders') =>
  consoleUnderTest({
    queues: () => [{ name: 'orders' }, { name: 'mails' }],
    runtime: runtimeUnderTest({}, { minutesOf: (queue) => (queue === of ? minutes : []) }),
  });
const titleOf = (text: string) => (/<h1>(.*?)<\/h1>/s.exec(text)?.[1] ?? '').replace(/<[^>]+>/g, '').trim();
const refreshOf = (text: string) => Number(/data-refresh="(\d+)"/.exec(text)?.[1]);

const backAtOf = (...given: Parameters<typeof outageByMinute>) => outageByMinute(...given).backAt;

describe('attempts that fail', () => {
  it('are seen in the latest minutes, however many have succeeded before', () => {
    const began = [...OUTAGE.slice(0, -3), minute(2, 0, 9), minute(1, 0, 9), minute(0, 0, 9)];
    expect(failingAttempts(began, NOW, 1)).toEqual({
      succeeded: 0,
      failed: 27,
      minutes: 3,
      since: minute(2, 0, 9).at,
    });
    expect(failingAttempts(OUTAGE.slice(0, -1), NOW, 1)).toBeUndefined();
    expect(failingAttempts([minute(1, 1, 0), minute(0, 0, 3)], NOW, 1)).toBeUndefined();
    expect(failingAttempts([minute(0, 0, 1)], NOW, 1)).toBeUndefined();
  });

  it('are an outage where none of a few has succeeded, as back-off thins them', () => {
    const thin = [minute(14, 0, 1), minute(9, 0, 2), minute(1, 0, 1)];
    expect(failingAttempts(thin, NOW, 1)).toMatchObject({
      succeeded: 0,
      failed: 4,
      since: minute(14, 0, 0).at,
    });
  });

  it('are over once most of the latest attempts succeed, and not before', () => {
    const outage = Array.from({ length: 10 }, (_, i) => minute(12 - i, 0, 9));
    const silent = [...outage, minute(2, 0, 0)];
    expect(failingAttempts(silent, NOW, 1)).toMatchObject({ failed: 90, minutes: 15 });
    expect(backAtOf(silent, NOW, 1)).toBeUndefined();
    const back = [...outage, minute(2, 1, 0), minute(1, 1, 1), minute(0, 1, 0)];
    expect(failingAttempts(back, NOW, 1)).toBeUndefined();
    expect(backAtOf(back, NOW, 1)).toBe(minute(0, 0, 0).at);
    expect(backAtOf([minute(20, 0, 90), ...back.slice(-3)], NOW, 1)).toBe(minute(2, 0, 0).at);
  });

  it('are over, too, if the minute of the last failure ends with successes', () => {
    const outage = { ...minute(20, 10, 19), succeededSince: 10 };
    const later = outage.at + 16 * MINUTE;
    expect(outageByMinute([outage], outage.at + 14 * MINUTE, 60)).toMatchObject({ failing: { failed: 19 } });
    expect(outageByMinute([outage], later, 60)).toEqual({ backAt: outage.at, failedSince: outage.at });
    expect(outageByMinute([{ ...outage, succeededSince: 0 }], later, 60)).toEqual({ backAt: undefined });
    const longer = [minute(21, 0, 12), outage];
    expect(backAtOf(longer, later, 60)).toBe(outage.at);
  });

  it('are over with the time at which they began, however long ago', () => {
    const outage = Array.from({ length: 40 }, (_, i) => minute(42 - i, 0, 9));
    const back = [...outage, minute(2, 9, 0), minute(1, 9, 0)];
    expect(outageByMinute(back, NOW, 1)).toEqual({
      backAt: minute(2, 0, 0).at,
      failedSince: minute(42, 0, 0).at,
    });
  });

  it('leave the time of the recovery as it is, whatever single records do, until the queue fails again', () => {
    const outage = Array.from({ length: 10 }, (_, i) => minute(60 - i, 0, 9));
    const recovery = [minute(50, 9, 0), minute(49, 9, 0), minute(48, 9, 0)];
    const rare = [minute(43, 0, 1), minute(30, 2, 0), minute(12, 0, 1), minute(1, 1, 0)];
    for (let seen = 1; seen <= rare.length; seen++) {
      const counts = [...outage, ...recovery, ...rare.slice(0, seen)];
      const now = (counts.at(-1)?.at ?? 0) + 5 * MINUTE;
      expect(failingAttempts(counts, now, 1), `after ${seen}`).toBeUndefined();
      expect(backAtOf(counts, now, 1), `after ${seen}`).toBe(minute(50, 0, 0).at);
    }
    const again = [...outage, ...recovery, minute(2, 0, 9), minute(1, 0, 9)];
    expect(backAtOf(again, NOW, 1)).toBeUndefined();
    expect(backAtOf([...again, minute(0, 40, 0)], NOW, 1)).toBe(minute(0, 0, 0).at);
  });

  it('leave it also where no look fell into the time in which successes were most of the latest attempts', () => {
    // On a fast clock the latest attempts are those of 15 minutes, and these are few.
    const counts = [30, 29, 28, 27].map((ago) => minute(ago, 0, 9)).concat(minute(24, 10, 0));
    const at = (ago: number) => [
      failingAttempts(counts, minute(ago, 0, 0).at, 60) !== undefined,
      backAtOf(counts, minute(ago, 0, 0).at, 60),
    ];
    const back = minute(24, 0, 0).at;
    expect([22, 11, 8, 0].map(at)).toEqual([
      [true, undefined],
      [false, back],
      [false, back],
      [false, back],
    ]);
  });

  it('are seen in as many real seconds on a faster clock', () => {
    expect([1, 12, 20, 60, 3600].map(latestMinutes)).toEqual([3, 3, 5, 15, 15]);
  });

  it('are said by the overview and, above each other view, by every page that is brought up to date', async () => {
    const { app, store } = consoleOf([...OUTAGE.slice(0, -3), minute(0, 0, 12)]);
    store.put(inRetry('a'));
    expect(titleOf((await get(app, '/')).text)).toBe(
      'orders has failed since 14:47 UTC: 100 % of 12 attempts in 3 min; 1 record waits.',
    );
    for (const path of ['/failures', '/records', '/tiers', '/record?id=a']) {
      const { text } = await get(app, path);
      expect(text, path).toContain('Attempts of <bdi>orders</bdi> fail');
      expect(refreshOf(text), path).toBe(5);
    }
    expect((await get(consoleOf([]).app, '/records')).text).not.toContain('Attempts of');
  });
});

describe('the failures, while no record that was read shows the newest', () => {
  it('are not said to be none: the runtime has counted them', async () => {
    const { app } = consoleOf([minute(1, 0, 9), minute(0, 0, 3)]);
    const { text } = await get(app, '/failures');
    expect(titleOf(text)).toBe('12 attempts of orders failed in the last 3 min.');
    expect(text).toContain('No record that was read shows it');
    expect(text).not.toContain('No record that is not finished has failed.');
  });

  it('are said beside those of other queues', async () => {
    const { app, store } = consoleOf([minute(0, 0, 6)], 'mails');
    store.put(inRetry('a'));
    const { text } = await get(app, '/failures');
    expect(titleOf(text)).toMatch(/^HttpError 503 is the cause of the only failing record/);
    expect(text).toContain('6 attempts of mails failed in the last 3 min.');
  });

  it('are not repeated once a record shows them, nor after some minutes', async () => {
    const seen = consoleOf([minute(0, 0, 3)]);
    const last = { lastFailureAt: iso(), lastError: { name: 'E', message: 'm', at: iso(), attempt: 1 } };
    seen.store.put(dead('a', last));
    expect((await get(seen.app, '/failures')).text).not.toContain('in the last 3 min');
    const old = consoleOf([minute(5, 0, 3)]);
    expect(titleOf((await get(old.app, '/failures')).text)).toBe(
      'No record that is not finished has failed.',
    );
  });

  it('are read less often where that is billed', async () => {
    const { app } = consoleUnderTest();
    expect(refreshOf((await get(app, '/failures')).text)).toBe(15);
    expect((await get(app, '/records')).text).not.toContain('data-refresh');
  });
});
