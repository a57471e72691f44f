import type { Status } from 'dynamo-backlog';
import { clockText, count, relative, STROKES, shortened } from 'dynamo-backlog/overview';
import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';

export type IconName = keyof typeof STROKES;

/** An icon beside a word: readers of the page hear the word alone. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="i" viewBox="0 0 16 16" aria-hidden="true">
      {raw(STROKES[name])}
    </svg>
  );
}

/** The look of a record's or a queue's state. */
export type Tone = 'new' | 'run' | 'retry' | 'ok' | 'dead' | 'amber' | 'grey';

/** A badge with colour, icon and word: no state is shown by colour alone. */
export function Badge({ tone, icon, children }: { tone: Tone; icon: IconName; children: Child }) {
  return (
    <span class={`badge ${tone}`}>
      <Icon name={icon} />
      {children}
    </span>
  );
}

/** A badge without its ground. */
export function Mark({ tone, icon, children }: { tone: Tone; icon: IconName; children: Child }) {
  return (
    <span class={`mark ${tone}`}>
      <Icon name={icon} />
      <span>{children}</span>
    </span>
  );
}

/** A status, and `running` for a record that a lease names. */
export type RecordState = Status | 'RUNNING';

export const STATES: Readonly<
  Record<RecordState, { readonly word: string; readonly tone: Tone; readonly icon: IconName }>
> = {
  NEW: { word: 'New', tone: 'new', icon: 'new' },
  RUNNING: { word: 'Running', tone: 'run', icon: 'run' },
  ERROR: { word: 'In retry', tone: 'retry', icon: 'retry' },
  SUCCESS: { word: 'Success', tone: 'ok', icon: 'ok' },
  DEAD: { word: 'Dead', tone: 'dead', icon: 'dead' },
};

export function StateBadge({ state }: { state: RecordState }) {
  const { word, tone, icon } = STATES[state];
  return (
    <Badge tone={tone} icon={icon}>
      {word}
    </Badge>
  );
}

/**
 * Text that others wrote: isolated, so that its marks of direction change no text beside it, and cut at `most`
 * characters. Default: 200.
 */
export function Foreign({ text, most = 200 }: { text: string; most?: number }) {
  const shown = shortened(text, most);
  return shown === text ? <bdi>{text}</bdi> : <bdi title={shortened(text, 1_000)}>{shown}</bdi>;
}

/**
 * The time until then, or since then, and the time of day. The script of the page counts it on.
 *
 * @param expected it is to come: `now` once its time has come
 */
export function When({ at, now, expected }: { at: string | number; now: number; expected?: boolean }) {
  const ms = typeof at === 'number' ? at : Date.parse(at);
  if (!Number.isFinite(ms)) return <Unknown />;
  return (
    <time class="when" datetime={new Date(ms).toISOString()}>
      <span data-relative={expected ? 'expected' : ''}>
        {expected && ms < now ? 'now' : relative(ms, now)}
      </span>{' '}
      <span class="q">{clockText(ms, now)}</span>
    </time>
  );
}

/** The sign for what is not known, which is never shown as 0. */
export function Unknown({ why }: { why?: string | undefined }) {
  return (
    <span class="q" title={why ?? 'not known'}>
      –
    </span>
  );
}

/** A count; 0 is grey. `sign`: `≈ ` or `≥ `, where it is not exact. */
export function Count(props: { of: number | undefined; sign?: string; tone?: Tone; icon?: IconName }) {
  const { of, sign = '', tone, icon } = props;
  if (of === undefined) return <Unknown />;
  if (of === 0) return <span class="q">0</span>;
  const text = `${sign}${count(of)}`;
  return tone && icon ? (
    <Mark tone={tone} icon={icon}>
      {text}
    </Mark>
  ) : (
    <span>{text}</span>
  );
}

/** A text with a capital at its beginning. */
export const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** A panel with a heading; `live`: its name, under which the script of the page brings it up to date. */
export function Panel(props: {
  title: string;
  note?: Child;
  end?: Child;
  live?: string;
  children: Child;
  class?: string;
}) {
  const { title, note, end, live, children } = props;
  return (
    <section class={`panel ${props.class ?? ''}`} {...(live ? { 'data-live': live } : {})}>
      <header>
        <h2>{title}</h2>
        {note ? <span class="sub sm">{note}</span> : null}
        {end ? <span class="end sm">{end}</span> : null}
      </header>
      {children}
    </section>
  );
}

/** A number that the operator reads out; `whole`: a fact of several words, in a row of its own. */
export function Fact({ label, whole, children }: { label: string; whole?: boolean; children: Child }) {
  return (
    <div class={whole ? 'whole' : undefined}>
      <dt>
        <Foreign text={label} most={60} />
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The path and query of a link: empty values are left out. */
export function link(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const text = new URLSearchParams(given).toString();
  return text ? `${path}?${text}` : path;
}

/** The page of a record. Its id stands in the query: in a path, `..` would lead elsewhere. */
export const recordLink = (id: string): string => link('/record', { id });
