import { isDeepStrictEqual } from 'node:util';
import { ConfigurationError } from 'dynamo-backlog';
import { type QueueWeights, type StoreTypes, show } from 'dynamo-backlog/engine';
import { parseQueues, type QueueSettings, type QueuesSettings } from '../../../functions/settings.js';
import type { FoundHandler } from './handlers.js';

/** A queue that the worker serves. */
export interface WorkedQueue {
  readonly name: string;
  readonly weight: number;
  readonly settings: QueueSettings;
  /**
   * The timeout of the functions of its rules, which the age bands of a progressive queue depend on. Undefined: not
   * registered.
   */
  readonly timeoutSeconds: number | undefined;
  readonly handler: FoundHandler;
}

export interface QueuesInput {
  /** `--queue`, with weights. Empty: not given. */
  readonly flags: QueueWeights;
  /** `BACKLOG_QUEUES`. Undefined: not set. */
  readonly queues: QueuesSettings | undefined;
  readonly handlers: readonly FoundHandler[];
  /** The registry, with what the functions of a deployment have registered. */
  readonly registry: Pick<StoreTypes.Registry, 'queues'>;
}

/**
 * The queues that a worker serves, with the handler of each and how it retries: as `BACKLOG_QUEUES` says. Without
 * it: as the functions of a deployment on the same tables have registered it, otherwise per record.
 *
 * @throws ConfigurationError for a queue that no handler serves, or several; or if there is none
 */
export function workedQueues(input: QueuesInput): WorkedQueue[] {
  const names = chosen(input);
  if (names.length === 0) {
    throw noQueues(input);
  }
  return names.map((name) => {
    const handler = handlerOf(name, input.handlers);
    const entry = ownedEntry(name, input);
    const settings = settingsOf(name, input, entry);
    return {
      name,
      weight: input.flags.get(name) ?? handler.serves?.get(name) ?? 1,
      settings,
      // The entry of a queue without a function is of the last process, maybe of an older deployment.
      timeoutSeconds: settings.external ? undefined : entry?.timeout,
      handler,
    };
  });
}

function noQueues({ queues, handlers }: QueuesInput): ConfigurationError {
  if (queues) {
    const inCode = handlers.flatMap(({ serves }) => [...(serves?.keys() ?? [])]);
    return new ConfigurationError(
      `BACKLOG_QUEUES: expected a queue that a handler of the module serves (${inCode.map(show).join(', ')}), got ` +
        Object.keys(queues).map(show).join(', '),
    );
  }
  return new ConfigurationError(
    'no queues: name them, such as --queue orders, or set BACKLOG_QUEUES as the functions have it',
  );
}

function chosen({ flags, queues, handlers, registry }: QueuesInput): string[] {
  if (flags.size > 0) return [...flags.keys()];
  const inCode = handlers.flatMap(({ serves }) => [...(serves?.keys() ?? [])]);
  const servesAny = handlers.some(({ serves }) => serves === undefined);
  if (queues) return Object.keys(queues).filter((name) => servesAny || inCode.includes(name));
  const registered = [...registry.queues].flatMap(([name, { removedAt }]) => (removedAt ? [] : [name]));
  return [...new Set([...inCode, ...(servesAny ? registered : [])])];
}

function handlerOf(name: string, handlers: readonly FoundHandler[]): FoundHandler {
  const named = handlers.filter(({ serves }) => serves?.has(name));
  const fitting = named.length > 0 ? named : handlers.filter(({ serves }) => serves === undefined);
  const [only, ...others] = fitting;
  if (only && others.length === 0) return only;
  if (only) {
    const exported = fitting.map((handler) => handler.name).join(', ');
    throw new ConfigurationError(
      `--handler: expected one handler for the queue ${show(name)}, got ${fitting.length} (${exported}): name a queue in ` +
        `the code of each, or choose one by FILE#${only.name}`,
    );
  }
  const all = handlers.map(
    (handler) => `${handler.name} serves ${[...(handler.serves?.keys() ?? [])].join(', ')}`,
  );
  throw new ConfigurationError(`--queue: no handler of the module serves ${show(name)} (${all.join('; ')})`);
}

/** The queues that are registered with other settings of how they retry, with both. A run follows the settings of its own process. */
export function registeredOtherwise(
  queues: readonly WorkedQueue[],
  registry: Pick<StoreTypes.Registry, 'queues'>,
) {
  return queues.flatMap(({ name, settings }) => {
    const entry = ownedEntry(name, { registry });
    // The entry of a queue without a function may be of a process of an older deployment.
    if (!entry || settings.external) return [];
    const [here, registered] = [settings, entry].map(
      ({ retryMode, shards = 1, fairness, order, retry = null }) => ({
        ...{ retryMode, shards, ...(fairness && { fairness }), ...(order && { order }), retry },
      }),
    );
    return isDeepStrictEqual(here, registered) ? [] : [{ queue: name, here, registered }];
  });
}

function ownedEntry(
  name: string,
  { registry }: Pick<QueuesInput, 'registry'>,
): StoreTypes.QueueOwner | undefined {
  const entry = registry.queues.get(name);
  return entry?.removedAt ? undefined : entry;
}

function settingsOf(
  name: string,
  { queues }: QueuesInput,
  entry: StoreTypes.QueueOwner | undefined,
): QueueSettings {
  if (queues) {
    const settings = Object.hasOwn(queues, name) ? queues[name] : undefined;
    if (settings) return settings;
    const known = Object.keys(queues).map(show).join(', ');
    throw new ConfigurationError(`--queue: expected a queue of BACKLOG_QUEUES (${known}), got ${show(name)}`);
  }
  const { retryMode = 'perRecord', shards, fairness, order, retry } = entry ?? {};
  const registered = {
    ...{ retryMode, ...(shards && { shards }), ...(retry && { retry }) },
    ...(fairness === true && { fairness }),
    ...(order === 'key' && { order }),
  };
  return parseQueues({ [name]: registered }, 'the registered queues')[name] as QueueSettings;
}

/**
 * The owner of the queues, as registered, for a worker whose environment names none.
 *
 * @throws ConfigurationError if they have several owners
 */
export function ownerOf(
  names: readonly string[],
  { queues }: Pick<StoreTypes.Registry, 'queues'>,
): string | undefined {
  const owners = new Map<string, string>();
  for (const name of names) {
    const entry = queues.get(name);
    if (entry && !entry.removedAt) owners.set(entry.owner, name);
  }
  if (owners.size < 2) return [...owners.keys()][0];
  const each = [...owners].map(([owner, name]) => `${name} of ${owner}`).join(', ');
  throw new ConfigurationError(
    `--queue: expected queues of one owner, got ${each}: start a worker for each owner, or set BACKLOG_OWNER`,
  );
}
