import * as z from 'zod/mini';
import { DEFAULT_TIERS, resolvePolicy } from '../../src/policies/index.js';
import { lanesOf, type RetryMode } from '../../src/record/index.js';
import { parseOptions } from '../../src/support/validation.js';
import { type QueueSettings, readSettings, type Settings } from '../settings.js';

/** Settings of the function that draws the overview, from its environment. */
export interface WidgetSettings extends Settings {
  /** The ARN of the function that acts. Undefined: the overview is read-only. */
  readonly actions: string | undefined;
}

/** A function's ARN, with a version or an alias or without. */
export const FUNCTION_ARN =
  /^arn:aws[a-z-]*:lambda:[a-z0-9-]{1,30}:\d{12}:function:[A-Za-z0-9_-]{1,140}(:[A-Za-z0-9$_-]{1,128})?$/;

const variables = z.object({
  BACKLOG_WIDGET_ACTIONS: z.optional(
    z.string().check(z.regex(FUNCTION_ARN, 'expected the ARN of a function')),
  ),
});

/** @throws ConfigurationError naming the variable */
export function readWidgetSettings(env: Readonly<Record<string, string | undefined>>): WidgetSettings {
  const { BACKLOG_WIDGET_ACTIONS: actions } = parseOptions(variables, env, '');
  return { ...readSettings(env), actions };
}

/** A queue, with what its records and its leases are found by. */
export interface WidgetQueue {
  readonly name: string;
  readonly retryMode: RetryMode;
  readonly shards: number;
  /** The keys of the leases that its runs hold while they work: one per lane, or per lane and tier. */
  readonly leases: readonly string[];
}

export function widgetQueues({ queues }: Pick<Settings, 'queues'>): WidgetQueue[] {
  return Object.entries(queues).map(([name, { retryMode, retry, shards = 1 }]: [string, QueueSettings]) => {
    const lanes = lanesOf(name, 0, shards);
    const { tiers = DEFAULT_TIERS } = retry ? resolvePolicy(retry) : {};
    const leases =
      retryMode === 'progressive' ? lanes.flatMap((lane) => tiers.map((_, i) => `${lane}#${i + 1}`)) : lanes;
    return { name, retryMode, shards, leases };
  });
}
