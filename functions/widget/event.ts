import * as z from 'zod/mini';

/** What CloudWatch says of the widget and its viewer; the name of the viewer is not in it. */
export interface WidgetContext {
  /** The console's. Default: light. */
  readonly theme: 'light' | 'dark';
  /** In pixels. */
  readonly width?: number | undefined;
  readonly accountId?: string | undefined;
  readonly dashboardName?: string | undefined;
  readonly widgetId?: string | undefined;
  /** The parameters that the dashboard gives the widget. */
  readonly params: Readonly<Record<string, unknown>>;
}

const text = z.catch(z.optional(z.string().check(z.maxLength(300))), undefined);

/** A value of another kind is as good as none: a widget must not break by what it does not need. */
const contextSchema = z.object({
  theme: z.catch(z.enum(['light', 'dark']), 'light'),
  width: z.catch(z.optional(z.number()), undefined),
  accountId: text,
  dashboardName: text,
  widgetId: text,
  params: z.catch(z.record(z.string(), z.unknown()), {}),
});

const eventSchema = z.object({ widgetContext: z.catch(z.unknown(), undefined) });
const describeSchema = z.object({ describe: z.literal(true) });

/** The console asks what a function shows, before it puts it on a dashboard. */
export function isDescribe(event: unknown): boolean {
  return describeSchema.safeParse(event).success;
}

/** Undefined: the event is not of a dashboard. */
export function widgetContextOf(event: unknown): WidgetContext | undefined {
  const { data } = eventSchema.safeParse(event);
  return contextSchema.safeParse(data?.widgetContext).data;
}
