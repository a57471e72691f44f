import { readFileSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from 'dynamo-backlog';
import type { ClockSetting } from 'dynamo-backlog/engine';
import * as z from 'zod';

const runtimeSchema = z.object({
  version: z.literal(1),
  pid: z.int(),
  cwd: z.string(),
  startedAt: z.string(),
  endpoint: z.url(),
  statusPage: z.url(),
  dataDir: z.string().optional(),
  tables: z.array(z.object({ name: z.string(), records: z.boolean(), hasIntake: z.boolean().optional() })),
  queues: z.array(z.string()),
  clock: z.object({
    wallStart: z.number(),
    start: z.number(),
    speed: z.number(),
    paused: z.boolean().optional(),
  }),
});

/** Facts about a running local runtime, for the other commands. */
export type RuntimeInfo = z.output<typeof runtimeSchema>;

/** Folder of this user's runtimes, by number where users have one: in a container a user may have no name. */
function discoveryFolder(): string {
  const user = process.getuid?.() ?? userInfo().username.replace(/[^\w.-]/g, '_');
  return process.env.BACKLOG_RUNTIME_DIR ?? join(tmpdir(), `dynamo-backlog-${user}`);
}

/**
 * Checks that the folder is this user's. In a temporary folder that all users share, another user can have made this
 * one before, and pretend to be a runtime in it: records would be written to wherever that user says.
 *
 * @throws ConfigurationError if it is another user's, or others may write to it
 */
async function checkOwner(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  // Windows has a temporary folder for each user, and no such numbers.
  if (!found || process.getuid === undefined) return;
  const isOurs = found.isDirectory() && found.uid === process.getuid() && (found.mode & 0o022) === 0;
  if (isOurs) return;
  throw new ConfigurationError(
    `${folder}: expected a folder that only this user may write to; remove it, or name another in BACKLOG_RUNTIME_DIR`,
  );
}

/** Makes a runtime known, or what has changed of it. Gives the function that takes it back. */
export async function announce(info: Omit<RuntimeInfo, 'version'>, folder = discoveryFolder()) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await checkOwner(folder);
  const file = join(folder, `${info.pid}.json`);
  // Another command may read it meanwhile.
  await writeFile(`${file}.part`, `${JSON.stringify({ version: 1, ...info })}\n`, { mode: 0o600 });
  await rename(`${file}.part`, file);
  return () => rm(file, { force: true });
}

/** The runtimes that run now; what dead ones left behind is removed. */
export async function runningRuntimes(folder = discoveryFolder()): Promise<RuntimeInfo[]> {
  await checkOwner(folder);
  const files = await readdir(folder).catch(() => []);
  const found: RuntimeInfo[] = [];
  for (const file of files.filter((name) => name.endsWith('.json')).sort()) {
    const path = join(folder, file);
    const info = await readInfo(path);
    if (info && isAlive(info.pid)) found.push(info);
    else await rm(path, { force: true });
  }
  return found;
}

/**
 * The runtime that a command means: the one started in this folder, or else the only one.
 *
 * @throws ConfigurationError if none runs, or several do and none of them in this folder
 */
export async function findRuntime(cwd: string, folder = discoveryFolder()): Promise<RuntimeInfo> {
  const all = await runningRuntimes(folder);
  const here = all.filter((info) => info.cwd === cwd);
  const [found, ...others] = here.length > 0 ? here : all;
  if (!found) {
    throw new ConfigurationError(
      'no local runtime is running: start one with "npx backlog start", or name a deployed stack with --stack, or a table of your AWS account with --table',
    );
  }
  if (others.length === 0) return found;
  const list = [found, ...others].map(
    ({ pid, cwd: place, endpoint, tables }) =>
      `  pid ${pid} in ${place}: --endpoint ${endpoint} --table ${tables.find(({ records }) => records)?.name ?? '?'}`,
  );
  throw new ConfigurationError(
    `several local runtimes are running: say which with --endpoint and --table\n${list.join('\n')}`,
  );
}

/** Real time during which a clock that was read is taken to go on as it did. */
const CLOCK_FOR_MS = 100;

/** The clock of a running runtime as it is now, for `scaledClock`. Of one that has ended it is the last that was known. */
export function clockSettingOf(
  { pid, clock }: Pick<RuntimeInfo, 'pid' | 'clock'>,
  folder = discoveryFolder(),
): () => ClockSetting {
  const file = join(folder, `${pid}.json`);
  let setting: ClockSetting = clock;
  let text = JSON.stringify(clock);
  let readAt = Date.now();
  return () => {
    // Below: the machine's clock was set back.
    const age = Date.now() - readAt;
    if (age >= 0 && age < CLOCK_FOR_MS) return setting;
    readAt = Date.now();
    try {
      const present = runtimeSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).clock;
      // The same object means that nothing has changed.
      if (JSON.stringify(present) !== text) setting = present;
      text = JSON.stringify(present);
    } catch {
      // The runtime has ended.
    }
    return setting;
  };
}

async function readInfo(path: string): Promise<RuntimeInfo | undefined> {
  try {
    return runtimeSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Tells whether a process runs, of any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
