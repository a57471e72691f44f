import type { Command } from 'commander';
import { ConfigurationError } from '../../../errors.js';
import { BacklogOperator } from '../../../operate/index.js';
import { target as targetFlags } from '../command-parts.js';
import { connect, type Target, type TargetFlags } from '../connect.js';
import { controlTables } from '../doctor/control-table.js';

export interface OperateTargetFlags extends TargetFlags {
  readonly controlTable?: string | undefined;
}

/** The flags that say which tables. */
export function target(command: Command): Command {
  return targetFlags(command).option(
    '--control-table <name>',
    'of the leases and queues (default: the runtime’s; in AWS it has to be named)',
  );
}

/**
 * Finds both tables, and an operator for them.
 *
 * @throws ConfigurationError that says which flag to give, or what to start
 */
export async function operatorAt(
  flags: OperateTargetFlags,
): Promise<{ readonly operator: BacklogOperator; readonly target: Target }> {
  const { target: found, controlTable } = await tablesAt(flags);
  const { client, table, clock } = found;
  try {
    return { operator: new BacklogOperator({ table, controlTable, client, clock }), target: found };
  } catch (error) {
    client.destroy();
    throw error;
  }
}

/**
 * Finds both tables.
 *
 * @throws ConfigurationError that says which flag to give, or what to start
 */
export async function tablesAt(
  flags: OperateTargetFlags,
): Promise<{ readonly target: Target; readonly controlTable: string }> {
  const found = await connect(flags);
  try {
    return { target: found, controlTable: flags.controlTable ?? (await controlTableOf(found)) };
  } catch (error) {
    found.client.destroy();
    throw error;
  }
}

async function controlTableOf(found: Target): Promise<string> {
  const { tables } = found.local ? await controlTables(found, undefined) : { tables: [] };
  const [only, ...others] = tables;
  if (only !== undefined && others.length === 0) return only;
  const choice =
    others.length > 0 ? `: the local runtime has ${tables.join(', ')}` : ', of its leases and queues';
  throw new ConfigurationError(`say which control table with --control-table${choice}`);
}
