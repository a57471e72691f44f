import type { BacklogRecord } from 'dynamo-backlog';
import { type Job, systemClock } from 'dynamo-backlog/engine';
import { failingAttempts, fullClock, names } from 'dynamo-backlog/overview';
import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import { ActionForm } from './action-form.js';
import { SCRIPT, STYLESHEET } from './assets.js';
import type { ConsoleDeps } from './deps.js';
import type { Times } from './jobs/looks.js';
import { JobStrip } from './jobs/strip.js';
import { Foreign, Icon } from './parts.js';
import { ClockStrip } from './runtime/clock-strip.js';

export { ActionForm };

/** The facts that each page has of the console and of the request. */
export interface PageContext {
  readonly deps: ConsoleDeps;
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  /** The token for the forms of the page. */
  readonly csrf: string;
  /** The jobs that the strip may show. */
  readonly jobs: () => readonly Job[];
  /** Tells whether there are recurring records, as far as the pages so far have seen. */
  readonly hasRecurring: () => boolean;
  /** Tells whether there are groups of records, as far as the pages so far have seen. */
  readonly hasGroups: () => boolean;
  /** Takes note of records that a page shows: of a group, they bring the page of the groups into the navigation. */
  readonly noteRecords: (records: readonly BacklogRecord[]) => void;
  /** The result of an action before this page. */
  readonly flash?: Flash | undefined;
}

/** The result of an action. */
export interface Flash {
  readonly ok: boolean;
  readonly text: string;
}

const VIEWS = [
  ['/', 'Overview'],
  ['/failures', 'Failures'],
  ['/records', 'Records'],
  ['/tiers', 'Tiers'],
  ['/recurring', 'Recurring'],
  ['/groups', 'Groups'],
  ['/jobs', 'Jobs'],
] as const;

type View = (typeof VIEWS)[number][1];

interface PageProps {
  readonly context: PageContext;
  readonly title: string;
  /** The view that the page belongs to. */
  readonly view?: View | undefined;
  /** Real seconds between two updates of the live parts by the script. Default: never. */
  readonly refreshSeconds?: number | undefined;
  readonly children: Child;
}

/** The times of a page. */
export function timesOf({ deps, now }: PageContext): Times {
  const { wall, speed = 1 } = deps.backlog.clock ?? systemClock;
  return { now, wall: wall(), speed };
}

/** Seconds between two updates of a view of the local runtime. Reading is free there. */
export const LOCAL_REFRESH_SECONDS = 5;
/** The same for a page in AWS whose every reading is billed. */
export const AWS_REFRESH_SECONDS = 30;

/** A whole page. */
export function page(props: PageProps) {
  return html`<!doctype html>${<Page {...props} />}`;
}

function Page({ context, title, view, refreshSeconds, children }: PageProps) {
  const { deps, now, flash } = context;
  const { speed = 1, paused = false } = deps.backlog.clock ?? {};
  const factor = paused ? 0 : speed;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <title>{`${title} · ${deps.name}`}</title>
        <link rel="icon" href="/favicon.svg" />
        <link rel="stylesheet" href={STYLESHEET} />
        <script src={SCRIPT} type="module" />
      </head>
      <body data-now={String(now)} data-speed={String(factor)} data-refresh={refreshSeconds?.toString()}>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <Header context={context} view={view} />
        {deps.runtime ? <RuntimeStrip context={context} view={view} /> : null}
        {view === 'Jobs' ? null : (
          <JobStrip
            jobs={context.jobs()}
            times={timesOf(context)}
            csrf={context.csrf}
            canAct={deps.access.write}
          />
        )}
        <main id="main" tabindex={-1}>
          {flash ? (
            <p class={`flash ${flash.ok ? 'ok' : 'dead'}`} role="status">
              <Icon name={flash.ok ? 'ok' : 'fail'} />
              <span class="lines">{flash.text}</span>
            </p>
          ) : null}
          {children}
          <footer class="foot">
            <span>{deps.where}</span>
            <span data-zone="">Times are in UTC.</span>
            {deps.runtime ? <a href="/status.json">status.json</a> : null}
          </footer>
        </main>
      </body>
    </html>
  );
}

function Header({ context, view }: { context: PageContext; view: View | undefined }) {
  const { deps, now } = context;
  const { access, runtime } = deps;
  const used = { Recurring: context.hasRecurring, Groups: context.hasGroups };
  const isUsed = (name: View) => (name === 'Recurring' || name === 'Groups' ? used[name]() : true);
  const views = VIEWS.filter(([, name]) => name === view || isUsed(name));
  return (
    <header class="top">
      <a class="brand" href="/">
        <svg viewBox="0 0 22 16" aria-hidden="true">
          <path d="M1.5 2v12M4.5 2v12M8 2v12M13 2v12M20.5 2v12" />
        </svg>
        <Foreign text={deps.name} most={40} />
      </a>
      <nav aria-label="Views">
        {views.map(([href, name]) => (
          <a href={href} aria-current={name === view ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <div class="end" data-live="clock">
        {runtime ? null : <span class="sm nw clock">{fullClock(now).slice(-8)} UTC</span>}
        <span class="tag">{runtime ? 'local' : 'deployed'}</span>
        <span class="sm nw">
          {access.write ? (
            <>
              writes as <Foreign text={access.as} most={30} />
            </>
          ) : (
            'read-only'
          )}
        </span>
      </div>
    </header>
  );
}

/** The clock and the sample of a local runtime, and whether attempts fail. */
function RuntimeStrip({ context, view }: { context: PageContext; view: View | undefined }) {
  const { deps } = context;
  const erp = deps.runtime?.status().sample?.erp;
  return (
    <section class="strip" aria-label="Local runtime" data-live="strip">
      <ClockStrip context={context} />
      {erp ? (
        <span>
          <span class={`mark ${erp.up ? 'ok' : 'amber'}`}>
            <Icon name={erp.up ? 'ok' : 'warn'} />
            <span>{erp.up ? 'Sample ERP is up' : 'Sample ERP is down'}</span>
          </span>
          {deps.runtime?.setErp ? (
            <ActionForm context={context} action={`/runtime/erp/${erp.up ? 'down' : 'up'}`}>
              <button
                class="text"
                type="submit"
                disabled={!deps.access.write}
                title={deps.access.write ? undefined : deps.access.reason}
              >
                {erp.up ? 'Take it down' : 'Bring it up'}
              </button>
            </ActionForm>
          ) : null}
        </span>
      ) : null}
      <a href="/runtime/put">Put a record</a>
      {view === 'Overview' ? null : <FailingNow context={context} />}
    </section>
  );
}

/** The note on each page that attempts fail. The overview says so in its sentence. */
function FailingNow({ context: { deps, now } }: { context: PageContext }) {
  const speed = deps.backlog.clock?.speed ?? 1;
  const failing = (deps.queues?.() ?? [])
    .map(({ name }) => name)
    .filter((name) => failingAttempts(deps.runtime?.minutesOf(name) ?? [], now, speed));
  if (failing.length === 0) return null;
  return (
    <a href="/" class="mark dead">
      <Icon name="fail" />
      <span>
        Attempts of <Foreign text={names(failing)} most={100} /> fail
      </span>
    </a>
  );
}

/** The sentence that answers the view's question, and how old its numbers are. */
export function Verdict(props: { children: Child; note?: Child; details?: Child }) {
  return (
    <div class="verdict" data-live="verdict">
      <h1>{props.children}</h1>
      {props.note ? <span class="q sm">{props.note}</span> : null}
      {props.details ? <p class="sub">{props.details}</p> : null}
    </div>
  );
}
