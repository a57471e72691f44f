import type { Look } from './conditions.js';

/** The strokes of each icon, as SVG in a square of 16: for the console and the dashboard. */
export const STROKES: Readonly<Record<Look['icon'] | 'retry', string>> = {
  breaker: '<circle cx="8" cy="8" r="5.6"/><path d="M8 2.4a5.6 5.6 0 0 0 0 11.2z" fill="currentColor"/>',
  dead: '<path d="M5.4 2h5.2L14 5.4v5.2L10.6 14H5.4L2 10.6V5.4zM6.1 6.1l3.8 3.8M9.9 6.1 6.1 9.9"/>',
  fail: '<circle cx="8" cy="8" r="5.8"/><path d="m6 6 4 4M10 6l-4 4"/>',
  new: '<circle cx="8" cy="8" r="5.4"/>',
  ok: '<circle cx="8" cy="8" r="5.8"/><path d="m5.5 8.2 1.8 1.8 3.3-3.8"/>',
  paused: '<rect x="2.5" y="2.5" width="11" height="11" rx="2.5"/><path d="M6.4 5.8v4.4M9.6 5.8v4.4"/>',
  retry: '<path d="M13.2 8.6a5.2 5.2 0 1 1-1.4-4.2L13.4 6M13.5 2.6V6h-3.4"/>',
  run: '<path d="M8 2.5A5.5 5.5 0 1 1 2.5 8"/><circle cx="8" cy="8" r="1" fill="currentColor"/>',
  warn: '<path d="M8 2.4 14.2 13.2H1.8zM8 6.6v3M8 11.4v.1"/>',
};
