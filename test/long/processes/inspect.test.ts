import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createDynamoDbClient } from '../../../src/store/index.js';
import type { RuntimeStatus } from '../../../tools/src/local/status/status.js';
import { CommandLine } from '../../cli/process.js';
import { writeWatchedApp } from '../../local/reload/watched-app.js';
import { Inspector } from './inspector.js';

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

let folder: string;
let handler: string;
let app: string;
let cli: CommandLine;
let runtime: Awaited<ReturnType<CommandLine['startRuntime']>>;
let documents: DynamoDBDocumentClient;
let statusUrl: string;
let status: RuntimeStatus;

beforeAll(async () => {
  folder = await writeWatchedApp();
  handler = join(folder, 'handlers/debugged.ts');
  app = join(folder, 'handlers/debugged-app.ts');
  await copyFile(fixture('debugged.ts'), handler);
  await copyFile(fixture('debugged-app.ts'), app);
  cli = await CommandLine.create({ cwd: folder });
  const command = 'node --import tsx handlers/debugged-app.ts';
  runtime = await cli.startRuntime('--app', command, '--watch', '--inspect', '0');
  const [page] = /http:\S+(?=\n)/.exec(runtime.out().split('Console')[1] ?? '') ?? [];
  statusUrl = `${page}status.json`;
  status = await statusNow();
  documents = DynamoDBDocumentClient.from(createDynamoDbClient({ endpoint: status.endpoint }));
}, 120_000);
afterAll(async () => {
  documents?.destroy();
  runtime?.kill('SIGTERM');
  expect(await runtime?.ended).toBe(0);
  cli.close();
  await rm(folder, { recursive: true, force: true });
});

const statusNow = async () => (await (await fetch(statusUrl)).json()) as RuntimeStatus;
const put = (item: Record<string, unknown>) =>
  documents.send(
    new PutCommand({ TableName: status.tables[0], Item: { status: 'NEW', queue: 'orders', ...item } }),
  );
const record = async (id: string) =>
  (await documents.send(new GetCommand({ TableName: status.tables[0], Key: { id }, ConsistentRead: true })))
    .Item;
const soon = { timeout: 120_000, interval: 50 };
const succeeds = (id: string) =>
  vi.waitFor(async () => expect(await record(id)).toMatchObject({ status: 'SUCCESS', attempts: 1 }), soon);
const reported = (text: string) => vi.waitFor(() => expect(runtime.err()).toContain(text), soon);
/** Counts from 0. */
const lineOf = async (text: string) =>
  (await readFile(handler, 'utf8')).split('\n').findIndex((line) => line.includes(text));

/** Puts a record, and stops in its attempt at the breakpoint of the handler. */
async function stopAtBreakpoint(inspector: Inspector, item: Record<string, unknown>) {
  const bundle = await inspector.bundle(handler);
  const line = await lineOf('a breakpoint');
  const { breakpointId, locations } = await inspector.send('Debugger.setBreakpointByUrl', {
    url: bundle.url,
    ...bundle.generated(line),
  });
  expect(locations).toHaveLength(1);
  const paused = inspector.event('Debugger.paused');
  await put(item);
  const { callFrames, hitBreakpoints } = await paused;
  expect(hitBreakpoints).toEqual([breakpointId]);
  const [frame] = callFrames as {
    callFrameId: string;
    location: { lineNumber: number; columnNumber: number };
  }[];
  expect(bundle.original(frame?.location)).toEqual({ url: pathToFileURL(handler).href, line });
  const { result } = await inspector.send('Debugger.evaluateOnCallFrame', {
    callFrameId: frame?.callFrameId,
    expression: 'doubled',
  });
  return {
    doubled: (result as { value: unknown }).value,
    goOn: async () => {
      await inspector.send('Debugger.removeBreakpoint', { breakpointId });
      await inspector.send('Debugger.resume');
    },
  };
}

it('a breakpoint in a TypeScript handler is hit, and its attempt waits for the developer', async () => {
  expect(status.debuggers).toHaveLength(1);
  const { functionName, port } = status.debuggers?.[0] ?? {};
  expect(runtime.out()).toMatch(new RegExp(`Debugger +127\\.0\\.0\\.1:${port}  ${functionName}\\n`));
  const inspector = await Inspector.attach(port);
  const { doubled, goOn } = await stopAtBreakpoint(inspector, { id: 'looked-at', payload: { items: 21 } });
  expect(doubled).toBe(42);

  // Longer than the attempt may take, and an attempt that ignores its signal.
  await put({ id: 'behind', payload: { items: 1 } });
  await sleep(3_000);
  await goOn();
  await succeeds('looked-at');
  await succeeds('behind');
  inspector.close();
});

it('a handler that is saved at a breakpoint gets the port when the attempt has ended; new functions get one, too', async () => {
  await reported('watching node');
  const port = status.debuggers?.[0]?.port;
  const before = await Inspector.attach(port);
  const stopped = await stopAtBreakpoint(before, { id: 'in-old-code', payload: { items: 7 } });
  expect(stopped.doubled).toBe(14);
  const text = await readFile(handler, 'utf8');
  await writeFile(handler, `// A line more.\n${text.replace('items * 2', 'items * 3')}`);
  await reported('handlers/debugged.ts is live');
  await put({ id: 'waits', payload: { items: 1 } });
  await stopped.goOn();
  await succeeds('in-old-code');
  await succeeds('waits');
  before.close();

  const after = await Inspector.attach(port, before.target);
  const again = await stopAtBreakpoint(after, { id: 'in-new-code', payload: { items: 7 } });
  expect(again.doubled).toBe(21);
  await again.goOn();
  await succeeds('in-new-code');
  await put({ id: 'bad', payload: 'fails' });
  const place = `refuse (handlers/debugged.ts:${(await lineOf('throw new')) + 1}:`;
  await vi.waitFor(async () => expect((await statusNow()).errors.at(-1)?.stack[0]).toContain(place), soon);
  after.close();

  const queue = "mails: { retry: { type: 'fibonacci' }, entry: 'handlers/orders.ts' },\n    orders: {";
  await writeFile(app, (await readFile(app, 'utf8')).replace('orders: {', queue));
  await reported('queue mails: added');
  const { debuggers = [] } = await statusNow();
  expect(debuggers).toHaveLength(2);
  expect(debuggers).toContainEqual(status.debuggers?.[0]);
  const added = debuggers.find((one) => one.port !== port);
  // Its process starts with its first event.
  await put({ id: 'mail', queue: 'mails', payload: {} });
  (await Inspector.attach(added?.port)).close();
});
