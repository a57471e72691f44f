import * as z from 'zod/mini';

/** The context of the widget and its viewer, from CloudWatch; the name of the viewer is not in it. */
export interface WidgetContext {
  /** The theme of CloudWatch's console. Default: light. */
  readonly theme: 'light' | 'dark';
  /** The width of the widget in pixels. */
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

/**
 * Tells whether CloudWatch's console asks for the function's documentation, as it does before it puts the widget on a
 * dashboard.
 */
export function isDescribe(event: unknown): boolean {
  return describeSchema.safeParse(event).success;
}

/** The widget's context; undefined: the event is not of a dashboard. */
export function widgetContextOf(event: unknown): WidgetContext | undefined {
  const { data } = eventSchema.safeParse(event);
  return contextSchema.safeParse(data?.widgetContext).data;
}
