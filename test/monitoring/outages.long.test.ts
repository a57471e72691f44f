import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../simulation/random.js';
import { MINUTE } from './account.js';
import { type HowAttemptsEnd, type Outage, PROGRESSIVE, play, type Watched } from './outages.js';

const DAY = 1440;
/** Most minutes from the fault to the page. */
const SOON = 8;
const LATER = 16;
/** Most minutes from the first success to the all-clear. */
const CLEAR = 11;

const atRandom = (failing: number, dying: number): HowAttemptsEnd => {
  const random = seededRandom(7);
  return () => {
    const drawn = random();
    return drawn < dying ? 'dies' : drawn < dying + failing ? 'fails' : 'works';
  };
};
const ofOne =
  (how: 'fails' | 'dies', of: number): HowAttemptsEnd =>
  (n) =>
    n % of === 0 ? how : 'works';

/** Faults that page, and the most minutes until they do. */
const PAGES: Readonly<Record<string, Outage & { readonly within: number }>> = {
  'all is down for 24 hours, 100 records, nothing comes in': {
    ...{ perMinute: 0, burst: 100, minutes: DAY, within: SOON },
  },
  'the same with 20 records': { perMinute: 0, burst: 20, minutes: DAY, within: SOON },
  'the same with three records': { perMinute: 0, burst: 3, minutes: DAY, within: SOON },
  'the same for 20 minutes with 10,000 records': { perMinute: 0, burst: 10_000, minutes: 20, within: SOON },
  'all is down for 24 hours, a record comes in every 10 minutes': {
    ...{ perMinute: 0.1, minutes: DAY, within: 40 },
  },
  'all is down, 10 records a minute': { perMinute: 10, minutes: 60, within: SOON },
  'all is down for 6 hours, a progressive queue with 200 records': {
    ...{ props: PROGRESSIVE, perMinute: 0, burst: 200, minutes: 360, within: 12 },
  },
  'one of two destinations is down, 10 records a minute': {
    ...{ perMinute: 10, destinations: 2, minutes: 60, within: SOON, how: ofOne('fails', 2) },
  },
  'one of two destinations is down, a record a minute': {
    ...{ perMinute: 1, destinations: 2, minutes: 120, within: LATER, how: ofOne('fails', 2) },
  },
  'one of 20 destinations is down, 10 records a minute': {
    ...{ perMinute: 10, destinations: 20, minutes: 120, within: LATER, how: ofOne('fails', 20) },
  },
  'each request is refused (400), a record a minute': {
    ...{ perMinute: 1, minutes: 120, within: SOON, how: () => 'dies' },
  },
  'one of two destinations refuses each request, 10 records a minute': {
    ...{ perMinute: 10, destinations: 2, minutes: 60, within: SOON, how: ofOne('dies', 2) },
  },
  'all is down for 3 hours, with a pause of 20 minutes in it': {
    ...{ perMinute: 1, minutes: 180, within: SOON },
    happens: ({ store, time }) => {
      const pausedUntil = new Date(time.now + 60 * MINUTE).toISOString();
      time.after(40 * MINUTE, () => void store.queues.setPaused('orders', true, { pausedUntil }));
      time.after(60 * MINUTE, () => void store.queues.setPaused('orders', false));
    },
  },
  'all is down for 12 hours, and the monitor as well': {
    ...{ perMinute: 0, burst: 100, minutes: 720, within: SOON, troubles: { rulesOff: /Monitor/ } },
  },
};

/** Outages without a page: retries deal with them, or they were announced. */
const SILENT: Readonly<Record<string, Outage>> = {
  'one attempt in ten fails at random for 48 hours, and 1 % die': {
    ...{ perMinute: 1, minutes: 2 * DAY, how: atRandom(0.1, 0.01) },
  },
  'three attempts in ten fail at random for 48 hours, and 1 % die': {
    ...{ perMinute: 1, minutes: 2 * DAY, how: atRandom(0.3, 0.01) },
  },
  'all is down for 3 minutes, 10 records a minute': { perMinute: 10, minutes: 3 },
  'all is down for 3 minutes, 100 records, nothing comes in': { perMinute: 0, burst: 100, minutes: 3 },
  'ten records fail for a day': {
    perMinute: 1,
    minutes: DAY,
    how: (n) => (n % 30 === 0 && n <= 300 ? 'fails' : 'works'),
  },
  'all fails for 3 minutes, and then it is paused for an hour': {
    ...{ perMinute: 10, minutes: 60, how: () => 'fails' },
    happens: ({ store, time }) => {
      const pausedUntil = new Date(time.now + 60 * MINUTE).toISOString();
      time.after(3 * MINUTE, () => void store.queues.setPaused('orders', true, { pausedUntil }));
      time.after(60 * MINUTE + 20_000, () => void store.queues.setPaused('orders', false));
    },
  },
  'a pause of 3 hours that was announced': {
    ...{ perMinute: 3, minutes: 180, how: () => 'works' },
    happens: ({ store, time }) => {
      const until = new Date(time.now + 180 * MINUTE).toISOString();
      void store.queues.setPaused('orders', true, { pausedUntil: until });
      time.after(179 * MINUTE, () => void store.queues.setPaused('orders', false));
    },
  },
};

/** Pauses that last for 3 hours, and the minutes for which they were announced. */
const FORGOTTEN = { 'was not announced': undefined, 'was announced for 1 hour': 60 };

const measured = new Map<string, Watched>();

describe('the alarm on failures', () => {
  it.each(Object.entries(PAGES))('goes off once and stays on: %s', async (name, { within, ...outage }) => {
    const watched = await play(outage);
    measured.set(name, watched);
    expect(watched).toMatchObject({ falseClears: 0, pages: 1 });
    expect(watched.page).toBeLessThanOrEqual(within);
    expect(watched.clear).toBeLessThanOrEqual(CLEAR);
    // The monitor itself may be down.
    expect(watched.others.filter((alarm) => alarm !== 'Monitor')).toEqual([]);
  });

  it.each(Object.entries(FORGOTTEN))(
    'leaves it to the alarm on lateness where a pause %s',
    async (_, minutes) => {
      const paused = await play({
        ...{ perMinute: 3, minutes: 180, how: () => 'works' },
        happens: ({ store, time }) => {
          const until = minutes && new Date(time.now + minutes * MINUTE).toISOString();
          void store.queues.setPaused('orders', true, { pausedUntil: until || undefined });
          time.after(179 * MINUTE, () => void store.queues.setPaused('orders', false));
        },
      });
      expect(paused).toMatchObject({ pages: 0, others: ['Lagorders'] });
    },
  );

  it.each(Object.entries(SILENT))('stays off, as all pages do: %s', async (_, outage) => {
    expect(await play(outage)).toMatchObject({ pages: 0, others: [] });
  });
});

afterAll(() => {
  if (measured.size < Object.keys(PAGES).length) return;
  const rows = Object.keys(PAGES).map((name) => {
    const { page, back } = measured.get(name) ?? {};
    return `| ${name} | ${page} | ${back} |`;
  });
  // Each row stands in docs/monitoring.md.
  const text = readFileSync('docs/monitoring.md', 'utf8');
  expect(rows.filter((row) => !text.includes(row))).toEqual([]);
});
