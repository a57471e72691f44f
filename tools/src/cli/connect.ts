import { ConfigurationError } from 'dynamo-backlog';
import {
  type Clock,
  createDynamoDbClient,
  scaledClock,
  systemClock,
  withoutTrailing,
} from 'dynamo-backlog/engine';
import type { KnownQueue } from 'dynamo-backlog/overview';
import { clockSettingOf, findRuntime, type RuntimeInfo, runningRuntimes } from '../local/discovery.js';
import { tablesOfStack } from './stack-tables.js';

export interface TargetFlags {
  readonly endpoint?: string | undefined;
  readonly table?: string | undefined;
  /** A deployed stack, in place of the names of tables. */
  readonly stack?: string | undefined;
}

/** The table that a command works on. */
export interface Target {
  readonly client: ReturnType<typeof createDynamoDbClient>;
  readonly table: string;
  /** Control table of the stack. Undefined without `--stack`. */
  readonly controlTable?: string | undefined;
  /** The runtime's, where it is a runtime's table. */
  readonly clock: Clock;
  /** An intake attempts, or indexes, what is put without `lane`. False: there is none, or it is not known. */
  readonly hasIntake: boolean;
  /** A function of the stack counts the members of groups. Undefined: it is not known. */
  readonly countsGroups?: boolean | undefined;
  /** The runbook of the stack. Undefined: its alarms link to that of the docs, or it is not known. */
  readonly runbookUrl?: string | undefined;
  /** Name and place of the table, for the user. */
  readonly where: string;
  /** True for a table of the local runtime: reading costs nothing. */
  readonly local: boolean;
  /** The endpoint of DynamoDB, where a flag or the runtime names it. Undefined: AWS, or what the environment names. */
  readonly endpoint?: string | undefined;
  /** The app's queues, where they are known. */
  readonly queues?: readonly string[] | undefined;
  /** The queues of the stack of `--stack`. Others may work on the same tables. Undefined: not known. */
  readonly deployed?: readonly KnownQueue[] | undefined;
  /** URL of the runtime's status page, with a slash at its end. */
  readonly statusPage?: string | undefined;
  /** The runtime's tables that hold no records: those of its queues and leases among them. */
  readonly others?: readonly string[] | undefined;
}

/**
 * Finds the table. Without flags: the local runtime's. `--endpoint` alone: its runtime's table. `--table` alone: the
 * running local runtime's, if it has a table of that name, else the AWS account's. `--stack`: the AWS account's, whatever
 * runs on this machine.
 *
 * @throws ConfigurationError that says what to start, or which flag to give
 */
export async function connect({ endpoint, table, stack }: TargetFlags, cwd = process.cwd()): Promise<Target> {
  if (stack !== undefined) return atStack(stack, endpoint);
  if (endpoint !== undefined) {
    const runtime = (await runningRuntimes()).find((info) => sameUrl(info.endpoint, endpoint));
    if (runtime) return atRuntime(runtime, table);
    if (table !== undefined) return at({ endpoint, table });
    throw new ConfigurationError(
      `no local runtime is at ${endpoint}: name a table with --table, or start one with "npx backlog start"`,
    );
  }
  if (table === undefined) return atRuntime(await findRuntime(cwd));
  const runtime = await findRuntime(cwd).catch(() => undefined);
  return runtime?.tables.some(({ name }) => name === table) ? atRuntime(runtime, table) : at({ table });
}

async function atStack(stack: string, endpoint: string | undefined): Promise<Target> {
  const { table, ...known } = await tablesOfStack(stack, endpoint);
  const found = at({ endpoint, table });
  return { ...found, ...known, where: `${found.where}, stack ${stack}` };
}

function atRuntime(runtime: RuntimeInfo, table = onlyTable(runtime)): Target {
  return {
    client: createDynamoDbClient({ endpoint: runtime.endpoint }),
    table,
    clock: scaledClock(clockSettingOf(runtime)),
    hasIntake: runtime.tables.some(({ name, hasIntake }) => name === table && hasIntake === true),
    where: `table ${table} of the local runtime at ${runtime.endpoint}`,
    local: true,
    endpoint: runtime.endpoint,
    queues: runtime.queues,
    statusPage: runtime.statusPage,
    others: runtime.tables.filter(({ records }) => !records).map(({ name }) => name),
  };
}

function at({ endpoint, table }: { endpoint?: string | undefined; table: string }): Target {
  const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL, AWS_REGION } = process.env;
  // The SDK goes there: a message that names AWS would be wrong.
  const other = AWS_ENDPOINT_URL_DYNAMODB || AWS_ENDPOINT_URL;
  const place = endpoint ?? other ?? `AWS${AWS_REGION ? `, ${AWS_REGION}` : ''}`;
  return {
    client: createDynamoDbClient(endpoint === undefined ? {} : { endpoint }),
    table,
    clock: systemClock,
    hasIntake: false,
    where: `table ${table} at ${place}`,
    local: false,
    endpoint,
  };
}

function onlyTable({ tables }: RuntimeInfo): string {
  const [only, ...others] = tables.filter(({ records }) => records).map(({ name }) => name);
  if (only !== undefined && others.length === 0) return only;
  const choice = only === undefined ? 'none' : [only, ...others].join(', ');
  throw new ConfigurationError(`say which table with --table: the local runtime has ${choice}`);
}

function sameUrl(one: string, other: string): boolean {
  const normal = (url: string) => withoutTrailing(url, '/').replace('//localhost:', '//127.0.0.1:');
  return normal(one) === normal(other);
}
