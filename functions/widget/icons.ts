import type { Look } from '../../src/overview/conditions.js';
import { STROKES } from '../../src/overview/icons.js';
import { Html, html } from './html.js';

/** An icon beside a word: readers of the page hear the word alone. CloudWatch removes `<use>`, so each has its strokes. */
function icon(name: Look['icon']): Html {
  return new Html(`<svg viewBox="0 0 16 16" aria-hidden="true">${STROKES[name]}</svg>`);
}

/** Colour, icon and word: no state is shown by colour alone. */
export function badge({ tone, icon: name, word }: Look): Html {
  return html`<span class="s ${tone}">${icon(name)}${word}</span>`;
}

const ICONS = { ok: 'ok', run: 'run', unknown: 'new', amber: 'warn', dead: 'fail' } as const;

/** The first sentence, with its icon. */
export function headline(tone: keyof typeof ICONS, text: string, name: Look['icon'] = ICONS[tone]): Html {
  return html`<p class="h"><span class="${tone === 'unknown' ? 'q' : tone}">${icon(name)}</span><span>${text}</span></p>`;
}
