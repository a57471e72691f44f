import { relative, resolve } from 'node:path';
import { ConfigurationError } from 'dynamo-backlog';
import { counted, EXIT, type ExitCode, type Output, printable } from '../output.js';
import { packageSpec } from './package-spec.js';
import { inspect, isFolder, write } from './place.js';
import { type StarterApp, starterApp } from './starter-files.js';

export interface InitFlags {
  readonly package?: string | undefined;
  readonly toolsPackage?: string | undefined;
}

const MAX_NAMED = 10;

/** `backlog init`: checks all of it first, and then writes the files that are missing. */
export async function init(given: string | undefined, flags: InitFlags, output: Output): Promise<ExitCode> {
  if (given === '') throw new ConfigurationError('folder: expected the path of a folder, got ""');
  const folder = resolve(given ?? '.');
  const app = await starterApp(folder, {
    'dynamo-backlog': await packageSpec('--package', flags.package),
    'dynamo-backlog-tools': await packageSpec('--tools-package', flags.toolsPackage),
  });
  const written = await place(app, folder).catch((error: unknown) => {
    throw explained(error, folder);
  });
  const what =
    written === 0 ? 'has all its files: none was written' : `is there: ${counted(written, 'file')}`;
  output.message(`The app ${app.name} ${what} in ${printable(folder)}`);
  for (const line of nextSteps(folder)) output.message(line);
  return EXIT.ok;
}

/** Writes the files that are missing, and returns how many. */
async function place({ files }: StarterApp, folder: string): Promise<number> {
  if ((await isFolder(folder)) === false) {
    throw new ConfigurationError(`folder: expected a folder, but ${printable(folder)} is a file`);
  }
  const { inTheWay, missing } = await inspect(folder, files);
  if (inTheWay.length > 0) {
    throw new ConfigurationError(
      `${printable(folder)} is not empty, and nothing was written. In the way: ${listed(inTheWay)}. Name a new folder, such as: npm create dynamo-backlog my-app`,
    );
  }
  await write(folder, files, missing);
  return missing.length;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).map(printable).join(', ');
  return names.length > MAX_NAMED ? `${shown} and ${names.length - MAX_NAMED} more` : shown;
}

function nextSteps(folder: string): string[] {
  const path = relative(process.cwd(), folder);
  return [
    '',
    ...(path === '' ? [] : [`  cd ${quoted(path)}`]),
    '  npm install',
    '  npm test         # its handler, with an ERP that is down at first',
    '',
    'Then:',
    '  npm start        # runs it on this machine; "npm run produce" in a second terminal places orders',
    '  npx cdk deploy   # installs it in your AWS account',
    '',
    'README.md says more.',
  ];
}

/** Quotes a path for a shell, if it needs that. */
function quoted(path: string): string {
  if (/^[\w./-]+$/.test(path) && !path.startsWith('-')) return path;
  const start = path.startsWith('-') ? './' : '';
  return `'${start}${printable(path).replaceAll("'", "'\\''")}'`;
}

const REASONS: readonly (readonly [codes: RegExp, reason: string])[] = [
  [/ENOSPC|EDQUOT/, 'the disk is full'],
  [/EROFS|EACCES|EPERM/, 'this user may not write there'],
  [/ENAMETOOLONG/, 'the path is too long'],
  [/ENOTDIR/, 'a part of the path is a file'],
  [/ENOENT|EEXIST|ELOOP/, 'a part of the path is a link that leads to no folder, or was removed'],
];

function explained(error: unknown, folder: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  const [, reason] = REASONS.find(([codes]) => codes.test(code)) ?? [];
  if (reason === undefined) return error;
  return new ConfigurationError(
    `cannot write the app to ${printable(folder)}: ${reason} (${code}). The same command writes what is missing, once that is repaired`,
    { cause: error },
  );
}
