import { ConfigurationError } from 'dynamo-backlog';

type Variables = Record<string, string | undefined>;

/** Flags that replace variables of the environment. */
export interface EnvironmentFlags {
  readonly table?: string | undefined;
  readonly controlTable?: string | undefined;
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** The timeout of a function, as the construct has it, where nothing says otherwise. */
const TIMEOUT_SECONDS = '300';

/**
 * Makes the environment of a function: its own variables, where they are set, and the flags before them. The user's module
 * may read these variables too, so this comes before it is loaded.
 *
 * @throws ConfigurationError naming the flag and the variable
 */
export function applyFlags(flags: EnvironmentFlags, env: Variables): { records: string; control: string } {
  const { region, endpoint } = flags;
  if (region !== undefined) env.AWS_REGION = region;
  if (endpoint !== undefined) {
    env.AWS_ENDPOINT_URL_DYNAMODB = endpoint;
    // Emulators take any, but the client insists on having some.
    env.AWS_ACCESS_KEY_ID ??= 'local';
    env.AWS_SECRET_ACCESS_KEY ??= 'local';
    env.AWS_REGION ??= 'us-east-1';
  }
  // Containers outside of AWS often have this one alone.
  env.AWS_REGION ??= env.AWS_DEFAULT_REGION;
  if (env.AWS_REGION === undefined) delete env.AWS_REGION;
  const records = take(flags.table, env, 'BACKLOG_TABLE', '--table', 'the table of the records');
  const control = take(
    flags.controlTable,
    env,
    'BACKLOG_CONTROL_TABLE',
    '--control-table',
    'the table of the leases and queues',
  );
  env.BACKLOG_FUNCTION_TIMEOUT_SECONDS ??= TIMEOUT_SECONDS;
  return { records, control };
}

function take(
  flag: string | undefined,
  env: Variables,
  variable: string,
  name: string,
  what: string,
): string {
  const value = flag ?? env[variable];
  if (value === undefined || value === '') {
    throw new ConfigurationError(`${name}: expected the name of ${what}, or the variable ${variable}`);
  }
  env[variable] = value;
  return value;
}
