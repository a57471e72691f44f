import type { Alarm, CompositeAlarm, Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { addWidget, type Widget, type WidgetSettings } from '../functions/widget.js';
import type { QueueFunction } from '../functions/workers.js';
import type { ReadProps } from '../props/backlog-shape.js';
import type { Tick } from '../triggers/tick.js';
import { addAlarms } from './alarms.js';
import { addDashboard } from './dashboard.js';
import { addLogQueries } from './log-queries.js';
import { writeTableMetrics } from './table-alarms.js';
import { type Made, watchedIn } from './watched.js';

/** Monitor function, alarms and dashboard of a Backlog. */
export interface Monitoring {
  readonly alarms: readonly Alarm[];
  /** The alarms of the severity `page`. */
  readonly pages: readonly Alarm[];
  /** The alarm that is on while any of the alarms is. */
  readonly compositeAlarm: CompositeAlarm | undefined;
  /** The composite alarm, and those that it is made of where there are many alarms. */
  readonly composites: readonly CompositeAlarm[];
  /** The functions of the overview on the dashboard. */
  readonly widget: Widget | undefined;
  readonly dashboard: Dashboard | undefined;
}

/** Adds saved queries, alarms and a dashboard, as the props of the Backlog say. */
export function addMonitoring(
  backlog: Construct & Made & { readonly functions: Readonly<Record<string, IFunction>> },
  options: ReadProps,
  {
    assigned,
    ticks,
    ...settings
  }: Omit<WidgetSettings, 'canAct'> & {
    readonly assigned: readonly QueueFunction[];
    /** All ticks of the Backlog. */
    readonly ticks: readonly Tick[];
  },
): Monitoring {
  const { metrics, queues } = settings;
  const parts = { sendsEvents: options.recordEvents !== undefined, countsGroups: options.groups };
  const watched = watchedIn(backlog, { queues, metrics, assigned, ticks, ...parts });
  addLogQueries(backlog, watched.logGroups);
  if (options.alarms === 'essential')
    writeTableMetrics([...Object.values(backlog.functions), backlog.monitor]);
  const added = addAlarms(backlog, watched, options);
  const { all: alarms, pages, composite: compositeAlarm, composites } = added;
  const canAct = options.widget === true;
  const widget = options.widget ? addWidget(backlog, 'Widget', { ...settings, canAct }) : undefined;
  const dashboard = options.dashboard
    ? addDashboard(backlog, 'Dashboard', watched, alarms, widget?.overview)
    : undefined;
  return { alarms, pages, compositeAlarm, composites, widget, dashboard };
}
