import { type Command, Option } from 'commander';
import { examples } from '../command-parts.js';
import { flags } from '../flags.js';
import { endsWith } from '../operate/end.js';
import { target } from '../operate/target.js';
import type { ExitCode, Output } from '../output.js';
import { type MetricsFlags, metrics } from './metrics.js';

/** Adds `backlog metrics` to the command line. */
export function addMetrics(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  const command = target(program.command('metrics'))
    .description('Gauges of the queues for Prometheus, printed once, or a Grafana dashboard that shows them.')
    .addOption(new Option('--prometheus', 'the gauges in the text format of Prometheus').conflicts('grafana'))
    .option('--grafana', 'the dashboard as JSON, to import; no table is read')
    .option('--queues <names>', 'of these, such as orders,bulk (default: all that are known)', flags.queues)
    .addHelpText(
      'after',
      examples(
        ['backlog metrics --prometheus --stack Orders > /var/lib/node_exporter/backlog.prom', ''],
        ['backlog metrics --grafana > backlog.json', 'import it in Grafana'],
      ),
    );
  command.action((given: MetricsFlags) => endsWith(onExit)(command, () => metrics(given, output)));
}
