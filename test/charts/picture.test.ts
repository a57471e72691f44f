import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { resolvePolicy } from '../../src/policies/index.js';
import { attemptsPerMinute, tellingMinutes } from '../../src/tools/charts/attempts-per-minute.js';
import { type Picture, toHtml, toSvg } from '../../src/tools/charts/picture.js';
import { timeUnitFor } from '../../src/tools/charts/plot.js';
import { failuresShown, policyPicture } from '../../src/tools/charts/policy-picture.js';
import { simulationPicture } from '../../src/tools/charts/simulation-picture.js';
import { scheduleOf } from '../../src/tools/lab/schedule-of.js';

type Data = Readonly<Record<string, unknown>>;

const figuresOf = (data: Data) => {
  const policy = resolvePolicy(data);
  return { data, policy, rows: scheduleOf(policy, { attempts: failuresShown(policy) }).rows };
};

const drawn = (...policies: Data[]) => toSvg(policyPicture(policies.map(figuresOf)));

const parsed = (svg: string) => parseHTML(`<html><body>${svg}</body></html>`).document;

const texts = (svg: string) => [...parsed(svg).querySelectorAll('text')].map((text) => text.textContent);

/** Of 100 records: a dot is a path with round ends, and nothing between them. */
const dots = (svg: string) =>
  [...parsed(svg).querySelectorAll('path[d]')].flatMap((path) => {
    const places = [...(path.getAttribute('d') ?? '').matchAll(/M([\d.]+),([\d.]+)Z/g)];
    return places.map(([, x, y]) => ({ x, y }));
  });

const NONE = { type: 'constant', jitter: 'none' };

describe('a picture of policies', () => {
  it('has a dot for every retry of each of 100 records', () => {
    // The quickest policy's tenth retry ends the time line.
    expect(dots(drawn(NONE))).toHaveLength(1000);
    expect(dots(drawn({ type: 'list', waits: [60, 120], jitter: 'none' }))).toHaveLength(200);
    // 10 of the one; the other is due for the second time after 20 minutes, for the third after 45.
    const slower = { type: 'list', waits: [300, 900, 1500, 6000], jitter: 'none' };
    expect(dots(drawn(NONE, slower))).toHaveLength(1000 + 300);
  });

  it('shows the second retry of the slowest', () => {
    const slow = { type: 'constant', interval: 86_400, jitter: 'none' };
    expect(dots(drawn(NONE, slow))).toHaveLength(1000 + 200);
  });

  it('puts the dots where the policy has them: those without a jitter are one line', () => {
    const places = new Set(dots(drawn(NONE)).map(({ x }) => x));
    expect(places.size).toBe(10);
    const spread = new Set(dots(drawn({ type: 'constant', jitter: 'phase' })).map(({ x }) => x));
    expect(spread.size).toBeGreaterThan(500);
  });

  it('names its axes with their units, its policies, and what was fixed', () => {
    const shown = texts(drawn({ type: 'fibonacci' }, { type: 'exponential', base: 3 })).join('\n');
    for (const text of [
      'When these policies try again',
      'wait (logarithmic scale)',
      'failures so far',
      'time since all 100 records failed, in',
      'number of the retry',
      'fibonacci: phase 0.236, exponential base=3: none',
      'with seed 1.',
    ]) {
      expect(shown).toContain(text);
    }
  });

  it('has a linear scale where every curve can be seen on it', () => {
    expect(texts(drawn({ type: 'arctan' }))).toContain('wait in hours');
    expect(texts(drawn({ type: 'arctan' }, { type: 'constant' }))).toContain('wait (logarithmic scale)');
  });

  it.each([
    [{ type: 'linear' }, 'wait in seconds'],
    [{ type: 'constant' }, 'wait in minutes'],
    [{ type: 'power' }, 'wait in days'],
  ])('has the unit that makes the numbers of %j short', (data, label) => {
    expect(texts(drawn(data))).toContain(label);
  });

  it('has ticks of a logarithmic scale within its waits, by the names of the times', () => {
    const shown = texts(drawn({ type: 'exponential' }));
    expect(shown).toEqual(expect.arrayContaining(['10 min', '1 h', '10 h', '4 d', '40 d']));
    for (const beyond of ['1 min', '1 y']) expect(shown).not.toContain(beyond);
  });

  it('speaks of a band where there is one', () => {
    expect(texts(drawn({ type: 'fibonacci' })).join('\n')).toContain('the band is');
    expect(texts(drawn({ type: 'constant' })).join('\n')).toContain('the same for every record');
  });

  it('tells two of the same name apart', () => {
    const shown = texts(drawn({ type: 'fibonacci' }, { type: 'fibonacci' }));
    expect(shown).toEqual(expect.arrayContaining(['1 fibonacci', '2 fibonacci']));
  });

  it('says of a policy without any wait that it never tries again', () => {
    const svg = drawn({ type: 'none' });
    expect(texts(svg)).toContain('never tried again');
    expect(dots(svg)).toHaveLength(0);
  });

  it('shows the year of a schedule by age, each attempt of it', () => {
    const svg = drawn({ type: 'progressive' });
    expect(texts(svg)).toContain('age of the record in days');
    expect(dots(svg)).toHaveLength(0);
    const marks = [...parsed(svg).querySelectorAll('circle')].filter(
      (mark) => mark.getAttribute('r') === '2.4',
    );
    expect(marks.length).toBeGreaterThan(515);
    expect(marks.length).toBeLessThan(530);
  });

  it('draws random waits the same from the same seed', () => {
    const figures = [figuresOf({ type: 'buckets' })];
    const of = (seed: number) => toSvg(policyPicture(figures, { seed }));
    expect(of(1)).toBe(of(1));
    expect(of(2)).not.toBe(of(1));
  });

  it('has no coordinate finer than a hundredth of a pixel, so that it is the same everywhere', () => {
    const svg = drawn({ type: 'arctan' }, { type: 'sidekiq' }, { type: 'saturating' });
    const geometry = [...svg.matchAll(/\b(?:d|x|y|cx|cy|x1|x2|y1|y2|width|height|transform)="([^"]*)"/g)];
    expect(dots(svg).length).toBeGreaterThan(1000);
    for (const [, value] of geometry) expect(value).not.toMatch(/\.\d{3}|e-\d/);
  });

  it('shows a hostile name as text', () => {
    const picture: Picture = {
      title: '<script>alert(1)</script>',
      notes: ['"&<b>'],
      panels: [],
      tables: [{ caption: '<i>', head: ['<u>'], rows: [['<s>']] }],
    };
    for (const text of [toSvg(picture), toHtml(picture)]) {
      expect(text).not.toMatch(/<script>|<b>|<i>|<u>|<s>/);
      expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    }
    const named = {
      ...figuresOf({ type: 'fibonacci' }),
      data: { type: 'fibonacci', note: '</text><script>' },
    };
    expect(toSvg(policyPicture([named]))).not.toContain('<script>');
  });
});

