import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemoryStore, StoreError } from '../../../src/store/index.js';
import { VirtualTime } from '../../../src/support/virtual-time.js';
import { loadHandlers } from '../../../tools/src/work/handlers.js';
import { prepare } from '../../../tools/src/work/prepare.js';

const START = Date.parse('2026-03-01T00:00:00.000Z');

const HANDLERS =
  "module.exports = { orders: Object.assign(() => {}, { [Symbol.for('dynamo-backlog.serves')]: undefined }), other: 1 };";

/** Gives its path. */
async function moduleOf(name: string, text: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'backlog-handlers-')), name);
  await writeFile(path, text);
  return path;
}

describe('the start', () => {
  const start = (
    handler: string,
    env: Record<string, string> = {},
    readRegistry?: MemoryStore['registry']['read'],
  ) => {
    const time = new VirtualTime(START, () => new Promise((resolve) => setImmediate(resolve)));
    const clock = time.clock();
    const stop = new AbortController();
    const lines: unknown[] = [];
    const log = { debug() {}, info() {}, error() {}, warn: (...line: unknown[]) => void lines.push(line) };
    const store = new MemoryStore({ clock });
    if (readRegistry) store.registry.read = readRegistry;
    const ended = prepare(
      { handler, queues: new Map(), everyMs: 1_000, graceSeconds: 1 },
      { store, clock, env, log, stop: stop.signal, emitFor: async () => undefined },
    );
    ended.catch(() => {});
    return { time, ended, lines, stop };
  };

  it('says that a module does not come to the end of its loading, and ends when it is told to', async () => {
    const handler = await moduleOf('hangs.mjs', 'await new Promise(() => {});');
    const { time, ended, lines, stop } = start(handler);
    await time.runUntil(START + 21_000);
    const message = '--handler: the module is still loading (a top-level await?)';
    expect(lines).toEqual([10, 20].map((seconds) => [message, { module: handler, seconds }]));
    stop.abort();
    await expect(time.until(ended)).rejects.toBe(stop.signal.reason);
  });

  it('looks at BACKLOG_QUEUES before it loads anything', async () => {
    const { ended } = start('none.mjs', { BACKLOG_QUEUES: '{bad' });
    await expect(ended).rejects.toThrow('BACKLOG_QUEUES: expected JSON');
  });

  it('says that the control table is another one, as DynamoDB would refuse it again and again', async () => {
    const handler = await moduleOf('bundle.cjs', HANDLERS);
    const refused = new StoreError('GetItem (table Records): ValidationException: no such key');
    const { ended } = start(handler, {}, () => Promise.reject(refused));
    await expect(ended).rejects.toThrow(
      /^--control-table: expected the control table of the backlog, .*: GetItem \(table Records\)/,
    );
  });
});

describe('--handler', () => {
  it('takes a CommonJS bundle', async () => {
    const bundle = await moduleOf('bundle.cjs', HANDLERS);
    expect((await loadHandlers(bundle)).handlers).toMatchObject([{ name: 'orders', serves: undefined }]);
    expect((await loadHandlers(`${bundle}#orders`)).handlers).toHaveLength(1);
    await expect(loadHandlers(`${bundle}#other`)).rejects.toThrow('to export "other", a handler');
  });
});

describe('--handler, of a module with wrapped handlers', () => {
  const wrapped = (text: string) =>
    moduleOf(
      'wrapped.mjs',
      `import middy from ${JSON.stringify(import.meta.resolve('@middy/core'))};
       import { backlogHandler } from ${JSON.stringify(new URL('../../../dist/functions/index.js', import.meta.url).href)};
       const process = () => {};
       ${text}`,
    );

  it('finds what middy has made of one, with the queues of its code', async () => {
    const file = await wrapped(
      `export const sendOrder = process;
       export const handler = middy(backlogHandler({ queue: 'orders', process })).use({ before() {} });`,
    );
    const { handlers } = await loadHandlers(file);
    expect(handlers).toMatchObject([{ name: 'handler', serves: new Map([['orders', 1]]) }]);
  });

  it('finds a function of the name that is deployed, whatever has wrapped it', async () => {
    const file = await wrapped(
      `const inner = backlogHandler({ queue: 'orders', process });
       export const handler = (event, context) => inner(event, context);`,
    );
    expect((await loadHandlers(file)).handlers).toMatchObject([{ name: 'handler' }]);
  });

  it('finds one that has middlewares of its own by itself', async () => {
    const file = await wrapped(
      `export const orders = backlogHandler({ queue: 'orders', process }).use({ before() {} });
       export const api = middy(async () => 'another function');`,
    );
    expect((await loadHandlers(file)).handlers).toMatchObject([
      { name: 'orders', serves: new Map([['orders', 1]]) },
    ]);
  });

  it('leaves it to the first run which of several a function wraps', async () => {
    const text = `export const one = middy(backlogHandler({ queue: 'orders', process }));
       export const other = middy(backlogHandler({ queue: 'mails', process }));`;
    const { handlers } = await loadHandlers(`${await wrapped(text)}#other`);
    expect(handlers).toMatchObject([{ name: 'other', serves: undefined }]);
    expect((await loadHandlers(await wrapped(text))).handlers).toHaveLength(2);
  });

  it('refuses a module that has made none', async () => {
    const file = await wrapped('export const handler = middy(process);');
    await expect(loadHandlers(file)).rejects.toThrow('or that wraps one; its exports are: handler');
  });
});
