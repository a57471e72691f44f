import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { resolvePolicy } from '../../src/policies/index.js';
import { type Picture, toHtml, toSvg } from '../../tools/src/charts/picture.js';
import { CURVE_FAILURES, policyPicture } from '../../tools/src/charts/policy-picture.js';
import { simulationPicture } from '../../tools/src/charts/simulation-picture.js';
import { scheduleOf } from '../../tools/src/lab/schedule-of.js';
import { axe, openPage, overflowOf, watchPages } from './session.js';

watchPages();

type Data = Readonly<Record<string, unknown>>;

const policies = (...all: Data[]) =>
  policyPicture(
    all.map((data) => {
      const policy = resolvePolicy(data);
      return { data, policy, rows: scheduleOf(policy, { attempts: CURVE_FAILURES }).rows };
    }),
  );

const LONG = 'a <b>bold</b> & "long" name of WWWWWWWWWWWWWWWWWWWW '.repeat(3);

function outage(minutes: number, drainedMinutes: readonly number[]): Picture {
  return simulationPicture(
    drainedMinutes.map((drained) => ({
      data: { type: 'constant', note: LONG },
      perMinute: [0, 1, drained].map((minute) => ({ minute, attempts: 123_456, wasted: 7 })),
      lastRecoveryMs: drained * 60_000,
      result: { wastedAttempts: 1_234_567, drainedSeconds: drained * 60 + 7, open: 0 },
    })),
    { outage: { fromMs: 0, toMs: minutes * 60_000 }, text: LONG },
    { caption: LONG, head: ['', LONG], rows: [[LONG, LONG]] },
  );
}

/** Pictures that have the least room. */
const TIGHT: Readonly<Record<string, Picture>> = {
  'twelve policies': policies(
    ...Array.from({ length: 12 }, (_, i) => ({
      type: 'constant',
      interval: 300 + i,
      maxAttempts: 1_000_000,
    })),
  ),
  'names that are cut': policies(
    { type: 'list', waits: Array.from({ length: 40 }, (_, i) => 600 + i) },
    { type: 'list', waits: Array.from({ length: 40 }, (_, i) => 600 + 2 * i) },
  ),
  'tiers of years': policies({
    type: 'progressive',
    maxAge: 100 * 365 * 86_400,
    tiers: Array.from({ length: 12 }, (_, i) => ({ every: 3600 * 2 ** i, untilAge: 86_400 * 2.5 ** i })),
  }),
  'waits of years': policies({ type: 'constant', interval: 365 * 86_400, maxAge: 36_500 * 86_400 }),
  'one wait': policies({ type: 'sidekiq', maxAttempts: 2 }),
  'no wait': policies({ type: 'none' }),
  'a short outage': outage(2, [3, 150, 4000]),
  'an outage that ends the picture': outage(400, [390, 401, 405]),
};

const FOLDER = new URL('../../docs/policies/', import.meta.url);
const SHOWN = readdirSync(FOLDER).map((name) => [name, readFileSync(new URL(name, FOLDER), 'utf8')] as const);
const PICTURES = [
  ...SHOWN,
  ...Object.entries(TIGHT).map(([name, picture]) => [name, toSvg(picture)] as const),
];

it('no text of a picture is cut, too small, or over another, on a phone and on a desktop', async () => {
  const page = await openPage('null');
  const found: string[] = [];
  for (const width of [400, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    for (const [name, svg] of PICTURES) {
      await page.setContent(
        `<style>body{margin:0}body>svg{display:block;width:100%;height:auto}</style>${svg}`,
      );
      const troubles = await page.evaluate(() => {
        const root = document.querySelector('svg') as SVGSVGElement;
        const frame = root.getBoundingClientRect();
        const texts = [...root.querySelectorAll('text')].map((text) => {
          const { left, right, top, bottom } = text.getBoundingClientRect();
          const size =
            Number.parseFloat(getComputedStyle(text).fontSize) * (frame.width / root.viewBox.baseVal.width);
          return { text: text.textContent ?? '', left, right, top, bottom, size };
        });
        return texts.flatMap((one, i) => [
          ...(one.left < frame.left || one.right > frame.right || one.bottom > frame.bottom
            ? [`cut: ${one.text}`]
            : []),
          ...(one.size < 9.9 ? [`of ${one.size} px: ${one.text}`] : []),
          ...texts
            .slice(i + 1)
            .filter(
              (other) =>
                one.left < other.right &&
                other.left < one.right &&
                one.top + 1 < other.bottom &&
                other.top + 1 < one.bottom,
            )
            .map((other) => `over each other: ${one.text} and ${other.text}`),
        ]);
      });
      found.push(...troubles.map((trouble) => `${name} at ${width}: ${trouble}`));
    }
  }
  expect(found).toEqual([]);
});

it('a picture is dark for a viewer that prefers it, unless it has a theme', async () => {
  const page = await openPage('null', { scheme: 'dark' });
  const colors = async (theme: 'auto' | 'light' | 'dark') => {
    await page.setContent(toHtml(policies({ type: 'fibonacci' }), theme));
    return page.evaluate(() => [
      getComputedStyle(document.querySelector('figure rect') as Element).fill,
      getComputedStyle(document.querySelector('figure text') as Element).fill,
      getComputedStyle(document.body).backgroundColor,
    ]);
  };
  const DARK = ['rgb(13, 17, 23)', 'rgb(230, 237, 243)', 'rgb(13, 17, 23)'];
  const LIGHT = ['rgb(255, 255, 255)', 'rgb(31, 35, 40)', 'rgb(255, 255, 255)'];
  expect(await colors('auto')).toEqual(DARK);
  expect(await colors('light')).toEqual(LIGHT);
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await colors('auto')).toEqual(LIGHT);
  expect(await colors('dark')).toEqual(DARK);
});

it('its page is as wide as the window, and axe finds nothing', async () => {
  const page = await openPage('null', { viewport: { width: 400, height: 800 } });
  for (const picture of [outage(60, [97]), policies({ type: 'progressive' })]) {
    await page.setContent(toHtml(picture));
    expect(await overflowOf(page)).toEqual({ by: 0, of: [] });
    expect(await axe(page)).toEqual([]);
  }
});
