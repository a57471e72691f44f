import type { AlarmOn } from 'dynamo-backlog/overview';
import type { AlarmSource } from '../../alarms/alarm-source.js';
import type { AlarmsStatus } from './alarm-watch.js';

/** The alarms of a local runtime as a source, for one of its tables: they are known at any time. */
export function localAlarms(status: () => AlarmsStatus | undefined, table: string): AlarmSource {
  return {
    get on() {
      return alarmsOn(status(), table);
    },
    refresh: async () => {},
    close: () => {},
  };
}

/** The alarms of a backlog that are on. Undefined: none of the app's alarms is evaluated. */
function alarmsOn(status: AlarmsStatus | undefined, table: string): AlarmOn[] | undefined {
  if (!status || status.watched === 0) return undefined;
  return status.episodes.flatMap(({ name, level, queue, table: its = table, from, until }) =>
    level === undefined || until !== undefined || its !== table
      ? []
      : [{ id: name, name, level, queue, since: Date.parse(from) }],
  );
}
