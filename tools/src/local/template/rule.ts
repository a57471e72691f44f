import { ConfigurationError } from 'dynamo-backlog';
import { parseSchedule } from 'dynamo-backlog/engine';
import type { TemplateResource } from './assembly.js';
import { resolveText } from './intrinsics.js';
import type { LocalRule, StackContext } from './local-app.js';
import { functionBehind } from './referred.js';
import { constantInput, labelOf, namingResource } from './target.js';

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
  const schedule = namingResource(logicalId, () => parseSchedule(expression));
  const targets = Array.isArray(Properties.Targets) ? (Properties.Targets as Target[]) : [];
  return targets.flatMap((target, i) => {
    const functionId = functionBehind(target.Arn, context);
    if (functionId === undefined) return [];
    const event = readInput(logicalId, target, context);
    return {
      id: targets.length > 1 ? `${context.nameOf(logicalId)}/${i}` : context.nameOf(logicalId),
      label: labelOf(event, expression) ?? context.nameOf(logicalId),
      expression,
      schedule,
      enabled: Properties.State === undefined || Properties.State === 'ENABLED',
      functionName: context.nameOf(functionId),
      event,
      functionId,
    };
  });
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
  return constantInput(logicalId, target.Input, 'Targets.Input', context);
}
