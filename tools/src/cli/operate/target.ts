import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { BacklogOperator, ConfigurationError } from 'dynamo-backlog';
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
    'of the leases and queues (default: the runtime’s, or that of --stack)',
  );
}

/** Both tables, and an operator for them. */
export interface OperatorAt {
  readonly operator: BacklogOperator;
  readonly target: Target;
  readonly controlTable: string;
}

/**
 * Finds both tables, and an operator for them.
 *
 * @throws ConfigurationError that says which flag to give, or what to start
 */
export async function operatorAt(flags: OperateTargetFlags): Promise<OperatorAt> {
  const { target: found, controlTable } = await tablesAt(flags);
  const { client, table, clock } = found;
  try {
    const operator = new BacklogOperator({ table, controlTable, client, clock });
    return { operator, target: found, controlTable };
  } catch (error) {
    client.destroy();
    throw error;
  }
}

/** The control table of a backlog, where a flag, the stack or the local runtime says it. */
export async function controlTableIfKnown(
  found: Target,
  given: string | undefined,
): Promise<string | undefined> {
  const named = given ?? found.controlTable;
  if (named !== undefined || !found.local) return named;
  const { tables } = await controlTables(found, undefined);
  return tables.length === 1 ? tables[0] : undefined;
}

/** The local runtime is there, and says nothing: it is stopped, or busy. */
export class NoAnswerError extends ConfigurationError {}

/**
 * Finds both tables.
 *
 * @param answerWithinMs how long the local runtime has to answer. Default: as long as the client repeats a request, a
 *   minute
 * @throws ConfigurationError that says which flag to give, or what to start
 * @throws NoAnswerError if the local runtime does not answer in time
 */
export async function tablesAt(
  flags: OperateTargetFlags,
  answerWithinMs?: number,
): Promise<{ readonly target: Target; readonly controlTable: string }> {
  const found = await connect(flags);
  try {
    const controlTable =
      flags.controlTable ??
      found.controlTable ??
      (await inTime(controlTableOf(found), found, answerWithinMs));
    return { target: found, controlTable };
  } catch (error) {
    found.client.destroy();
    throw error;
  }
}

async function inTime<Answer>(answer: Promise<Answer>, { where }: Target, ms: number | undefined) {
  if (ms === undefined) return answer;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const seconds = Math.round(ms / 1000);
    timer = setTimeout(() => reject(new NoAnswerError(`no answer within ${seconds} s: ${where}`)), ms);
  });
  // What is answered too late is not waited for.
  answer.catch(() => {});
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

async function controlTableOf(found: Target): Promise<string> {
  const { tables } = found.local ? await controlTables(found, undefined) : { tables: [] };
  const [only, ...others] = tables;
  if (only !== undefined && others.length === 0) return only;
  const choice =
    others.length > 0
      ? `: the local runtime has ${tables.join(', ')}`
      : ' (the output ControlTableName of its stack), or name the stack with --stack in place of both tables';
  throw new ConfigurationError(`say which control table with --control-table${choice}`);
}

/** The user of this machine; undefined where it has no name, as in some containers. */
export function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
