import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun } from './run.js';

/** The files of an image, and the command that would start it. */
export interface Image {
  /** The folder of its files. */
  readonly root: string;
  /** Below `root`. */
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string | undefined;
  readonly cmd: readonly string[];
  /** Its command. */
  readonly healthcheck: readonly string[];
}

interface Stage {
  readonly root: string;
  workdir: string;
  env: Record<string, string>;
  user?: string;
  cmd: string[];
  healthcheck: string[];
}

/**
 * Does what an engine does with a Dockerfile, without one: each stage is a folder, and commands run on this machine with this
 * machine's Node.js. It knows the instructions that the example has, and refuses others.
 *
 * @param context the folder with the Dockerfile
 * @param into an empty folder
 */
export async function buildImage(context: string, into: string): Promise<Image> {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const { instruction, text } of instructionsOf(await readFile(join(context, 'Dockerfile'), 'utf8'))) {
    if (instruction === 'FROM') {
      const [, , name = String(stages.size)] = text.split(/\s+/);
      stage = { root: join(into, name), workdir: '/', env: {}, cmd: [], healthcheck: [] };
      stages.set(name, stage);
      await mkdir(stage.root);
      continue;
    }
    if (!stage) throw new Error(`${instruction} before FROM`);
    await follow(instruction, text, stage, { context, stages });
  }
  if (!stage) throw new Error('no FROM');
  return { ...stage, user: stage.user };
}

async function follow(
  instruction: string,
  text: string,
  stage: Stage,
  { context, stages }: { readonly context: string; readonly stages: ReadonlyMap<string, Stage> },
): Promise<void> {
  const cwd = join(stage.root, stage.workdir);
  switch (instruction) {
    case 'WORKDIR':
      stage.workdir = text;
      await mkdir(join(stage.root, text), { recursive: true });
      return;
    case 'ENV': {
      const [name = '', value = ''] = text.split('=');
      stage.env[name] = value;
      return;
    }
    case 'COPY': {
      const [, from, paths = ''] = /^(?:--from=(\w+)\s+)?(.*)$/.exec(text) ?? [];
      const sources = paths.split(/\s+/);
      const target = sources.pop() ?? '';
      const sent = from === undefined ? await sentOf(context) : undefined;
      for (const source of sources) {
        if (sent && !sent.includes(source)) throw new Error(`COPY: the context has no ${source}`);
        const root = from === undefined ? context : (stages.get(from)?.root ?? '');
        const name = target.endsWith('/') && source.includes('.') ? source.split('/').at(-1) : '';
        await cp(join(root, source), join(cwd, target, name ?? ''), {
          recursive: true,
          verbatimSymlinks: true,
        });
      }
      return;
    }
    case 'RUN':
      await mustRun('/bin/sh', ['-c', text], { cwd, env: stage.env });
      return;
    case 'USER':
      stage.user = text;
      return;
    case 'EXPOSE':
      return;
    case 'HEALTHCHECK':
      stage.healthcheck = listOf(text.replace(/^.*? CMD /s, ''));
      return;
    case 'CMD':
      stage.cmd = listOf(text);
      return;
    default:
      throw new Error(`unknown instruction ${instruction}`);
  }
}

/** A text would be started by a shell, which gets the signals. */
function listOf(text: string): string[] {
  const list: unknown = JSON.parse(text);
  if (Array.isArray(list)) return list.map(String);
  throw new Error(`expected a list, got ${text}`);
}

function instructionsOf(text: string): { readonly instruction: string; readonly text: string }[] {
  const lines = text.replaceAll(/\\\n/g, ' ').split('\n');
  return lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [instruction = '', ...rest] = line.split(' ');
      return { instruction, text: rest.join(' ').trim() };
    });
}

/** Files of the context that are sent: `.dockerignore` leaves out everything, and names what is left in. */
async function sentOf(context: string): Promise<string[]> {
  const lines = (await readFile(join(context, '.dockerignore'), 'utf8')).split('\n');
  const [all, ...left] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (all !== '*' || left.some((line) => !/^![\w.-]+$/.test(line))) throw new Error('another .dockerignore');
  const names = left.map((line) => line.slice(1));
  return (await readdir(context)).filter((name) => names.includes(name));
}
