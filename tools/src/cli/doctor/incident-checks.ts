import { explainRead, goesOn, incidentName, incidentsOf, incidentText } from 'dynamo-backlog/overview';
import type { Target } from '../connect.js';
import { printable } from '../output.js';
import { sourceAt } from '../top/source.js';
import type { Finding } from './findings.js';

const UNKNOWN = 'whether attempts succeed is not known';

/** The incidents of the overview, as `stats` and `top` have them, of each backlog that works on the table. */
export async function checkIncidents(target: Target, controlTables: readonly string[]): Promise<Finding[]> {
  const all: Finding[] = [];
  for (const controlTable of controlTables) all.push(...(await incidentsAt(target, controlTable)));
  return all;
}

async function incidentsAt(target: Target, controlTable: string): Promise<Finding[]> {
  const { snapshot, error } = await sourceAt({ target, controlTable }, { patient: true }).read();
  if (error !== undefined) {
    const what = `${UNKNOWN}: ${printable(explainRead(error))}`;
    return [{ kind: 'incidents.unknown', severity: 'warning', what, todo: 'mend that, and look again' }];
  }
  const ongoing = incidentsOf(snapshot.queues ?? []).filter(goesOn);
  return ongoing.map((incident): Finding => {
    const queues = incident.queues.map(({ stats }) => printable(stats.queue));
    return {
      kind: `incident.${incident.id}`,
      severity: 'error',
      what: incidentText(incident, snapshot.now).replace(/\.$/, ''),
      todo: `look why, and whether ${printable(incidentName({ ...incident, cause: undefined }))} is up: npx backlog failures --queue ${queues.join(',')}`,
    };
  });
}

/** No control table is known, and none was asked for. */
export const NO_CONTROL_TABLE: Finding = {
  kind: 'incidents.unknown',
  severity: 'warning',
  what: `${UNKNOWN}: without the control table nothing says so`,
  todo: 'name the control table of each Backlog that works on the table: --control-table, or --stack',
};
