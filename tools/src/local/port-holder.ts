import type { IncomingMessage } from 'node:http';
import { get } from 'node:http';
import { runningRuntimes } from './discovery.js';

/** The servers of a runtime say by it which process of which folder they belong to. */
export const RUNTIME_HEADER = 'x-dynamo-backlog';
const ASK_MS = 500;

/** `123 /path/of/the/app`, as a header can have it. */
export function runtimeHeader(pid = process.pid, cwd = process.cwd()): string {
  return `${pid} ${encodeURIComponent(cwd)}`;
}

/**
 * Names the holder of a port of this machine: `another dynamo-backlog (process 123, /path/of/the/app)`, or `another
 * program`. A runtime that starts is not registered yet, and one that is suspended does not answer: so both are asked.
 */
export async function portHolder(port: number): Promise<string> {
  const found = (await registered(port)) ?? (await answering(port));
  return found ? `another dynamo-backlog (process ${found.pid}, ${found.cwd})` : 'another program';
}

interface Holder {
  readonly pid: number;
  readonly cwd: string;
}

async function registered(port: number): Promise<Holder | undefined> {
  const runtimes = await runningRuntimes().catch(() => []);
  const isThere = (url: string) => {
    const { hostname, port: own } = new URL(url);
    return Number(own) === port && hostname === '127.0.0.1';
  };
  return runtimes.find(({ endpoint, statusPage }) => isThere(endpoint) || isThere(statusPage));
}

function answering(port: number): Promise<Holder | undefined> {
  return new Promise((resolve) => {
    const onAnswer = (response: IncomingMessage) => {
      response.destroy();
      resolve(holderOf(response.headers[RUNTIME_HEADER]));
    };
    const request = get({ host: '127.0.0.1', port, path: '/', timeout: ASK_MS }, onAnswer);
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
    request.on('close', () => resolve(undefined));
  });
}

/** Parses a runtime's header. Any program can answer anything. */
function holderOf(header: unknown): Holder | undefined {
  const [, pid, folder = ''] = (typeof header === 'string' && /^(\d{1,10}) (\S{1,4000})$/.exec(header)) || [];
  if (pid === undefined) return undefined;
  try {
    return { pid: Number(pid), cwd: decodeURIComponent(folder) };
  } catch {
    return undefined;
  }
}
