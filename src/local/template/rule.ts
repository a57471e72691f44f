import { ConfigurationError } from '../../errors.js';
import { parseSchedule } from '../schedule/expression.js';
import type { TemplateResource } from './assembly.js';
import { resolveText } from './intrinsics.js';
import type { LocalRule, StackContext } from './local-app.js';

interface Target {
  readonly Arn?: unknown;
  readonly Id?: unknown;
  readonly Input?: unknown;
  readonly InputPath?: unknown;
  readonly InputTransformer?: unknown;
}

/**
 * The scheduled invocations of a rule: one per target that is a function. A rule that waits for events has none, and
 * targets that are no functions are left out.
 *
 * @throws ConfigurationError if the schedule or the input cannot be read
 */
export function readRule(
  logicalId: string,
  { Properties = {} }: TemplateResource,
  context: StackContext,
): (LocalRule & { readonly functionId: string })[] {
  if (Properties.ScheduleExpression === undefined) return [];
  const expression = resolveText(Properties.ScheduleExpression, context.references, logicalId);
  checked(logicalId, () => parseSchedule(expression));
  const targets = Array.isArray(Properties.Targets) ? (Properties.Targets as Target[]) : [];
  return targets.flatMap((target, i) => {
    const functionId = functionOf(target.Arn, context);
    if (functionId === undefined) return [];
    const event = readInput(logicalId, target, context);
    return {
      id: targets.length > 1 ? `${context.nameOf(logicalId)}/${i}` : context.nameOf(logicalId),
      label: labelOf(event, expression) ?? context.nameOf(logicalId),
      expression,
      enabled: Properties.State === undefined || Properties.State === 'ENABLED',
      functionName: context.nameOf(functionId),
      event,
      functionId,
    };
  });
}

/** The logical id behind a target's ARN, through aliases and versions. */
function functionOf(arn: unknown, context: StackContext): string | undefined {
  const id = referredId(arn);
  const resource = id === undefined ? undefined : context.resource(id);
  switch (resource?.Type) {
    case 'AWS::Lambda::Function':
      return id;
    case 'AWS::Lambda::Alias':
    case 'AWS::Lambda::Version':
      return functionOf(resource.Properties?.FunctionName, context);
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

function readInput(logicalId: string, target: Target, context: StackContext): unknown {
  if (target.InputPath !== undefined || target.InputTransformer !== undefined) {
    throw new ConfigurationError(
      `${logicalId}: the local runtime gives targets a constant input, not InputPath or InputTransformer`,
    );
  }
  if (target.Input === undefined) {
    return { source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} };
  }
  const text = resolveText(target.Input, context.references, `${logicalId}.Targets.Input`);
  return checked(logicalId, () => JSON.parse(text) as unknown);
}

function checked<Result>(logicalId: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new ConfigurationError(`${logicalId}: ${(error as Error).message}`, { cause: error });
  }
}

/** `orders`, or `bulk tier 2`: what a run will do says more than the rule's name. */
function labelOf(event: unknown, expression: string): string | undefined {
  if (typeof event !== 'object' || event === null || !('queue' in event)) return undefined;
  const tier = 'tier' in event ? (event.tier as { number?: unknown } | undefined)?.number : undefined;
  const every = expression.replace(/^rate\((.*)\)$/, '$1').replace(/^1 /, '');
  return `${event.queue}${tier === undefined ? '' : ` tier ${tier}`}, every ${every}`;
}
