import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { resolvePolicy } from '../../src/policies/index.js';
import {
  attemptsPerMinute,
  minuteScale,
  tellingMinutes,
} from '../../tools/src/charts/attempts-per-minute.js';
import { type Picture, toHtml, toSvg } from '../../tools/src/charts/picture.js';
import { curveStyle } from '../../tools/src/charts/plot.js';
import { CURVE_FAILURES, policyPicture } from '../../tools/src/charts/policy-picture.js';
import { type SimulationFigures, simulationPicture } from '../../tools/src/charts/simulation-picture.js';
import { COLORS } from '../../tools/src/charts/theme.js';
import { scheduleOf } from '../../tools/src/lab/schedule-of.js';

type Data = Readonly<Record<string, unknown>>;

const figuresOf = (data: Data) => {
  const policy = resolvePolicy(data);
  return { data, policy, rows: scheduleOf(policy, { attempts: CURVE_FAILURES }).rows };
};

const drawn = (...policies: Data[]) => toSvg(policyPicture(policies.map(figuresOf)));

const parsed = (svg: string) => parseHTML(`<html><body>${svg}</body></html>`).document;

const texts = (svg: string) => [...parsed(svg).querySelectorAll('text')].map((text) => text.textContent);

/** Places of the dots of 100 records: a dot is a path with round ends, and nothing between them. */
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

  it('names its axes, its policies at the ends of their curves, and what was fixed', () => {
    const shown = texts(drawn({ type: 'fibonacci' }, { type: 'exponential', base: 3 }));
    expect(shown).toEqual(
      expect.arrayContaining([
        '2 policies: when a failed record is tried again',
        'Wait after each failure',
        'failures so far',
        'fibonacci',
        'exponential base=3',
        '100 records that fail at the same moment, and at every retry',
        'time since the failure',
        'fibonaccijitter: phase, amplitude 0.236',
        'exponential base=3no jitter',
        'Ids order-1 to order-100 of the queue default; seed 1.',
      ]),
    );
  });

  it('has the curve of arctan alone in hours, from no failure to twenty, as its formula has it', () => {
    const svg = drawn({ type: 'arctan', jitter: 'none' });
    expect(texts(svg)).toEqual(expect.arrayContaining(['0', '6 h', '12 h', '18 h', '24 h', '20']));
    const [first, ...marks] = [...parsed(svg).querySelectorAll('circle')].map((mark) => ({
      x: Number(mark.getAttribute('cx')),
      y: Number(mark.getAttribute('cy')),
    }));
    const last = marks.at(-1) ?? { x: 0, y: 0 };
    expect(marks).toHaveLength(20);
    const unit = ((first?.y ?? 0) - last.y) / Math.atan(20 ** 3 / 15);
    for (const [i, { x, y }] of marks.entries()) {
      expect((first?.y ?? 0) - y).toBeCloseTo(unit * Math.atan((i + 1) ** 3 / 15), 1);
      expect(x - (first?.x ?? 0)).toBeCloseTo(((i + 1) / 20) * (last.x - (first?.x ?? 0)), 1);
    }
  });

  it.each([
    [{ type: 'constant' }, Array.from({ length: 10 }, (_, i) => 5 * (i + 1))],
    [{ type: 'exponential' }, [4, 9, 16, 27, 46, 81, 148, 279, 538, 1053]],
  ])('draws %j as stripes: all records at the same minutes', (data, minutes) => {
    const places = [...new Set(dots(drawn(data)).map(({ x }) => Number(x)))];
    expect(places).toHaveLength(10);
    const unit = ((places[9] ?? 0) - (places[0] ?? 0)) / ((minutes[9] ?? 0) - (minutes[0] ?? 0));
    for (const [i, place] of places.entries())
      expect(place).toBeCloseTo((places[0] ?? 0) + unit * ((minutes[i] ?? 0) - (minutes[0] ?? 0)), 1);
  });

  it('has a linear scale where every curve can be seen on it, or else a logarithmic one', () => {
    expect(texts(drawn({ type: 'arctan' }))).toContain('6 h');
    const both = texts(drawn({ type: 'arctan' }, { type: 'constant' }));
    expect(both).toEqual(expect.arrayContaining(['10 min', '1 h', '6 h']));
    expect(both).not.toContain('12 h');
  });

  it('has ticks of a logarithmic scale within its waits, by the names of the times', () => {
    const shown = texts(drawn({ type: 'exponential' }));
    expect(shown).toEqual(expect.arrayContaining(['10 min', '1 h', '6 h', '1 d', '7 d', '30 d']));
    for (const beyond of ['1 min', '180 d']) expect(shown).not.toContain(beyond);
  });

  it('names the longest, the middle and the shortest wait of a policy alone', () => {
    expect(texts(drawn({ type: 'fibonacci' }))).toEqual(
      expect.arrayContaining(['longest', 'middle', 'shortest']),
    );
    const even = texts(drawn({ type: 'constant' }));
    expect(even).toContain('The same for every record.');
    expect(even).not.toContain('longest');
  });

  it('draws a policy of one wait, and one of years', () => {
    const one = drawn({ type: 'constant', maxAttempts: 2 });
    expect(dots(one)).toHaveLength(100);
    expect(one).not.toContain('NaN');
    const years = drawn({ type: 'constant', interval: '360d', maxAge: '36500d', jitter: 'none' });
    expect(texts(years)).toEqual(expect.arrayContaining(['100 d', '300 d', '2 y', '8 y']));
  });

  it('draws twelve policies, each with a color and symbol of its own', () => {
    const twelve = Array.from({ length: 12 }, (_, i) => ({ type: 'constant', interval: 60 * (i + 1) }));
    const svg = drawn(...twelve);
    for (const { interval } of twelve)
      expect(texts(svg).some((text) => text.includes(`interval=${interval}`))).toBe(true);
    const styles = new Set(Array.from({ length: 12 }, (_, i) => JSON.stringify(curveStyle(i))));
    expect(styles.size).toBe(12);
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

  it('shows each tier of a schedule by age, and its attempts', () => {
    const svg = drawn({ type: 'progressive' });
    const shown = texts(svg);
    for (const [every, untilAge] of [
      ['5 min', '1 d'],
      ['1 h', '7 d'],
      ['12 h', '14 d'],
      ['1 d', '30 d'],
      ['4 d', '180 d'],
      ['8 d', '360 d'],
    ])
      expect(shown).toEqual(expect.arrayContaining([`every ${every}`, `to age ${untilAge}`]));
    expect(shown).toEqual(expect.arrayContaining(['0', '1 h', '1 d', '30 d', '289 attempts', '23 attempts']));
    expect(dots(svg)).toHaveLength(0);
    const bars = [...parsed(svg).querySelectorAll('rect[rx="4"], g[rx="4"] rect')].map((bar) =>
      Number(bar.getAttribute('width')),
    );
    expect(bars).toHaveLength(6);
    expect(Math.min(...bars)).toBeGreaterThan(15);
  });

  it('shows the tiers of a progressive policy beside another, too', () => {
    const shown = texts(drawn({ type: 'fibonacci' }, { type: 'progressive' }));
    expect(shown).toEqual(expect.arrayContaining(['failures so far', 'every 8 d']));
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
      sections: [{ heading: '<b>', aside: '</svg>', text: '&<i>' }],
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
  const bars = (svg: string, [color]: readonly string[]) =>
    [...parsed(svg).querySelectorAll(`g[fill="${color}"] rect`)].map((rect) =>
      Number(rect.getAttribute('height')),
    );

  const panelOf = (perMinute: SimulationFigures['perMinute']) =>
    attemptsPerMinute(perMinute, minuteScale([perMinute], undefined), undefined, true);

  const figures = (perMinute: SimulationFigures['perMinute'], result = {}): SimulationFigures => ({
    data: { type: 'constant' },
    perMinute,
    result: { wastedAttempts: 9, drainedSeconds: null, open: 4, ...result },
  });

  it('has a bar for the attempts of each minute, and one for those that succeeded', () => {
    const { svg } = panelOf([minute(0, 40, 30), minute(7, 20, 20)]);
    const all = bars(svg, COLORS.failed);
    expect(all).toHaveLength(2);
    expect((all[1] ?? 0) / (all[0] ?? 1)).toBeCloseTo(0.5, 1);
    const succeeded = bars(svg, COLORS.succeeded);
    expect((succeeded[0] ?? 0) / (all[0] ?? 1)).toBeCloseTo(0.25, 1);
    expect(succeeded[1]).toBe(0);
  });

  it('keeps one attempt visible beside thousands', () => {
    expect(bars(panelOf([minute(0, 9000, 0), minute(1, 1, 1)]).svg, COLORS.failed)[1]).toBe(1.5);
  });

  it('says what happened: the outage, the recovery of each policy, what failed', () => {
    const perMinute = [minute(0, 1000, 1000), minute(75, 1000, 0), minute(300, 7, 7)];
    const rows = [
      { ...figures(perMinute, { wastedAttempts: 1007, drainedSeconds: 9000 }), lastRecoveryMs: 4_510_000 },
      figures([minute(3, 1, 1)], { wastedAttempts: 1 }),
    ];
    const shown = texts(toSvg(simulationPicture(rows, { outage, text: 'so it was.' }, TABLE)));
    expect(shown).toEqual(
      expect.arrayContaining([
        'An outage of 50 min: attempts per minute',
        'outage',
        '1 constant',
        'recovered 15 min later',
        '1,007 attempts failed, 7 of them later than shown.',
        '1 attempt failed; 4 records still wait at the end.',
        'time since the start',
        '20 min',
        'so it was.',
      ]),
    );
  });

  it('says when the last success was, where there was no outage or it came later', () => {
    const of = (drainedSeconds: number, scenario = {}) =>
      texts(
        toSvg(
          simulationPicture(
            [figures([minute(0, 5, 0)], { drainedSeconds })],
            { text: '.', ...scenario },
            TABLE,
          ),
        ),
      );
    expect(of(90)).toContain('last success after 1 min 30 s');
    expect(of(90)).toContain('Attempts per minute');
    expect(of(90, { outage })).toContain('last success after 1 min 30 s');
  });

  it('draws a simulation without any attempt', () => {
    const svg = toSvg(simulationPicture([figures([], { wastedAttempts: 0 })], { text: '.' }, TABLE));
    expect(texts(svg)).toContain('0 attempts failed; 4 records still wait at the end.');
    expect(svg).not.toMatch(/NaN|Infinity/);
  });

  it('bins a week, and says so', () => {
    const week = Array.from({ length: 10_080 }, (_, i) => minute(i, i === 5000 ? 90 : 10, 0));
    const all = bars(panelOf(week).svg, COLORS.failed);
    expect(all.length).toBe(Math.ceil(10_080 / 38));
    expect(all.filter((height) => height === Math.max(...all))).toHaveLength(1);
    expect(texts(toSvg(simulationPicture([figures(week)], { text: '.' }, TABLE)))).toContain(
      'A bar is the busiest of 38 minutes.',
    );
  });

  it('ends a while after the last success', () => {
    const perMinute = [
      minute(0, 5, 4),
      minute(100, 5, 4),
      minute(149, 1, 1),
      minute(152, 1, 1),
      minute(9000, 2, 2),
    ];
    expect(tellingMinutes([perMinute], undefined)).toBe(152);
    expect(tellingMinutes([perMinute], { fromMs: 0, toMs: 200 * 60_000 })).toBe(300);
    expect(tellingMinutes([[minute(30, 1, 1)]], undefined)).toBe(31);
    expect(tellingMinutes([[]], undefined)).toBe(10);
  });

  it('is a page by itself, with its figures as a table', () => {
    const page = toHtml(simulationPicture([figures([minute(0, 7, 0)])], { text: '.' }, TABLE));
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).not.toMatch(/<script|<link|src=|@import|url\(|href=/);
    const { document } = parseHTML(page);
    expect(document.querySelector('figure svg svg')).not.toBeNull();
    expect(document.querySelector('tbody')?.textContent?.trim()).toBe('attempts7');
  });
});
