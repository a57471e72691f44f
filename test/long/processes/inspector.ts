import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, vi } from 'vitest';
import { WebSocket } from 'ws';

const soon = { timeout: 120_000, interval: 50 };

/** A bundle as a debugger sees it: it knows a script by its URL, and the sources of its map by theirs. */
export class Bundle {
  constructor(
    readonly url: string,
    private readonly code: readonly string[],
    private readonly map: SourceMap,
    private readonly source: string,
  ) {}

  static async read(url: string, mapUrl: string, source: string): Promise<Bundle> {
    const code = await readFile(fileURLToPath(url), 'utf8');
    const json = await readFile(fileURLToPath(new URL(mapUrl, url)), 'utf8');
    return new Bundle(url, code.split('\n'), new SourceMap(JSON.parse(json) as SourceMapPayload), source);
  }

  /** The place of a line of the handler; both count from 0. */
  generated(line: number) {
    for (const [lineNumber, text] of this.code.entries()) {
      const columnNumber = text.search(/\S/);
      const { url, line: found } = this.original({ lineNumber, columnNumber }) ?? {};
      if (url === pathToFileURL(this.source).href && found === line) return { lineNumber, columnNumber };
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
export class Inspector {
  private next = 1;
  private readonly answers = new Map<number, (message: { result?: Answer; error?: unknown }) => void>();
  private readonly scripts: Answer[] = [];
  private readonly waiting = new Map<string, (params: Answer) => void>();

  private constructor(
    private readonly socket: WebSocket,
    /** Another one for each process. */
    readonly target: string,
  ) {
    socket.on('message', (data) => {
      const message = JSON.parse(String(data));
      if (message.id !== undefined) return this.answers.get(message.id)?.(message);
      if (message.method === 'Debugger.scriptParsed') this.scripts.push(message.params);
      this.waiting.get(message.method)?.(message.params);
    });
  }

  /** @param previous the target of a process that had this port before */
  static async attach(port: number | undefined, previous = ''): Promise<Inspector> {
    // Its process may be about to start.
    const target = await vi.waitFor(async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
      const [found] = (await answer.json()) as { webSocketDebuggerUrl: string }[];
      expect(found?.webSocketDebuggerUrl).not.toBe(previous);
      return found?.webSocketDebuggerUrl ?? '';
    }, soon);
    const socket = new WebSocket(target);
    await once(socket, 'open');
    const inspector = new Inspector(socket, target);
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

  /**
   * The only script with a map: the sandbox's own code has none.
   *
   * @param source the file that it was bundled from
   */
  async bundle(source: string): Promise<Bundle> {
    const { url, sourceMapURL } = await vi.waitFor(() => {
      const mapped = this.scripts.filter(({ sourceMapURL }) => sourceMapURL);
      expect(mapped).toHaveLength(1);
      return mapped[0] as Answer;
    }, soon);
    return Bundle.read(String(url), String(sourceMapURL), source);
  }

  close(): void {
    this.socket.close();
  }
}
