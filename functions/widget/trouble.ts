import { explainRead } from '../../src/overview/explain-read.js';
import type { WidgetContext } from './event.js';
import { html } from './html.js';
import { headline } from './icons.js';
import { page } from './page.js';

/**
 * A sentence, what it means, and the first command to run. Each handler loads it when it is needed: what one loads later, no other may
 * import at its start.
 */
export function trouble(title: string, error: unknown, command: string, context: WidgetContext): string {
  const body = html`${headline('dead', title)}<p class="d"><bdi>${explainRead(error)}</bdi></p><p class="d">First:</p><code>${command}</code>`;
  return page(body, context);
}
