import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUNDLING } from './handlers.mjs';

const SCRIPTS = dirname(fileURLToPath(import.meta.url));
const ABSENT_SERVICES = join(SCRIPTS, 'absent-services.mjs');

/** esbuild's aliases: packages that no command uses, though the code of handlers, or the SDK, imports them. */
const ABSENT_PACKAGES = {
  '@aws-lambda-powertools/logger': ABSENT_SERVICES,
  '@aws-sdk/client-lambda': ABSENT_SERVICES,
  '@aws-sdk/client-sqs': ABSENT_SERVICES,
  bowser: join(SCRIPTS, 'absent-browsers.mjs'),
};

const { dependencies, optionalDependencies } = JSON.parse(
  readFileSync(new URL('../tools/package.json', import.meta.url), 'utf8'),
);

/**
 * Options of esbuild for the command line: `tools/dist/main.js`, the process in which the local runtime runs a function, and
 * what both load. In one bundle it starts in a third of the processor time that 600 files of the SDK take: the library's code
 * is in it, of the very version that the tools depend on. Other dependencies are loaded when they are needed:
 * a container that only runs `backlog work` leaves the optional ones out.
 */
export const COMMAND_LINE = {
  ...BUNDLING,
  entryPoints: { main: 'tools/src/cli/main.ts', 'sandbox-child': 'tools/src/local/sandbox/sandbox-child.ts' },
  splitting: true,
  alias: ABSENT_PACKAGES,
  external: Object.keys({ ...dependencies, ...optionalDependencies }).filter(
    (name) => name !== 'dynamo-backlog',
  ),
};

/** Options of esbuild for `create/dist/create.js`, which has `backlog init` alone: `npm create` installs no more than that. */
export const CREATE = { ...BUNDLING, entryPoints: { create: 'tools/src/cli/init/create.ts' } };
