import { once } from 'node:events';
import { closeSync, openSync, readSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ConfigurationError } from 'dynamo-backlog';
import type { LocalFunction } from './template/local-app.js';

/** Address at which a debugger can be attached to a function. */
export interface DebuggerAddress {
  readonly functionName: string;
  /** Port on 127.0.0.1. */
  readonly port: number;
}

/** Debugging of the app's own functions. Those that this package brings run without a debugger. */
export interface Debugging {
  /** Empty: VS Code attaches itself. */
  readonly addresses: readonly DebuggerAddress[];
  /** Variables by which VS Code attaches itself. */
  readonly environment: Readonly<Record<string, string>>;
  isDebugged(lambda: LocalFunction): boolean;
  /**
   * Follows these functions from now on. One that was there before keeps its port.
   *
   * @throws ConfigurationError if there are not so many free ports
   */
  follow(functions: readonly LocalFunction[]): Promise<void>;
}

/** Default port for debuggers, as in Node.js. */
export const DEBUGGER_PORT = 9229;
/** Timeout of a function that is debugged, two days: a developer may think for longer than any function may take. */
export const DEBUGGED_TIMEOUT_SECONDS = 2 * 86_400;
/** First characters of a bundle of this package, as scripts/handlers.mjs writes them. */
const BUILT_IN = '/* dynamo-backlog */';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * @param inspect the first port to try, 0 for any that are free; undefined: no function is debugged, unless VS Code has
 *   started this process for that
 * @throws ConfigurationError if there are not so many free ports
 */
export async function debuggingOf(
  functions: readonly LocalFunction[],
  inspect: number | undefined,
  variables: Variables = process.env,
): Promise<Debugging | undefined> {
  const attaches = attachesItself(variables);
  if (inspect === undefined && !attaches) return undefined;
  let addresses: readonly DebuggerAddress[] = [];
  let names: ReadonlySet<string> = new Set();
  const debugging: Debugging = {
    get addresses() {
      return addresses;
    },
    // Its other terminals attach to processes that were started with --inspect.
    environment: variables.VSCODE_INSPECTOR_OPTIONS === undefined ? {} : definedOf(variables, FOR_VS_CODE),
    isDebugged: ({ name }) => names.has(name),
    async follow(present) {
      const own = present.filter((lambda) => !isBuiltIn(lambda)).map(({ name }) => name);
      if (inspect !== undefined) addresses = await addressesOf(own, inspect, addresses);
      names = new Set(own);
    },
  };
  await debugging.follow(functions);
  return debugging;
}

async function addressesOf(
  names: readonly string[],
  first: number,
  previous: readonly DebuggerAddress[],
): Promise<readonly DebuggerAddress[]> {
  const found: DebuggerAddress[] = [];
  // That of a function which is gone may be used until its last event has ended.
  const used = new Set(previous.map(({ port }) => port));
  for (const functionName of names) {
    const known = previous.find((one) => one.functionName === functionName);
    const port = known?.port ?? (await freePort(first, used));
    used.add(port);
    found.push({ functionName, port });
  }
  return found;
}

const FOR_VS_CODE = ['NODE_OPTIONS', 'VSCODE_INSPECTOR_OPTIONS'];

/** A "JavaScript Debug Terminal" and a launch configuration attach to all processes; other terminals look for a flag. */
function attachesItself({ VSCODE_INSPECTOR_OPTIONS: options = '' }: Variables): boolean {
  try {
    const newest = options.split(':::').findLast((one) => one !== '');
    const { autoAttachMode } = JSON.parse(newest ?? '{}') as { autoAttachMode?: unknown };
    return autoAttachMode === 'always';
  } catch {
    return false;
  }
}

/** Tells whether this package has bundled the function, minified and without a map. */
function isBuiltIn({ folder, handler }: LocalFunction): boolean {
  const start = Buffer.alloc(BUILT_IN.length);
  try {
    const file = openSync(join(folder, `${handler.split('.')[0]}.mjs`), 'r');
    readSync(file, start);
    closeSync(file);
  } catch {
    return false;
  }
  return start.toString() === BUILT_IN;
}

/** @param used ports whose programs may be about to start */
async function freePort(first: number, used: ReadonlySet<number>): Promise<number> {
  for (let port = first; port <= 65_535; port += first === 0 ? 0 : 1) {
    const found = used.has(port) ? undefined : await tryPort(port);
    if (found !== undefined && !used.has(found)) return found;
  }
  throw new ConfigurationError(`--inspect: expected a port from which on some are free, got ${first}`);
}

/** @returns the port, for 0 any; undefined if it is taken */
async function tryPort(port: number): Promise<number | undefined> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (!isFree) return undefined;
  const { port: found } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return found;
}

function definedOf(variables: Variables, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = variables[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
