import { LOOKS } from '../../src/overview/conditions.js';
import { COUNT_SIGNS, signsText } from '../../src/overview/count-signs.js';
import { count, names, units } from '../../src/overview/format.js';
import { type Sentence, sentenceOf } from '../../src/overview/sentence.js';
import type { QueueView, Snapshot } from '../../src/overview/snapshot.js';
import { age } from '../../src/support/duration.js';
import { actionButton, type Endpoints } from './buttons.js';
import type { WidgetContext } from './event.js';
import { type Html, html } from './html.js';
import { badge, headline } from './icons.js';
import { isNarrow, page } from './page.js';

/** The content of the overview, and what it has cost. */
export interface OverviewReading {
  readonly snapshot: Snapshot;
  readonly readUnits: number;
}

/** Most queues that are all shown. Of more queues, those in which there is nothing share a line. */
const FEW_QUEUES = 6;
/** Most findings beside the first one. */
const MAX_DETAILS = 3;
/** Most bytes of all rows. With what is around them, the widget stays below 32 KB. */
const MAX_ROW_BYTES = 24_000;

/** The overview as HTML: what is wrong, in a sentence, and the queues, the worst first, both as in the console. */
export function overview(reading: OverviewReading, endpoints: Endpoints, context: WidgetContext): string {
  const { snapshot } = reading;
  const { queues = [] } = snapshot;
  const isFew = queues.length <= FEW_QUEUES;
  const shown = queues.filter(({ condition }) => isFew || condition !== 'quiet');
  const quiet = queues.filter((queue) => !shown.includes(queue));
  const { rows, left } = withinBytes(shown, (queue) => row(queue, reading, endpoints, context));
  const body = html`${sentence(sentenceOf(snapshot))}${table(rows, endpoints)}${folded('more', left)}${folded('quiet', quiet)}${footer(reading)}`;
  return page(body, context);
}

function sentence({ tone, title, details }: Sentence): Html {
  // Where nothing is known to be wrong, the console names the page that shows failures: the dashboard has none.
  const others = tone === 'ok' || tone === 'unknown' ? [] : details;
  const shown = others.slice(0, MAX_DETAILS).map((detail) => html`<p class="d">${detail}</p>`);
  const rest = others.length - shown.length;
  const more = rest > 0 ? html`<p class="d">${rest} more below.</p>` : undefined;
  return html`${headline(tone, title)}${shown}${more}`;
}

function table(rows: readonly Html[], { actions }: Endpoints): Html | undefined {
  if (rows.length === 0) return undefined;
  const last = actions === undefined ? undefined : html`<th scope="col"></th>`;
  return html`<table><thead><tr><th scope="col">Queue</th>${['Waiting', 'Due', 'Oldest due', 'Dead'].map(
    (name) => html`<th scope="col" class="r">${name}</th>`,
  )}${last}</tr></thead><tbody>${rows}</tbody></table>`;
}

function row(
  { stats, condition }: QueueView,
  { snapshot }: OverviewReading,
  endpoints: Endpoints,
  context: WidgetContext,
): Html {
  const { queue, paused, pending, due, dead, oldestDueAt } = stats;
  const sign = COUNT_SIGNS[stats.counted];
  const number = (value: number | undefined, tone = '') =>
    value === undefined || value === 0
      ? html`<td class="r q">${value ?? '–'}</td>`
      : html`<td class="r ${tone}">${sign}${count(value)}</td>`;
  // The worst of its conditions is the first; a queue that is paused says so in any case.
  const isPausedToo = paused && condition !== 'paused';
  const button = actionButton(paused ? 'resume' : 'pause', queue, endpoints);
  return html`<tr><th scope="row"><bdi class="n">${queue}</bdi>${badge(LOOKS[condition])}${
    isPausedToo ? badge(LOOKS.paused) : undefined
  }</th>${number(pending)}${number(due?.now)}${oldest(oldestDueAt, snapshot.now, context)}${number(dead, 'dead')}${
    button && html`<td class="r">${button}</td>`
  }</tr>`;
}

function oldest(oldestDueAt: string | undefined, now: number, context: WidgetContext): Html {
  const ms = now - Date.parse(oldestDueAt ?? '');
  if (Number.isNaN(ms)) return html`<td class="r q">–</td>`;
  const exact = age(Math.abs(ms));
  // The larger unit alone: `41 min`.
  const text = isNarrow(context) ? (/^\S+ \S+/.exec(exact)?.[0] ?? exact) : exact;
  return ms >= 0 ? html`<td class="r">${text}</td>` : html`<td class="r q">in ${text}</td>`;
}

/** Rows as long as there is room for them, and the queues that got none. */
function withinBytes(queues: readonly QueueView[], toRow: (queue: QueueView) => Html) {
  const rows: Html[] = [];
  let bytes = 0;
  for (const queue of queues) {
    const next = toRow(queue);
    bytes += Buffer.byteLength(next.text);
    if (bytes > MAX_ROW_BYTES) break;
    rows.push(next);
  }
  return { rows, left: queues.slice(rows.length) };
}

/** `12 quiet: orders, invoices and 10 more`. */
function folded(word: 'more' | 'quiet', queues: readonly QueueView[]): Html | undefined {
  if (queues.length === 0) return undefined;
  return html`<p class="f">${queues.length} ${word}: <bdi>${names(queues.map(({ stats }) => stats.queue))}</bdi></p>`;
}

function footer({ snapshot, readUnits }: OverviewReading): Html {
  const { now, queues = [] } = snapshot;
  // The overview has no column for records in retry.
  const signs = signsText(
    queues.map(({ stats }) => ({ stats })),
    now,
  );
  const parts = [`Read at ${new Date(now).toISOString().slice(11, 19)} UTC`, units(readUnits), ...signs];
  return html`<p class="f">${parts.join(', ')}.</p>`;
}
