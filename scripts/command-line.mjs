import { readFileSync } from 'node:fs';
import { BUNDLING } from './handlers.mjs';

const { peerDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/**
 * Options of esbuild for the command line: `dist/cli/main.js`, the process in which the local runtime runs a function, and
 * what both load. In one bundle it starts in a third of the processor time that 600 files of the SDK take. What users
 * may do without, such as the embedded DynamoDB and charts, is not in it: the package that they install is loaded.
 */
export const COMMAND_LINE = {
  ...BUNDLING,
  entryPoints: { main: 'tools/src/cli/main.ts', 'sandbox-child': 'tools/src/local/sandbox/sandbox-child.ts' },
  splitting: true,
  external: Object.keys(peerDependencies),
};
