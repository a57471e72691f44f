import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Runs a program to its end, without the AWS settings of the person who runs the tests. */
export async function run(program: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  const child = spawn(program, args, { cwd: options.cwd, env: environment(options.env) });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (data: Buffer) => {
    texts.out += data;
  });
  child.stderr.on('data', (data: Buffer) => {
    texts.err += data;
  });
  child.stdin.end();
  const [code] = await once(child, 'close');
  return { code, ...texts };
}

/** The same for what has to succeed. */
export async function mustRun(program: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  const ended = await run(program, args, options);
  if (ended.code === 0) return ended;
  const said = `${ended.out.slice(-4000)}\n${ended.err.slice(-4000)}`;
  throw new Error(`${program} ${args.join(' ')} ended with ${ended.code}:\n${quoted(said)}`);
}

/** So that the stack of another program is not taken for the test's own. */
export function quoted(text: string): string {
  return text.replaceAll(/^/gm, '| ');
}

/** The environment without settings of AWS and npm. Those of `npm run` describe this package, not the app. */
export function environment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(AWS_|npm_(package|lifecycle)|INIT_CWD)/.test(name),
  );
  return { ...Object.fromEntries(own), ...more };
}

/** The variables of a process that works on the tables of an emulator. */
export function settingsFor(
  endpoint: string,
  { records, control }: { readonly records: string; readonly control: string },
): Record<string, string> {
  return {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_REGION: 'eu-central-1',
    BACKLOG_TABLE: records,
    BACKLOG_CONTROL_TABLE: control,
  };
}
