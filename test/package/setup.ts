import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { asLocked, makeApp, ownPackageJson, ROOT } from './apps.js';
import { mustRun } from './run.js';

export interface Packed {
  /** The path of the tarball. */
  readonly file: string;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  readonly paths: readonly string[];
}

declare module 'vitest' {
  interface ProvidedContext {
    packed: Packed;
    packedTools: Packed;
    packedCreate: Packed;
    /** A folder with two versions of TypeScript. */
    compilers: string;
    /** An app that has all it may need, and the examples. */
    examplesApp: string;
  }
}

/** Builds and packs once, for all test files; in CI it only packs. */
export default async function setup({ provide }: TestProject): Promise<void> {
  const [[packed, packedTools, packedCreate], compilers] = await Promise.all([
    pack(),
    makeApp('compilers', ['typescript-5@npm:typescript@~5.9.0', 'typescript-7@npm:typescript@~7.0.0']),
  ]);
  provide('packed', packed);
  provide('packedTools', packedTools);
  provide('packedCreate', packedCreate);
  provide('compilers', compilers);
  provide('examplesApp', await makeExamplesApp([packed.file, packedTools.file]));
}

/** Packages that examples import beside the package and its peers. */
const OF_EXAMPLES = [
  '@aws-lambda-powertools/idempotency',
  '@aws-lambda-powertools/tracer',
  '@middy/secrets-manager',
  '@types/aws-lambda',
  'tsx',
  'vitest',
];

async function makeExamplesApp(tarballs: readonly string[]): Promise<string> {
  const { peerDependencies } = await ownPackageJson();
  const packages = await Promise.all([...Object.keys(peerDependencies), ...OF_EXAMPLES].map(asLocked));
  const folder = await makeApp('examples', [...tarballs, ...packages, '@types/node@20']);
  await cp(join(folder, 'node_modules/dynamo-backlog-tools/examples'), join(folder, 'examples'), {
    recursive: true,
  });
  return folder;
}

/** The library, the tools, and what `npm create` runs. */
async function pack(): Promise<[Packed, Packed, Packed]> {
  const folder = await mkdtemp(join(tmpdir(), 'backlog-tarball-'));
  // CI has built it at its installation.
  if (!process.env.CI) await mustRun('npm', ['run', 'build'], { cwd: ROOT });
  const { out } = await mustRun('node', ['scripts/pack.mjs', folder], { cwd: ROOT });
  const [library, tools, create] = JSON.parse(out);
  return [packedAs(library, folder), packedAs(tools, folder), packedAs(create, folder)];
}

interface PackInfo {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

function packedAs({ filename, size, unpackedSize, files }: PackInfo, folder: string): Packed {
  return {
    file: join(folder, filename),
    packedBytes: size,
    unpackedBytes: unpackedSize,
    paths: files.map(({ path }) => path),
  };
}
