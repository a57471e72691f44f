import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const MAIN = fileURLToPath(new URL('../../tools/bin/backlog.js', import.meta.url));

/** The built command line in processes of its own, in a world of its own: other runtimes are not found. */
export class CommandLine {
  readonly #processes = new Set<ChildProcess>();
  #env: NodeJS.ProcessEnv = {};
  #ownSession = false;
  #cwd: string | undefined;

  /**
   * @param ownSession as from a terminal of its own: Linux shares a machine out between those
   * @param cwd where the commands run. Default: the process's
   * @param env more variables
   */
  static async create({
    ownSession = false,
    cwd,
    env = {},
  }: {
    ownSession?: boolean;
    cwd?: string;
    env?: NodeJS.ProcessEnv;
  } = {}): Promise<CommandLine> {
    if (!existsSync(MAIN)) throw new Error('these tests run the built package: npm run build');
    const cli = new CommandLine();
    cli.#ownSession = ownSession;
    cli.#cwd = cwd;
    cli.#env = { ...process.env, ...env, BACKLOG_RUNTIME_DIR: await mkdtemp(join(tmpdir(), 'backlog-cli-')) };
    return cli;
  }

  /** The folder in which its runtimes say that they run. */
  get runtimeFolder(): string {
    return this.#env.BACKLOG_RUNTIME_DIR ?? '';
  }

  async run(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
    const running = this.start(...args);
    const code = await running.ended;
    return { code, out: running.out(), err: running.err() };
  }

  start(...args: string[]) {
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: this.#env,
      cwd: this.#cwd,
      detached: this.#ownSession,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#processes.add(child);
    const texts = { out: '', err: '' };
    child.stdout.on('data', (data: Buffer) => {
      texts.out += data;
    });
    child.stderr.on('data', (data: Buffer) => {
      texts.err += data;
    });
    const ended = once(child, 'close').then(([code]) => {
      this.#processes.delete(child);
      return code as number | null;
    });
    return {
      pid: child.pid,
      out: () => texts.out,
      err: () => texts.err,
      ended,
      kill: (signal: NodeJS.Signals) => child.kill(signal),
    };
  }

  /** A runtime, once it takes records. */
  async startRuntime(...args: string[]) {
    const runtime = this.start('start', '--port', '0', '--dynamodb-port', '0', ...args);
    const ready = until(() => runtime.out().includes('Console'), 60_000);
    const early = runtime.ended.then((code) => {
      throw new Error(`the runtime ended with ${code}: ${runtime.out()}${runtime.err()}`);
    });
    await Promise.race([ready, early]);
    early.catch(() => {});
    return runtime;
  }

  async records(): Promise<{ id: string; status: string; attempts: number }[]> {
    return JSON.parse((await this.run('list', '--json')).out);
  }

  close(): void {
    for (const child of this.#processes) child.kill('SIGKILL');
  }
}

export interface Delivery {
  readonly id: string;
  readonly body: string;
  readonly status: number;
}

/** A server that keeps what was delivered; `answer` gets the id and which delivery of it this is, from 1. */
export async function startReceiver(answer: (id: string, delivery: number) => number) {
  const deliveries: Delivery[] = [];
  const counts = new Map<string, number>();
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const id = String(request.headers['idempotency-key']).replace(/^"|"$/g, '');
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    const status = answer(id, count);
    deliveries.push({ id, body: Buffer.concat(chunks).toString('utf8'), status });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    deliveries,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Looks again after `everyMs`: what starts a process for each look takes seconds in between. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
  everyMs = 50,
): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not within ${timeoutMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
