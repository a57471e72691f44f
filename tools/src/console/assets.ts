import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { VERSION } from 'dynamo-backlog/engine';
import { Hono } from 'hono';

/** The folder of the assets: in the sources, or copied beside the bundled command line by the build. */
const FOLDER = fileURLToPath(
  new URL(/\.tsx?$/.test(import.meta.url) ? './assets/' : './console/', import.meta.url),
);

/** Addresses of the assets. They change with the version, so browsers may keep the files. */
export const STYLESHEET = `/console.css?v=${VERSION}`;
export const SCRIPT = `/console.js?v=${VERSION}`;

/** Bars of a backlog that is worked off. */
const FAVICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22"><rect width="22" height="22" rx="5" fill="#14171c"/>' +
  '<path d="M4 6v10M7 6v10M10.5 6v10M14 6v10M18 6v10" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/></svg>';

/** The stylesheet, the script and the icon. They are read once. */
export function assets(): Hono {
  const app = new Hono();
  const styles = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.css'))
    .sort()
    .map((name) => readFileSync(`${FOLDER}/${name}`, 'utf8'))
    .join('\n');
  const script = readFileSync(`${FOLDER}/console.js`, 'utf8');
  const file = (path: string, type: string, body: string) =>
    app.get(path, (context) =>
      context.body(body, 200, { 'Content-Type': type, 'Cache-Control': 'private, max-age=60' }),
    );
  file('/console.css', 'text/css; charset=utf-8', styles);
  file('/console.js', 'text/javascript; charset=utf-8', script);
  file('/favicon.svg', 'image/svg+xml', FAVICON);
  return app;
}
