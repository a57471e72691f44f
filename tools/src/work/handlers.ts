import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigurationError } from 'dynamo-backlog';
import type { QueueWeights } from 'dynamo-backlog/engine';
import { handlersMadeBy, type LambdaFunction, SERVES, type SeamedHandler } from '../../../functions/seams.js';

/** A handler that the user's module exports. */
export interface FoundHandler {
  /** Its name among the exports. */
  readonly name: string;
  /** One that `backlogHandler` has made, or what wraps it. */
  readonly handler: LambdaFunction;
  /** The queues that its own code names, with their weights. Undefined: it serves any. */
  readonly serves: QueueWeights | undefined;
}

/**
 * Loads the module of `--handler`, the same that a function deploys, and finds what `backlogHandler` has made, also where it
 * is wrapped, as by `middy(backlogHandler({ ... }))`.
 *
 * @param given the file, relative to the current folder; `file.js#name` takes one of several exports
 * @throws ConfigurationError that names the flag, the file, and what is wrong
 */
export async function loadHandlers(given: string): Promise<{ path: string; handlers: FoundHandler[] }> {
  const [file = '', wanted] = given.split('#');
  const path = resolve(file);
  if (!existsSync(path)) throw new ConfigurationError(`--handler: there is no file ${file}`);
  const { result: module, made } = await handlersMadeBy(() => load(file, path));
  const exported = exportsOf(module);
  const values = new Set(exported.values());
  const hidden = made.filter((handler) => !values.has(handler));
  const all = [...exported].flatMap((entry) => foundIn(entry, hidden) ?? []);
  const handlers =
    wanted === undefined ? withoutRepeats(all.filter(isLikely)) : all.filter(({ name }) => name === wanted);
  if (handlers.length > 0) return { path, handlers };
  const what = wanted === undefined ? 'a handler' : `"${wanted}", a handler`;
  throw new ConfigurationError(
    `--handler: expected ${file} to export ${what} that backlogHandler of dynamo-backlog/lambda has made, or that ` +
      `wraps one; its exports are: ${[...exported.keys()].join(', ') || 'none'}`,
  );
}

/** The exports of a module, with those of a CommonJS module, which are properties of its default. */
function exportsOf(module: Record<string, unknown>): Map<string, unknown> {
  const { default: whole } = module;
  const inner = typeof whole === 'object' && whole !== null ? Object.entries(whole) : [];
  return new Map([...inner, ...Object.entries(module)]);
}

function isSeamed(value: object): value is SeamedHandler {
  return SERVES in value;
}

/**
 * The handler that an export may be: itself, or, where the module has made one that it does not export, a function
 * around it.
 */
function foundIn(
  [name, value]: [string, unknown],
  hidden: readonly SeamedHandler[],
): FoundHandler | undefined {
  if (typeof value !== 'function') return undefined;
  if (isSeamed(value)) return { name, handler: value, serves: value[SERVES] };
  const [only, ...others] = hidden;
  if (!only) return undefined;
  // If there are several, the first run shows which one it wraps: it refuses the queues of the others.
  return { name, handler: value as LambdaFunction, serves: others.length > 0 ? undefined : only[SERVES] };
}

/** Tells whether it is a handler, what middy makes, or has the name that a function is deployed by. */
function isLikely({ name, handler }: FoundHandler): boolean {
  return isSeamed(handler) || name === 'handler' || ('use' in handler && 'onError' in handler);
}

/** Each handler once. One that has several names is found by the last one. */
function withoutRepeats(found: readonly FoundHandler[]): FoundHandler[] {
  return [...new Map(found.map((one) => [one.handler, one])).values()];
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
