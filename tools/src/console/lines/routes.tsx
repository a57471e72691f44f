import { ConfigurationError, type LineName } from 'dynamo-backlog';
import { type Context, Hono } from 'hono';
import type { Routes } from '../app-parts.js';
import { ReadError } from '../errors.js';
import { page, Verdict } from '../layout.js';
import { numberedPage } from '../numbered-pages.js';
import { Foreign } from '../parts.js';
import { type HeldPage, heldPage, SHOWN_LINES } from './held-page.js';
import { linePage, SHOWN_FOLLOWERS } from './line-page.js';

/** The lines of queues with order: a page of the keys that are held, and one for each key. */
export function linesRoutes({ lines: looks, contextOf }: Pick<Routes, 'lines' | 'contextOf'>): Hono {
  const app = new Hono();

  const pageOf = async (queue: string, request: Context): Promise<HeldPage> => {
    const held = await looks.held(queue);
    const { number, entries: keys } = numberedPage(held.keys, SHOWN_LINES, request.req.query('page'));
    const rows = await Promise.all(
      keys.map(async (key) => ({ name: { queue, key }, look: await looks.look({ queue, key }) })),
    );
    return { queue, held, number, rows };
  };

  app.get('/', async (request) => {
    const queue = request.req.query('queue');
    const shown = queue ? await pageOf(queue, request) : undefined;
    return request.html(heldPage(contextOf(request), shown));
  });

  app.get('/show', async (request) => {
    const name: LineName = { queue: request.req.query('queue') ?? '', key: request.req.query('key') ?? '' };
    const look = await looks.look(name);
    const context = contextOf(request);
    if (look === undefined) {
      const children = (
        <Verdict details="No record with this key and a number has come.">
          There is no line of <Foreign text={name.key} most={256} /> in{' '}
          <Foreign text={name.queue} most={128} />.
        </Verdict>
      );
      return request.html(page({ context, title: 'No such line', view: 'Records', children }), 404);
    }
    if ('problem' in look) {
      const children = <ReadError reason={look.problem} />;
      return request.html(page({ context, title: name.key, view: 'Records', children }), 500);
    }
    return request.html(linePage(context, look.line, await looks.followers(name, SHOWN_FOLLOWERS)));
  });

  app.onError((error, request) => {
    if (!(error instanceof ConfigurationError)) throw error;
    const children = (
      <Verdict>
        <Foreign text={error.message} most={400} />
      </Verdict>
    );
    return request.html(
      page({ context: contextOf(request), title: 'No such line', view: 'Records', children }),
      404,
    );
  });

  return app;
}
