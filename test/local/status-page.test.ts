import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startStatusPage } from '../../tools/src/local/status/status-page.js';

let page: Awaited<ReturnType<typeof startStatusPage>>;
let isStarted = true;

beforeAll(async () => {
  page = await startStatusPage(0, () =>
    isStarted
      ? { status: () => ({}) as never, activity: () => ({}) as never, console: undefined }
      : undefined,
  );
});
afterAll(() => page.stop());

/** `fetch` of Node.js sets such headers itself. */
async function ask(path: string, site: string | undefined, mode = 'no-cors', dest = 'script') {
  const own = { 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': mode, 'Sec-Fetch-Dest': dest };
  const asked = get(new URL(path, page.url), { headers: site === undefined ? {} : own });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  return { status: answer.statusCode, headers: answer.headers };
}

describe.each([true, false])('the pages of a runtime (started: %s)', (started) => {
  beforeAll(() => {
    isStarted = started;
  });

  it.each(['/status.json', '/activity.json', '/', '/nothing'])(
    'are no loads of other sites: %s',
    async (path) => {
      for (const site of ['cross-site', 'same-site']) {
        const answer = await ask(path, site);
        expect(answer.status).toBe(403);
        expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
        expect((await ask(path, site, 'navigate', 'iframe')).status).toBe(403);
        expect((await ask(path, site, 'cors', 'empty')).status).toBe(403);
      }
    },
  );

  it.each(['/status.json', '/activity.json'])('are for programs, and for links: %s', async (path) => {
    const expected = started ? 200 : 503;
    expect((await ask(path, undefined)).status).toBe(expected);
    expect((await ask(path, 'same-origin', 'cors', 'empty')).status).toBe(expected);
    expect((await ask(path, 'cross-site', 'navigate', 'document')).status).toBe(expected);
  });
});
