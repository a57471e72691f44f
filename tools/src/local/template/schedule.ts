import { ConfigurationError } from 'dynamo-backlog';
import { parseOptions, parseSchedulerExpression } from 'dynamo-backlog/engine';
import * as z from 'zod';
import type { TemplateResource } from './assembly.js';
import { resolve } from './intrinsics.js';
import type { LocalRule, StackContext } from './local-app.js';
import { functionBehind } from './referred.js';
import { constantInput, labelOf, namingResource } from './target.js';

const date = z
  .string()
  .transform((text) => Date.parse(/Z$|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`))
  .refine((time) => !Number.isNaN(time), 'expected a date such as 2026-11-20T09:30:00Z')
  .optional();

const scheduleSchema = z.object({
  ScheduleExpression: z.string(),
  ScheduleExpressionTimezone: z.string().optional(),
  StartDate: date,
  EndDate: date,
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
});

/** EventBridge Scheduler puts values of the invocation in place of these. */
const PLACEHOLDER = /<aws\.scheduler\.[a-z-]+>/;

/**
 * A schedule of EventBridge Scheduler whose target is a function of the stack. Others, and the universal target that
 * calls an API, are left out. There are no flexible time windows here: it fires at their beginning.
 *
 * @throws ConfigurationError if the schedule or the input cannot be read
 */
export function readSchedule(
  logicalId: string,
  { Properties = {} }: TemplateResource,
  context: StackContext,
): (LocalRule & { readonly functionId: string })[] {
  const target = (Properties.Target ?? {}) as { readonly Arn?: unknown; readonly Input?: unknown };
  const functionId = functionBehind(target.Arn, context);
  if (functionId === undefined) return [];
  const { ScheduleExpression, ScheduleExpressionTimezone, StartDate, EndDate, State } = Properties;
  const relevant = { ScheduleExpression, ScheduleExpressionTimezone, StartDate, EndDate, State };
  const found = parseOptions(scheduleSchema, resolve(relevant, context.references, logicalId), logicalId);
  const { ScheduleExpression: expression, ScheduleExpressionTimezone: timeZone } = found;
  const schedule = namingResource(logicalId, () =>
    parseSchedulerExpression({ expression, timeZone, startAt: found.StartDate, endAt: found.EndDate }),
  );
  const event = readInput(logicalId, target.Input, context);
  return [
    {
      id: context.nameOf(logicalId),
      label: labelOf(event, expression, timeZone) ?? context.nameOf(logicalId),
      expression,
      timeZone,
      schedule,
      enabled: found.State === 'ENABLED',
      functionName: context.nameOf(functionId),
      event,
      functionId,
    },
  ];
}

function readInput(logicalId: string, input: unknown, context: StackContext): unknown {
  if (input === undefined) {
    return { source: 'aws.scheduler', 'detail-type': 'Scheduled Event', detail: '{}' };
  }
  const event = constantInput(logicalId, input, 'Target.Input', context);
  const [placeholder] = PLACEHOLDER.exec(JSON.stringify(event)) ?? [];
  if (placeholder !== undefined) {
    throw new ConfigurationError(
      `${logicalId}: the local runtime gives targets a constant input, not ${placeholder}`,
    );
  }
  return event;
}
