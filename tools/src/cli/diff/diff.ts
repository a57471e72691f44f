import { ConfigurationError } from 'dynamo-backlog';
import { EXIT, type ExitCode, type Output, printable } from '../output.js';
import type { Change } from './change.js';
import { compare, type PhysicalTables } from './compare.js';
import { compareResources, tablesOf } from './compare-resources.js';
import { withCounts } from './count-waiting.js';
import { readDeployed } from './deployed-stack.js';
import type { DescribedTemplate } from './read-metadata.js';
import { changesSummary, changesText } from './report.js';
import { CDK_OUT, templateAt } from './templates.js';

export interface DiffFlags {
  readonly from?: string | undefined;
  readonly to: string;
  readonly stack?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly table?: string | undefined;
  readonly controlTable?: string | undefined;
  readonly count: boolean;
  readonly json?: boolean | undefined;
}

export const DEFAULT_TO = CDK_OUT;

/** `backlog diff`: what a change of the template means for records that wait. */
export async function diff(flags: DiffFlags, output: Output): Promise<ExitCode> {
  const { from, tables } = await deployedOf(flags);
  const to = await templateAt(flags.to, '--to', flags.stack);
  const notes = notesOn(from, to);
  const compared =
    notes.length > 0 ? compareResources(from.template, to.template) : compare(from, to, tables);
  const { endpoint } = flags;
  const changes = flags.count ? await withCounts(compared, from, { tables, endpoint }, output) : compared;
  const several = [from, to].some(({ backlogs }) => backlogs.size > 1);
  if (flags.json) {
    output.data(JSON.stringify({ from: from.where, to: to.where, notes, changes }));
  } else {
    if (changes.length > 0) output.data(changesText(changes, several, process.stdout.columns));
    for (const note of notes) output.message(note);
    output.message(`${printable(from.where)} -> ${printable(to.where)}: ${changesSummary(changes)}`);
  }
  return changes.every(isSafe) && notes.length === 0 ? EXIT.ok : EXIT.problems;
}

function isSafe({ severity }: Change): boolean {
  return severity === 'safe';
}

async function deployedOf(flags: DiffFlags): Promise<{ from: DescribedTemplate; tables: PhysicalTables }> {
  if (flags.from === undefined) {
    if (flags.stack === undefined) {
      throw new ConfigurationError('say what is deployed: --stack NAME, or a template with --from FILE');
    }
    const { deployed, tables } = await readDeployed(flags.stack, flags.endpoint);
    return { from: deployed, tables: withFlags(tables, deployed, flags) };
  }
  const from = await templateAt(flags.from, '--from', flags.stack);
  return { from, tables: withFlags(new Map(), from, flags) };
}

/** Tables that the flags name are those of the one Backlog. */
function withFlags(
  tables: PhysicalTables,
  { backlogs }: DescribedTemplate,
  flags: DiffFlags,
): PhysicalTables {
  const { table, controlTable } = flags;
  if (table === undefined && controlTable === undefined) return tables;
  const [only, ...others] = backlogs.keys();
  if (others.length > 0) {
    throw new ConfigurationError(
      '--table: expected one Backlog in the deployed template, which has several: use --stack',
    );
  }
  if (only === undefined) return tables;
  const known = tables.get(only);
  return new Map([[only, { records: table ?? known?.records, control: controlTable ?? known?.control }]]);
}

/** Notes on templates that cannot be compared: one that an older version of this package made describes no queues. */
function notesOn(from: DescribedTemplate, to: DescribedTemplate): string[] {
  const older =
    'was made by a version of dynamo-backlog that does not describe the queues: only tables are compared';
  if (tablesOf(from.template).length === 0 && from.backlogs.size === 0 && to.backlogs.size === 0) {
    throw new ConfigurationError(`there is no Backlog in ${from.where}, nor in ${to.where}`);
  }
  const hasTables = ({ template }: DescribedTemplate) => tablesOf(template).length > 0;
  return [from, to]
    .filter((one) => one.backlogs.size === 0 && hasTables(one))
    .map((one) => `${printable(one.where)} ${older}`);
}
