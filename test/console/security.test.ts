import { describe, expect, it } from 'vitest';
import { withOwnHost } from '../../tools/src/local/local-server.js';
import { consoleUnderTest, get, runtimeUnderTest, waiting } from './console-under-test.js';

describe('the console, as if it were public', () => {
  it('sends each answer with a policy that allows no inline script and no inline style', async () => {
    const { app } = consoleUnderTest();
    for (const path of ['/', '/no-such-page', '/console.css']) {
      const { headers } = await get(app, path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect((await get(app, '/')).headers.get('cache-control')).toBe('no-store');
  });

  it('has neither inline scripts, inline styles nor handlers on its pages', async () => {
    const { app, store } = consoleUnderTest({ runtime: runtimeUnderTest() });
    store.put(waiting('a'));
    const { text } = await get(app, '/');
    expect(text).not.toMatch(/<script(?![^>]* src="\/console\.js)/);
    expect(text).not.toMatch(/<style| style=| on[a-z]+="/);
  });

  it('answers only requests that name this machine', async () => {
    const app = withOwnHost(consoleUnderTest().app);
    const ask = (host: string, origin?: string) =>
      app.request('/', {}, { incoming: { headers: { host, origin }, socket: { localPort: 8081 } } });
    expect((await ask('127.0.0.1:8081')).status).toBe(200);
    expect((await ask('localhost:8081', 'http://localhost:8081')).status).toBe(200);
    expect((await ask('evil.example:8081')).status).toBe(421);
    expect((await ask('127.0.0.1:8082')).status).toBe(421);
    expect((await ask('127.0.0.1:8081', 'https://evil.example')).status).toBe(403);
  });

  it.each([
    '/record/act?id=a&do=run-now',
    '/record/preview?id=a&do=edit',
    '/queue/pause?name=orders',
    '/bulk',
    '/bulk/ticked',
    '/job/stop',
    '/runtime/run',
    '/runtime/put',
    '/runtime/clock/pause',
    '/runtime/erp/down',
  ])('answers a form that cannot be read like other bad input: %s', async (path) => {
    const { app, store } = consoleUnderTest({ runtime: runtimeUnderTest() });
    store.put(waiting('a'));
    const before = store.items();
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
    for (const body of ['--x\r\nnonsense', '--x\r\nContent-Disposition: form-data\r\n\r\n1\r\n--x--', '']) {
      const answer = await app.request(path, { method: 'POST', headers, body });
      expect([400, 404]).toContain(answer.status);
      expect(await answer.text()).not.toContain('The tables cannot be read');
    }
    expect(store.items()).toEqual(before);
  });

  it('may be linked from another site, but not loaded by its pages', async () => {
    const { app } = consoleUnderTest();
    const ask = async (site: string, mode: string, dest: string, method = 'GET') => {
      const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest };
      return (await app.request('/', { method, headers })).status;
    };
    expect(await ask('cross-site', 'navigate', 'document')).toBe(200);
    expect(await ask('same-origin', 'cors', 'empty')).toBe(200);
    expect(await ask('none', 'navigate', 'document')).toBe(200);
    expect(await ask('cross-site', 'no-cors', 'image')).toBe(403);
    expect(await ask('cross-site', 'navigate', 'iframe')).toBe(403);
    expect(await ask('same-site', 'cors', 'empty')).toBe(403);
    expect(await ask('cross-site', 'navigate', 'document', 'POST')).toBe(403);
  });

  it.each(['/failures?more=yes', '/bulk?do=redrive&status=DEAD'])(
    'is not made to read hundreds of units by a link from another port: %s',
    async (path) => {
      const { app } = consoleUnderTest();
      const from = (site: string) =>
        get(app, path, {
          'sec-fetch-site': site,
          'sec-fetch-mode': 'navigate',
          'sec-fetch-dest': 'document',
        });
      expect((await from('same-site')).status).toBe(403);
      expect((await from('cross-site')).status).toBe(403);
      expect((await from('same-origin')).status).toBe(200);
      expect((await from('none')).status).toBe(200);
    },
  );

  it('with a key, answers only a browser that has opened the address with it', async () => {
    const { app } = consoleUnderTest({ key: 'the-key' });
    expect((await get(app, '/')).status).toBe(401);
    expect((await get(app, '/?key=another')).status).toBe(401);
    const opened = await app.request('/?key=the-key');
    expect(opened.status).toBe(302);
    const cookie = opened.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Strict/);
    const [pair = ''] = cookie.split(';');
    expect((await get(app, '/', { cookie: pair })).status).toBe(200);
    expect((await get(app, '/', { cookie: `${pair}x` })).status).toBe(401);
  });
});
