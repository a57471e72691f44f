import type { AlarmOn } from 'dynamo-backlog/overview';
import type { MetricId } from './metric-data.js';

/** The namespace of the library's metrics. */
export const NAMESPACE = 'DynamoBacklog';
/** The descriptions of the construct's alarms. An alarm of the user's own, which may scale processes, has another one. */
const DESCRIPTION = /^\[(page|ticket)\] .* Runbook: .*?(?:#([a-z]+))?$/s;

/** An alarm that the construct made. */
export interface OwnAlarm extends Pick<AlarmOn, 'level'> {
  /** The fragment of its link to the runbook: `failures`. Undefined: the link has none. */
  readonly kind: string | undefined;
}

/** The alarm by its description. Undefined: it is another's. */
export function ownAlarm(description: string | undefined): OwnAlarm | undefined {
  const [, level, kind] = DESCRIPTION.exec(description ?? '') ?? [];
  return level === undefined ? undefined : { level: level as AlarmOn['level'], kind };
}

/** The table and the queue of the first metric that is the library's. */
export function watchedBy(metrics: readonly Pick<MetricId, 'namespace' | 'dimensions'>[]) {
  const own = metrics.find(({ namespace, dimensions }) => namespace === NAMESPACE && dimensions?.Table);
  return { table: own?.dimensions?.Table, queue: own?.dimensions?.Queue };
}
