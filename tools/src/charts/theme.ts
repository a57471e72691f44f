/** The themes of a picture. `auto`: the one that the viewer prefers. */
export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/**
 * Each colour on a light background, and on a dark one. Text has a contrast of 4.5 at least, a mark of 3. Curves can be
 * told apart with any colour vision. A test computes all of it.
 */
export const COLORS = {
  background: ['#ffffff', '#0d1117'],
  ink: ['#1f2328', '#e6edf3'],
  muted: ['#59636e', '#9aa4af'],
  shade: ['#eceef1', '#242b34'],
  failed: ['#c24100', '#f58a3c'],
  succeeded: ['#0067b0', '#4aa8f0'],
} as const;

/** A colour for each curve, then again from the first. */
export const CURVE_COLORS = [
  ['#0067b0', '#4aa8f0'],
  ['#c24100', '#f58a3c'],
  ['#007a5e', '#1fbf92'],
  ['#a8327e', '#f7b3d8'],
  ['#5c4400', '#f7e08a'],
  ['#7a5cd6', '#9278f0'],
  ['#1f2328', '#e6edf3'],
] as const;

/** viridis from the first retry to the tenth, without what is lost on the background. */
export const RETRY_COLORS = [
  ['#440154', '#2c738e'],
  ['#482878', '#25838e'],
  ['#3e4989', '#1f948c'],
  ['#31688e', '#21a585'],
  ['#26828e', '#31b57b'],
  ['#1f9e89', '#50c46a'],
  ['#1ba66a', '#77d153'],
  ['#42a430', '#a2da37'],
  ['#6aa100', '#d2e21b'],
  ['#b57f00', '#fde725'],
] as const;

const DARK: ReadonlyMap<string, string> = new Map([
  ...Object.values(COLORS),
  ...CURVE_COLORS,
  ...RETRY_COLORS,
]);

const COLORED = /\b(fill|stroke|color)="(#[0-9a-f]{6})"/g;

/** The style that makes a picture in light colours dark where the viewer prefers that. */
export function darkStyle(svg: string): string {
  const used = new Set([...svg.matchAll(COLORED)].map(([attribute]) => attribute));
  const rules = [...used].map(
    (attribute) => `[${attribute}]{${darkened(attribute).replace(/="(.*)"/, ':$1')}}`,
  );
  return `:root{color-scheme:light dark}@media (prefers-color-scheme:dark){${rules.join('')}}`;
}

/** Each colour of a picture in light colours, as it is on a dark background. */
export function darkened(svg: string): string {
  return svg.replace(COLORED, (_, name: string, color: string) => `${name}="${DARK.get(color) ?? color}"`);
}
