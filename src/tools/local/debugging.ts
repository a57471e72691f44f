import { once } from 'node:events';
import { closeSync, openSync, readSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ConfigurationError } from '../../errors.js';
import type { LocalFunction } from './template/local-app.js';

/** Where a debugger can be attached to a function. */
export interface DebuggerAddress {
  readonly functionName: string;
  /** On 127.0.0.1. */
  readonly port: number;
}

/** How the app's own functions are debugged. Those that this package brings run as ever. */
export interface Debugging {
  /** Empty: VS Code attaches itself. */
  readonly addresses: readonly DebuggerAddress[];
  /** Variables by which VS Code attaches itself. */
  readonly environment: Readonly<Record<string, string>>;
  isDebugged(lambda: LocalFunction): boolean;
}

/** Where Node.js listens if no port is given. */
export const DEBUGGER_PORT = 9229;
/** A developer may think for longer than any function may take. As much as a timer of Node.js takes. */
export const DEBUGGED_TIMEOUT_SECONDS = 2 * 86_400;
/** As scripts/handlers.mjs writes it. */
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
  const own = functions.filter((lambda) => !isBuiltIn(lambda));
  const addresses: DebuggerAddress[] = [];
  for (const { name } of inspect === undefined ? [] : own) {
    addresses.push({ functionName: name, port: await freePort(nextPort(inspect ?? 0, addresses)) });
  }
  const names = new Set(own.map(({ name }) => name));
  return {
    addresses,
    // Its other terminals attach to processes that were started with --inspect.
    environment: variables.VSCODE_INSPECTOR_OPTIONS === undefined ? {} : definedOf(variables, FOR_VS_CODE),
    isDebugged: ({ name }) => names.has(name),
  };
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

/** Bundled by this package, minified and without a map. */
function isBuiltIn({ folder }: LocalFunction): boolean {
  const start = Buffer.alloc(BUILT_IN.length);
  try {
    const file = openSync(join(folder, 'index.mjs'), 'r');
    readSync(file, start);
    closeSync(file);
  } catch {
    return false;
  }
  return start.toString() === BUILT_IN;
}

function nextPort(first: number, taken: readonly DebuggerAddress[]): number {
  const last = taken.at(-1)?.port;
  return first === 0 || last === undefined ? first : last + 1;
}

async function freePort(first: number): Promise<number> {
  for (let port = first; port <= 65_535; port++) {
    const server = createServer();
    server.listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    const { port: found } = server.address() as { port: number };
    server.close();
    await once(server, 'close');
    return found;
  }
  throw new ConfigurationError(`--inspect: expected a port from which on some are free, got ${first}`);
}

function definedOf(variables: Variables, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = variables[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
