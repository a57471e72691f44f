import { ConfigurationError } from 'dynamo-backlog';
import { resolveText } from './intrinsics.js';
import type { StackContext } from './local-app.js';

/** @throws ConfigurationError if the input is no JSON */
export function constantInput(
  logicalId: string,
  input: unknown,
  where: string,
  context: StackContext,
): unknown {
  const text = resolveText(input, context.references, `${logicalId}.${where}`);
  return namingResource(logicalId, () => JSON.parse(text) as unknown);
}

/** Reads a part of a resource. Each error names the resource. */
export function namingResource<Result>(logicalId: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new ConfigurationError(`${logicalId}: ${(error as Error).message}`, { cause: error });
  }
}

/** The expression of the rule of recurring records. */
const EACH_FULL_MINUTE = 'cron(* * * * ? *)';

/**
 * `orders, every 5 minutes`, or `bulk tier 4, cron(0 0 * * ? *) Europe/Berlin`: what a run will do says more than a
 * name.
 */
export function labelOf(event: unknown, expression: string, timeZone?: string): string | undefined {
  const what = workOf(event);
  if (what === undefined) return undefined;
  const [, rate] = /^rate\((?:1 )?(.*)\)$/.exec(expression) ?? [];
  const every = expression === EACH_FULL_MINUTE ? 'minute' : rate;
  const when = every === undefined ? [expression, timeZone].filter(Boolean).join(' ') : `every ${every}`;
  return `${what}, ${when}`;
}

function workOf(event: unknown): string | undefined {
  if (typeof event !== 'object' || event === null) return undefined;
  if ('sweep' in event) return 'sweep';
  if ('monitor' in event) return 'monitor';
  const queues = queuesOf(event);
  if (queues.length === 0) return undefined;
  const tier = 'tier' in event ? (event.tier as { number?: unknown } | undefined)?.number : undefined;
  return `${namesText(queues)}${tier === undefined ? '' : ` tier ${tier}`}`;
}

/** Most queues that are all named. Of more, two are named. */
const MAX_NAMED = 3;

function namesText(names: readonly string[]): string {
  if (names.length <= MAX_NAMED) return names.join(' and ');
  return `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`;
}

/** The queues whose records a run of this event attempts. */
export function queuesOf(event: unknown): string[] {
  if (typeof event !== 'object' || event === null) return [];
  if ('queues' in event) return Object.keys(event.queues ?? {});
  return 'queue' in event ? [String(event.queue)] : [];
}
