import { ConfigurationError } from '../../errors.js';
import { resolveText } from './intrinsics.js';
import type { StackContext } from './local-app.js';

/** The logical id of the function behind a target's ARN, through aliases and versions; `undefined` for another target. */
export function functionBehind(arn: unknown, context: StackContext): string | undefined {
  const id = referredId(arn);
  const resource = id === undefined ? undefined : context.resource(id);
  switch (resource?.Type) {
    case 'AWS::Lambda::Function':
      return id;
    case 'AWS::Lambda::Alias':
    case 'AWS::Lambda::Version':
      return functionBehind(resource.Properties?.FunctionName, context);
    default:
      return undefined;
  }
}

function referredId(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if ('Ref' in value) return String(value.Ref);
  if (!('Fn::GetAtt' in value)) return undefined;
  const argument = value['Fn::GetAtt'];
  return Array.isArray(argument) ? String(argument[0]) : String(argument).split('.')[0];
}

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

/** Whatever goes wrong names the resource. */
export function namingResource<Result>(logicalId: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new ConfigurationError(`${logicalId}: ${(error as Error).message}`, { cause: error });
  }
}

/** `orders, every 5 minutes`, or `bulk tier 4, cron(0 0 * * ? *) Europe/Berlin`: what a run will do says more than a name. */
export function labelOf(event: unknown, expression: string, timeZone?: string): string | undefined {
  const what = workOf(event);
  if (what === undefined) return undefined;
  const [, rate] = /^rate\((?:1 )?(.*)\)$/.exec(expression) ?? [];
  const when = rate === undefined ? [expression, timeZone].filter(Boolean).join(' ') : `every ${rate}`;
  return `${what}, ${when}`;
}

function workOf(event: unknown): string | undefined {
  if (typeof event !== 'object' || event === null) return undefined;
  if ('sweep' in event) return 'sweep';
  if (!('queue' in event)) return undefined;
  const tier = 'tier' in event ? (event.tier as { number?: unknown } | undefined)?.number : undefined;
  return `${event.queue}${tier === undefined ? '' : ` tier ${tier}`}`;
}
