import { ConfigurationError } from 'dynamo-backlog';
import { QUEUE_PATTERN } from 'dynamo-backlog/engine';
import type { KnownQueue } from 'dynamo-backlog/overview';
import { readDeployed } from './diff/deployed-stack.js';
import { TABLE_NAME } from './flags.js';
import { printable } from './output.js';

/** The names of both tables of a Backlog. */
export interface StackTables {
  readonly table: string;
  readonly controlTable: string;
  /** An intake of the stack attempts, or indexes, what is put without `lane`. */
  readonly hasIntake: boolean;
  /** A function of the stack counts the members of groups. */
  readonly countsGroups: boolean;
  /** The queues of all its Backlogs. */
  readonly deployed: readonly KnownQueue[];
  /** The page that its alarms link to. Undefined: that of the docs. */
  readonly runbookUrl?: string | undefined;
}

const BY_NAME = 'name the tables with --table and --control-table';

/**
 * Finds the tables of a deployed stack: those of its one Backlog, or the ones that all its Backlogs share. Needs
 * `cloudformation:GetTemplate` and `cloudformation:DescribeStackResource`.
 *
 * @param endpoint of an emulator. Default: AWS
 * @throws ConfigurationError if the stack cannot be read, has no Backlog or several, or does not tell valid names
 */
export async function tablesOfStack(stack: string, endpoint: string | undefined): Promise<StackTables> {
  const { deployed, tables } = await readDeployed(stack, endpoint);
  const different = new Map(
    [...tables].map(([path, { records, control }]) => [`${records} ${control}`, { path, records, control }]),
  );
  const [found, ...others] = different.values();
  if (found === undefined) {
    throw new ConfigurationError(`--stack: the ${deployed.where} describes no Backlog: ${BY_NAME}`);
  }
  if (others.length > 0) {
    const list = [found, ...others].map(({ path, records = '?', control = '?' }) =>
      printable(`  ${path}: --table ${records} --control-table ${control}`),
    );
    throw new ConfigurationError(
      `--stack: the ${deployed.where} has several Backlogs: name the tables of one\n${list.join('\n')}`,
    );
  }
  const { path, records, control } = found;
  if (records !== undefined && control !== undefined) {
    // A template can name its tables as it likes.
    const wrong = [records, control].find((name) => !TABLE_NAME.test(name));
    const all = [...deployed.backlogs.values()];
    const hasIntake = all.some(({ intake }) => intake);
    const runbookUrl = all.find((one) => one.runbookUrl !== undefined)?.runbookUrl;
    const countsGroups = all.some(({ groups }) => groups);
    const queues = all
      .flatMap((one) => Object.entries(one.queues))
      .filter(([name]) => QUEUE_PATTERN.test(name));
    const described = queues.map(([name, { retryMode }]) => ({ name, retryMode }));
    if (wrong === undefined)
      return {
        table: records,
        controlTable: control,
        hasIntake,
        countsGroups,
        deployed: described,
        runbookUrl,
      };
    throw new ConfigurationError(
      `--stack: the ${deployed.where}: expected the name of a table, got "${printable(wrong)}"`,
    );
  }
  const its = deployed.backlogs.get(path);
  const isOwn = its?.records.logicalId !== undefined && its.control.logicalId !== undefined;
  const why = isOwn
    ? 'its names need the right to cloudformation:DescribeStackResource'
    : "its tables are another stack's: name that stack";
  throw new ConfigurationError(
    `--stack: the ${deployed.where} does not tell the tables of ${printable(path)}: ${why}, or ${BY_NAME}`,
  );
}
