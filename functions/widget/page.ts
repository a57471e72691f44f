import type { WidgetContext } from './event.js';
import { type Html, html } from './html.js';
import { style } from './style.js';

/** The width below which names stand above their states, in pixels. */
const NARROW_PX = 560;

export function isNarrow({ width = Number.POSITIVE_INFINITY }: WidgetContext): boolean {
  return width < NARROW_PX;
}

/** The widget's HTML, in the console's theme. */
export function page(body: Html, context: WidgetContext): string {
  const { theme } = context;
  const size = isNarrow(context) ? ' narrow' : '';
  return html`${style}<div class="bl ${theme}${size}">${body}</div>`.text;
}