describe('a picture of simulations', () => {
  const minute = (at: number, attempts: number, wasted: number) => ({ minute: at, attempts, wasted });
  const outage = { fromMs: 600_000, toMs: 3_600_000 };
  const TABLE = { caption: 'c', head: ['', 'constant'], rows: [['attempts', '7']] };

  /** Heights of the bars of one colour, as shares of the greatest. */
  const bars = (svg: string, color: string) =>
    [...parsed(svg).querySelectorAll(`g[fill="${color}"] rect`)].map((rect) =>
      Number(rect.getAttribute('height')),
    );

  it('has a bar for the attempts of each minute, and one for those that succeeded', () => {
    const rows = [{ name: 'a', perMinute: [minute(0, 40, 30), minute(7, 20, 20)] }];
    const [, panel] = attemptsPerMinute(rows, undefined);
    const all = bars(panel?.svg ?? '', '#E69F00');
    expect(all).toHaveLength(2);
    expect((all[1] ?? 0) / (all[0] ?? 1)).toBeCloseTo(0.5, 1);
    const succeeded = bars(panel?.svg ?? '', '#004B78');
    expect((succeeded[0] ?? 0) / (all[0] ?? 1)).toBeCloseTo(0.25, 1);
    expect(succeeded[1]).toBe(0);
  });

  it('names the outage, the axes and the scale', () => {
    const perMinute = [minute(0, 1000, 0), ...Array.from({ length: 50 }, (_, i) => minute(i + 1, 3, 3))];
    const svg = toSvg(
      simulationPicture([{ data: { type: 'constant' }, perMinute }], { outage, text: 'so it was.' }, TABLE),
    );
    expect(texts(svg)).toEqual(
      expect.arrayContaining([
        'Attempts per minute, during an outage and after it',
        'attempts per minute (square-root scale)',
        'time since the start, in minutes',
        'outage',
        'constant',
        'so it was.',
      ]),
    );
  });

  it('bins a week, and says so', () => {
    const week = Array.from({ length: 10_080 }, (_, i) => minute(i, i === 5000 ? 90 : 10, 0));
    const [, panel] = attemptsPerMinute([{ name: 'a', perMinute: week }], undefined);
    const all = bars(panel?.svg ?? '', '#E69F00');
    expect(all.length).toBe(Math.ceil(10_080 / 21));
    expect(all.filter((height) => height === Math.max(...all))).toHaveLength(1);
    expect(texts(panel?.svg ?? '')).toContain(
      'attempts per minute, the most of every 21 minutes (square-root scale)',
    );
  });

  it('ends a while after the last success, and counts what it leaves out', () => {
    const perMinute = [
      minute(0, 5, 4),
      minute(100, 5, 4),
      minute(149, 1, 1),
      minute(152, 1, 1),
      minute(9000, 2, 2),
    ];
    expect(tellingMinutes([{ name: 'a', perMinute }], undefined)).toBe(152);
    expect(tellingMinutes([{ name: 'a', perMinute }], { fromMs: 0, toMs: 200 * 60_000 })).toBe(300);
    expect(tellingMinutes([{ name: 'a', perMinute: [minute(30, 1, 1)] }], undefined)).toBe(31);
    expect(tellingMinutes([{ name: 'a', perMinute: [] }], undefined)).toBe(10);
    const svg = toSvg(simulationPicture([{ data: { type: 'constant' }, perMinute }], { text: '.' }, TABLE));
    expect(texts(svg)).toContain('Not shown: 3 later attempts, all failed.');
  });

  it('is a page by itself, with its figures as a table', () => {
    const page = toHtml(
      simulationPicture([{ data: { type: 'constant' }, perMinute: [minute(0, 7, 0)] }], { text: '.' }, TABLE),
    );
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).not.toMatch(/<script|<link|src=|@import|url\(|href=/);
    const { document } = parseHTML(page);
    expect(document.querySelector('figure svg svg')).not.toBeNull();
    expect(document.querySelector('tbody')?.textContent?.trim()).toBe('attempts7');
  });
});

it.each([
  [30, 'seconds'],
  [180, 'minutes'],
  [3 * 3600, 'hours'],
  [3 * 86_400, 'days'],
])('an axis of %i seconds is in %s', (seconds, unit) => {
  expect(timeUnitFor(seconds).name).toBe(unit);
});
