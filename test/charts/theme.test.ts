import { describe, expect, it } from 'vitest';
import { resolvePolicy } from '../../src/policies/index.js';
import { toHtml, toSvg } from '../../tools/src/charts/picture.js';
import { CURVE_FAILURES, policyPicture } from '../../tools/src/charts/policy-picture.js';
import { COLORS, CURVE_COLORS, RETRY_COLORS } from '../../tools/src/charts/theme.js';
import { scheduleOf } from '../../tools/src/lab/schedule-of.js';

type Linear = readonly [number, number, number];

/** Linear parts of an sRGB colour, as WCAG 2 has them. */
function linear(color: string): Linear {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return [red, green, blue];
}

function luminance([red, green, blue]: Linear): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [more = 0, less = 0] = [luminance(linear(a)), luminance(linear(b))].sort((x, y) => y - x);
  return (more + 0.05) / (less + 0.05);
}

/** Colours as protanopes, deuteranopes and tritanopes see them: Machado, Oliveira and Fernandes, 2009. */
const VISIONS = {
  all: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
} as const;

/** CIE Lab of a color as it is seen. */
function seen(color: string, vision: readonly number[]): number[] {
  const [red, green, blue] = linear(color);
  const [r = 0, g = 0, b = 0] = [0, 3, 6].map((row) =>
    Math.max(0, red * (vision[row] ?? 0) + green * (vision[row + 1] ?? 0) + blue * (vision[row + 2] ?? 0)),
  );
  const [x = 0, y = 0, z = 0] = [
    (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
    0.2126 * r + 0.7152 * g + 0.0722 * b,
    (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
  ].map((part) => (part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const LIGHT_AND_DARK = [
  ['light', 0],
  ['dark', 1],
] as const;

describe.each(LIGHT_AND_DARK)('the %s colors', (_, side) => {
  const { background, shade, ink, muted, failed, succeeded } = COLORS;
  const curves = CURVE_COLORS.map((color) => color[side]);

  it('let text be read: 4.5 to 1, the names of curves included', () => {
    for (const color of [ink[side], muted[side], ...curves])
      expect([color, contrast(color, background[side]) >= 4.5]).toEqual([color, true]);
    // The names above the outage.
    for (const color of [ink[side], succeeded[side]])
      expect(contrast(color, shade[side])).toBeGreaterThanOrEqual(4.5);
  });

  it('let marks be seen: 3 to 1', () => {
    for (const color of RETRY_COLORS.map((retry) => retry[side]))
      expect([color, contrast(color, background[side]) >= 3]).toEqual([color, true]);
    for (const color of [failed[side], succeeded[side]])
      expect(contrast(color, shade[side])).toBeGreaterThanOrEqual(3);
  });

  it.each(Object.entries(VISIONS))('of curves can be told apart: %s', (_name, vision) => {
    for (const [i, one] of curves.entries()) {
      for (const other of curves.slice(i + 1)) {
        const [a, b] = [seen(one, vision), seen(other, vision)];
        const distance = Math.hypot(...a.map((part, at) => part - (b[at] ?? 0)));
        // 2.3 is a difference that is just seen.
        expect([one, other, distance > 9]).toEqual([one, other, true]);
      }
    }
  });
});

describe('a theme', () => {
  const policy = resolvePolicy({ type: 'fibonacci' });
  const { rows } = scheduleOf(policy, { attempts: CURVE_FAILURES });
  const picture = policyPicture([{ data: { type: 'fibonacci' }, policy, rows }]);
  const colors = (svg: string) => new Set(svg.match(/(?<==")#[0-9a-f]{6}(?=")/g));

  it('auto has the light colors, and each of them in dark for viewers that prefer it', () => {
    const svg = toSvg(picture);
    const style = /<style>(.*)<\/style>/.exec(svg)?.[1] ?? '';
    expect(style).toMatch(/^:root\{color-scheme:light dark\}@media \(prefers-color-scheme:dark\)\{.*\}$/);
    const pairs: (readonly [string, string])[] = [...Object.values(COLORS), ...CURVE_COLORS, ...RETRY_COLORS];
    for (const [, name, color = ''] of svg.matchAll(/\b(fill|stroke|color)="(#[0-9a-f]{6})"/g)) {
      const dark = pairs.find(([light]) => light === color)?.[1];
      expect(style).toContain(`[${name}="${color}"]{${name}:${dark}}`);
    }
  });

  it('forced has its own colors alone', () => {
    const [light, dark] = [toSvg(picture, 'light'), toSvg(picture, 'dark')];
    for (const svg of [light, dark]) expect(svg).not.toContain('<style>');
    for (const color of colors(light)) expect(colors(dark)).not.toContain(color);
    expect(dark).toContain(`fill="${COLORS.background[1]}"`);
  });

  it('is that of the page, too', () => {
    expect(toHtml(picture)).toContain('color-scheme: light dark');
    expect(toHtml(picture, 'dark')).toContain('color-scheme: dark;');
    expect(toHtml(picture, 'dark')).not.toContain('prefers-color-scheme');
    expect(toHtml(picture, 'light')).not.toMatch(/prefers-color-scheme|#0d1117/);
  });
});
