import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createDynamoDbClient } from '../../../src/store/index.js';
import type { RuntimeStatus } from '../../../src/tools/local/status/status.js';
import { CommandLine } from '../../cli/process.js';

const HANDLER = fileURLToPath(new URL('../fixtures/debugged.ts', import.meta.url));
const APP = fileURLToPath(new URL('../fixtures/debugged-app.ts', import.meta.url));

let cli: CommandLine;
let runtime: Awaited<ReturnType<CommandLine['startRuntime']>>;
let documents: DynamoDBDocumentClient;
let status: RuntimeStatus;

beforeAll(async () => {
  cli = await CommandLine.create();
  runtime = await cli.startRuntime('--app', `npx tsx "${APP}"`, '--inspect', '0');
  const [page] = /http:\S+(?=\n)/.exec(runtime.out().split('Console')[1] ?? '') ?? [];
  status = (await (await fetch(`${page}status.json`)).json()) as RuntimeStatus;
  documents = DynamoDBDocumentClient.from(createDynamoDbClient({ endpoint: status.endpoint }));
}, 120_000);
afterAll(async () => {
  documents?.destroy();
  runtime?.kill('SIGTERM');
  expect(await runtime?.ended).toBe(0);
  cli.close();
});

const put = (item: Record<string, unknown>) =>
  documents.send(
    new PutCommand({ TableName: status.tables[0], Item: { status: 'NEW', queue: 'orders', ...item } }),
  );
const record = async (id: string) =>
  (await documents.send(new GetCommand({ TableName: status.tables[0], Key: { id }, ConsistentRead: true })))
    .Item;
const soon = { timeout: 60_000, interval: 50 };

it('a breakpoint in a TypeScript handler is hit, and its attempt waits for the developer', async () => {
  expect(status.debuggers).toHaveLength(1);
  const { functionName, port } = status.debuggers?.[0] ?? {};
  expect(runtime.out()).toMatch(new RegExp(`Debugger +127\\.0\\.0\\.1:${port}  ${functionName}\\n`));
  const inspector = await Inspector.attach(port);
  const bundle = await inspector.bundle();
  const line = (await readFile(HANDLER, 'utf8'))
    .split('\n')
    .findIndex((text) => text.includes('a breakpoint'));

  const at = bundle.generated(line);
  const { breakpointId, locations } = await inspector.send('Debugger.setBreakpointByUrl', {
    url: bundle.url,
    ...at,
  });
  expect(locations).toHaveLength(1);
  const paused = inspector.event('Debugger.paused');
  await put({ id: 'looked-at', payload: { items: 21 } });
  const { callFrames, hitBreakpoints } = await paused;
  expect(hitBreakpoints).toEqual([breakpointId]);
  const [frame] = callFrames as {
    callFrameId: string;
    location: { lineNumber: number; columnNumber: number };
  }[];
  expect(bundle.original(frame?.location)).toEqual({ url: pathToFileURL(HANDLER).href, line });
  const { result } = await inspector.send('Debugger.evaluateOnCallFrame', {
    callFrameId: frame?.callFrameId,
    expression: 'doubled',
  });
  expect(result).toMatchObject({ type: 'number', value: 42 });

  // Longer than the attempt may take, and an attempt that ignores its signal.
  await put({ id: 'behind', payload: { items: 1 } });
  await sleep(3_000);
  await inspector.send('Debugger.removeBreakpoint', { breakpointId });
  await inspector.send('Debugger.resume');
  for (const id of ['looked-at', 'behind']) {
    await vi.waitFor(
      async () => expect(await record(id)).toMatchObject({ status: 'SUCCESS', attempts: 1 }),
      soon,
    );
  }
  inspector.close();
});

/** What a debugger does: it knows a script by its URL, and the sources of its map by theirs. */
class Bundle {
  constructor(
    readonly url: string,
    private readonly code: readonly string[],
    private readonly map: SourceMap,
  ) {}

  static async read(url: string, mapUrl: string): Promise<Bundle> {
    const code = await readFile(fileURLToPath(url), 'utf8');
    const json = await readFile(fileURLToPath(new URL(mapUrl, url)), 'utf8');
    return new Bundle(url, code.split('\n'), new SourceMap(JSON.parse(json) as SourceMapPayload));
  }

  /** The place of a line of the handler; both count from 0. */
  generated(line: number) {
    for (const [lineNumber, text] of this.code.entries()) {
      const columnNumber = text.search(/\S/);
      const { url, line: found } = this.original({ lineNumber, columnNumber }) ?? {};
      if (url === pathToFileURL(HANDLER).href && found === line) return { lineNumber, columnNumber };
    }
    throw new Error(`the map has no line ${line} of the handler`);
  }

  original(place: { lineNumber: number; columnNumber: number } | undefined) {
    const entry = place && this.map.findEntry(place.lineNumber, place.columnNumber);
    if (!entry || !('originalSource' in entry) || !entry.originalSource) return undefined;
    return { url: new URL(entry.originalSource, this.url).href, line: entry.originalLine };
  }
}

type Answer = Record<string, unknown>;

/** A debugger that speaks the inspector's protocol. */
class Inspector {
  private next = 1;
  private readonly answers = new Map<number, (message: { result?: Answer; error?: unknown }) => void>();
  private readonly scripts: Answer[] = [];
  private readonly waiting = new Map<string, (params: Answer) => void>();

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data) => {
      const message = JSON.parse(String(data));
      if (message.id !== undefined) return this.answers.get(message.id)?.(message);
      if (message.method === 'Debugger.scriptParsed') this.scripts.push(message.params);
      this.waiting.get(message.method)?.(message.params);
    });
  }

  static async attach(port: number | undefined): Promise<Inspector> {
    // Its process may be about to start.
    const [target] = await vi.waitFor(async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
      return (await answer.json()) as { webSocketDebuggerUrl: string }[];
    }, soon);
    const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
    await once(socket, 'open');
    const inspector = new Inspector(socket);
    await inspector.send('Runtime.enable');
    await inspector.send('Debugger.enable');
    return inspector;
  }

  send(method: string, params: Answer = {}): Promise<Answer> {
    const id = this.next++;
    this.socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => {
      this.answers.set(id, ({ result, error }) =>
        error ? reject(new Error(`${method}: ${JSON.stringify(error)}`)) : resolve(result ?? {}),
      );
    });
  }

  event(method: string): Promise<Answer> {
    return new Promise((resolve) => this.waiting.set(method, resolve));
  }

  /** The only script with a map: the sandbox's own code has none. */
  async bundle(): Promise<Bundle> {
    const { url, sourceMapURL } = await vi.waitFor(() => {
      const mapped = this.scripts.filter(({ sourceMapURL }) => sourceMapURL);
      expect(mapped).toHaveLength(1);
      return mapped[0] as Answer;
    }, soon);
    return Bundle.read(String(url), String(sourceMapURL));
  }

  close(): void {
    this.socket.close();
  }
}
