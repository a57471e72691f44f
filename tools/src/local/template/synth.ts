import { spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConfigurationError } from 'dynamo-backlog';
import { LOCAL_CONTEXT } from 'dynamo-backlog/engine';
import { readAssembly, type Stack } from './assembly.js';

export interface SynthOptions {
  /** A shell command, as `app` in cdk.json, or the folder of an app synthesized before. */
  readonly app: string;
  /** Folder in which the command runs, and in which the `context` of a cdk.json is read. */
  readonly cwd: string;
  /** More context values, as `-c key=value` gives them to the CDK's command line, or `cdk.json`. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Gets the synthesized files, the functions' code among them. */
  readonly outFolder: string;
}

const MAX_OUTPUT_CHARS = 4_000;

/**
 * Runs a CDK app the way the CDK's command line does, and reads what it synthesized.
 *
 * @throws ConfigurationError with the app's own words if it fails
 */
export async function synthesize(
  { app, cwd, context, outFolder }: SynthOptions,
  signal?: AbortSignal,
): Promise<Stack[]> {
  const folder = resolve(cwd, app);
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return readAssembly(folder);
  const values = { ...(await projectContext(cwd)), [LOCAL_CONTEXT]: 'true', ...context };
  const variables = {
    CDK_OUTDIR: outFolder,
    CDK_CONTEXT_JSON: JSON.stringify(values),
    // Takes seconds to find out what only a deployment needs to know.
    CDK_VALIDATION: process.env.CDK_VALIDATION ?? 'false',
  };
  await runApp(app, cwd, variables, signal);
  return readAssembly(outFolder);
}

/** Reads the context of the project, as the CDK's command line does: feature flags change what is synthesized. */
async function projectContext(cwd: string): Promise<Record<string, unknown>> {
  const read = async (file: string) => {
    const text = await readFile(join(cwd, file), 'utf8').catch(() => '{}');
    try {
      return JSON.parse(text) as Record<string, unknown>;
    } catch (error) {
      throw new ConfigurationError(`cannot read ${file}: ${(error as Error).message}`, { cause: error });
    }
  };
  const { context = {} } = (await read('cdk.json')) as { context?: Record<string, unknown> };
  return { ...(await read('cdk.context.json')), ...context };
}

function runApp(
  app: string,
  cwd: string,
  variables: Record<string, string>,
  signal?: AbortSignal,
): Promise<void> {
  return new Promise((done, fail) => {
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-MAX_OUTPUT_CHARS);
    };
    // A group of its own, so that an abort ends the command behind the shell as well.
    const child = spawn(app, {
      cwd,
      shell: true,
      detached: process.platform !== 'win32',
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const abort = () => endGroup(child.pid);
    signal?.addEventListener('abort', abort, { once: true });
    // A signal that was aborted before tells no listener.
    if (signal?.aborted) abort();
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => fail(new ConfigurationError(`cannot run the CDK app: ${error.message}`)));
    child.on('close', (code) => {
      signal?.removeEventListener('abort', abort);
      if (code === 0) return done();
      const reason = signal?.aborted ? 'was stopped' : `failed with exit code ${code}`;
      fail(new ConfigurationError(`the CDK app (${app}) ${reason}\n${output.trim()}`));
    });
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGTERM');
  } catch {
    // It has ended meanwhile.
  }
}
