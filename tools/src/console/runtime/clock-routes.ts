import { clockText, count } from 'dynamo-backlog/overview';
import { type Context, Hono } from 'hono';
import { parseSpeed, SPEEDS } from '../../local/speed.js';
import type { Routes } from '../app-parts.js';
import type { ConsoleRuntime } from '../deps.js';
import { readForm } from '../forms.js';

/** Time for which an answer waits for runs; longer ones are still at work then. */
const WAIT_MS = 5_000;
/** Pages that can be asked for again as they are. */
const PAGES = new Set(['/', '/failures', '/records', '/record', '/tiers', '/what-if', '/runtime/put']);

/** Logs an action, and leads back to a page that says what came of it. */
export type Done = (
  request: Context,
  text: string,
  result: string,
  options?: { readonly to?: string; readonly ok?: boolean },
) => Response;

/** The clock of a local runtime: pause it, let it go on, change its speed, go to the next tick. */
export function clockRoutes({ deps, guard, contextOf }: Routes, runtime: ConsoleRuntime, done: Done): Hono {
  const app = new Hono();
  const { clock } = runtime;
  const on = (path: string, act: (request: Context, field: (name: string) => string) => Promise<Response>) =>
    app.post(path, async (request) => {
      const form = await readForm(request, guard, deps);
      if ('refusal' in form) return request.text(form.refusal, form.status);
      return act(request, form.field);
    });

  on('/pause', async (request) => {
    await clock.change({ paused: true });
    const result = 'The clock is paused: no rule fires. First attempts on arrival go on.';
    return done(request, 'pause the clock', result, { to: pageOf(request) });
  });

  on('/resume', async (request) => {
    await clock.change({ paused: false });
    const result = `The clock goes on, ${speedText(runtime.status().speed)}.`;
    return done(request, 'resume the clock', result, { to: pageOf(request) });
  });

  on('/speed', async (request, field) => {
    const speed = parseSpeed(field('speed').trim());
    if (speed === undefined) {
      const bounds = `from ${SPEEDS.least} to ${count(SPEEDS.most)}`;
      return done(request, 'change the speed of the clock', `Speed: expected a number ${bounds}.`, {
        to: pageOf(request),
        ok: false,
      });
    }
    await clock.change({ speed });
    const stands = runtime.status().paused ? 'It is still paused.' : '';
    const result = `The clock goes ${speedText(speed)}. ${stands}`.trim();
    return done(request, `set the speed of the clock to ${speed}`, result, { to: pageOf(request) });
  });

  on('/next', async (request) => {
    const text = 'go to the next tick';
    const to = pageOf(request);
    const advance = await clock.advance();
    if (!advance) return done(request, text, 'No rule is to fire.', { to, ok: false });
    const haveEnded = await endedWithin(advance.ended, WAIT_MS);
    const runs = advance.rules.map((id) => {
      const label = runtime.status().rules.find((rule) => rule.id === id)?.label ?? id;
      const last = haveEnded ? runtime.lastRunOf(id) : undefined;
      return {
        ok: last === undefined || last.outcome === 'ok',
        text: `${label}: ${last?.text ?? 'at work'}`,
      };
    });
    const time = clockText(advance.at, contextOf(request).now);
    const result = [`The clock went to ${time}.`, ...runs.map((run) => run.text)].join('\n');
    return done(request, text, result, { to, ok: runs.every(({ ok }) => ok) });
  });
  return app;
}

function speedText(speed: number): string {
  return speed === 1 ? 'as fast as real time' : `${count(speed)} times as fast as real time`;
}

/** The page that the form was sent from, without the note of an action before. */
function pageOf(request: Context): string {
  const referrer = request.req.header('referer') ?? '';
  if (!URL.canParse(referrer)) return '/';
  const { host, pathname, searchParams } = new URL(referrer);
  if (host !== request.req.header('host') || !PAGES.has(pathname)) return '/';
  searchParams.delete('note');
  return searchParams.size > 0 ? `${pathname}?${searchParams}` : pathname;
}

async function endedWithin(ended: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  try {
    return await Promise.race([ended.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
