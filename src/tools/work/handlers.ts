import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SERVES, type SeamedHandler, WITH_SEAMS } from '../../../functions/seams.js';
import { ConfigurationError } from '../../errors.js';
import type { QueueWeights } from '../../worker/index.js';

/** A handler that the user's module exports. */
export interface FoundHandler {
  /** Its name among the exports. */
  readonly name: string;
  readonly handler: SeamedHandler;
  /** The queues that its own code names, with their weights. Undefined: it serves any. */
  readonly serves: QueueWeights | undefined;
}

/**
 * Loads the module of `--handler`, the same that a function deploys, and finds what `backlogHandler` has made.
 *
 * @param given the file, relative to the current folder; `file.js#name` takes one of several exports
 * @throws ConfigurationError that names the flag, the file, and what is wrong
 */
export async function loadHandlers(given: string): Promise<{ path: string; handlers: FoundHandler[] }> {
  const [file = '', wanted] = given.split('#');
  const path = resolve(file);
  if (!existsSync(path)) throw new ConfigurationError(`--handler: there is no file ${file}`);
  const module = await load(file, path);
  const exported = exportsOf(module);
  const found = [...exported].filter(([, value]) => isSeamed(value)) as [string, SeamedHandler][];
  const byHandler = new Map(found.map(([name, handler]) => [handler, name]));
  const handlers = [...byHandler].map(([handler, name]) => ({ name, handler, serves: handler[SERVES] }));
  if (wanted !== undefined) {
    const chosen = found.find(([name]) => name === wanted)?.[1];
    if (chosen) return { path, handlers: [{ name: wanted, handler: chosen, serves: chosen[SERVES] }] };
  }
  if (wanted === undefined && handlers.length > 0) return { path, handlers };
  const what = wanted === undefined ? 'a handler' : `"${wanted}", a handler`;
  throw new ConfigurationError(
    `--handler: expected ${file} to export ${what} that backlogHandler of dynamo-backlog/lambda has made (as it is, ` +
      `without a wrapper); its exports are: ${[...exported.keys()].join(', ') || 'none'}`,
  );
}

/** With those of a CommonJS module, whose own are properties of its default. */
function exportsOf(module: Record<string, unknown>): Map<string, unknown> {
  const { default: whole } = module;
  const inner = typeof whole === 'object' && whole !== null ? Object.entries(whole) : [];
  return new Map([...inner, ...Object.entries(module)]);
}

function isSeamed(value: unknown): value is SeamedHandler {
  return typeof value === 'function' && WITH_SEAMS in value;
}

async function load(file: string, path: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    const isUnread = (error as { code?: string }).code === 'ERR_UNKNOWN_FILE_EXTENSION';
    if (isUnread && /^\.[cm]?tsx?$/.test(extname(path))) {
      throw new ConfigurationError(
        `--handler: Node.js ${process.versions.node} does not read TypeScript (${file}): use Node.js 24, or install tsx and ` +
          `set NODE_OPTIONS="--import tsx", or bundle it to JavaScript, as a deployment does`,
        { cause: error },
      );
    }
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new ConfigurationError(`--handler: ${file} cannot be loaded: ${reason}`, { cause: error });
  }
}
