import { grafanaDashboard } from '../../metrics/grafana.js';
import { gaugesOfOverview } from '../../metrics/of-overview.js';
import { prometheusText } from '../../metrics/prometheus.js';
import type { OperateTargetFlags } from '../operate/target.js';
import { UsageError } from '../operate/usage.js';
import { counted, EXIT, type ExitCode, type Output } from '../output.js';
import { overviewOfTables } from '../top/source.js';

/** Flags of `backlog metrics`. */
export interface MetricsFlags extends OperateTargetFlags {
  readonly prometheus?: true | undefined;
  readonly grafana?: true | undefined;
  readonly queues?: readonly string[] | undefined;
}

/** `backlog metrics`: the gauges of the queues, or the dashboard that shows them. */
export async function metrics(given: MetricsFlags, output: Output): Promise<ExitCode> {
  if (given.grafana) {
    output.data(JSON.stringify(grafanaDashboard(), null, 2));
    return EXIT.ok;
  }
  if (!given.prometheus) throw new UsageError('expected --prometheus or --grafana');
  const { queues } = given;
  const overview = await overviewOfTables(given, queues);
  const gauges = gaugesOfOverview(overview, queues);
  output.data(prometheusText(gauges).trimEnd());
  const { where, readUnits } = overview;
  output.message(`${where}; ${counted(gauges.length, 'queue')}, ${counted(readUnits, 'read unit')}`);
  return EXIT.ok;
}
