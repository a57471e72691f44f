import { mkdtemp } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMAND_LINE } from '../../scripts/command-line.mjs';
import toolsPackage from '../../tools/package.json' with { type: 'json' };
import { type Bundle, bundleHandler, HANDLERS, type HandlerBundles } from '../handler-bundles.js';

const metafileOf = async (options: BuildOptions): Promise<Metafile> => {
  const { metafile } = await build({ ...OPTIONS, ...options });
  return metafile as Metafile;
};

const OPTIONS: BuildOptions = {
  bundle: true,
  write: false,
  metafile: true,
  platform: 'node',
  format: 'esm',
  outdir: 'out',
  mainFields: ['module', 'main'],
  logLevel: 'silent',
};

/** Code that only the tools and tests need. */
const FOREIGN =
  /^(tools|src\/(client|store\/memory)|node_modules\/(commander|@observablehq|d3|linkedom|@resvg|cli-table3|cli-progress|dynalite|hono|aws-cdk-lib))\b/;
/** The function of links answers requests of HTTP, and does what a client does. */
const OF_LINKS = /^(node_modules\/hono|src\/client\/complete\.ts$)/;
/** The part of zod that zod/mini does without. */
const LARGE_ZOD = /zod\/v4\/(classic|core\/(to-json-schema|json-schema)|locales\/(?!en\.))/;
/** Code that finds credentials outside of Lambda. */
const CREDENTIAL_CHAIN =
  /nested-clients|token-providers|credential-provider-(ini|sso|login|process|web-identity|imds)/;
const CLIENTS = /node_modules\/@aws-sdk\/(client-[^/]+)\//;

const folder = await mkdtemp(join(tmpdir(), 'backlog-bundles-'));

/** The largest size of a bundle, in sizes of a handler that only has the same clients. */
const MOST = 1.1;
/** Files of a handler at its start: modules that two of three handlers share are in files of their own. */
const MAX_FILES = 10;

describe.each([
  ['fibonacci', ['client-dynamodb']],
  ['progressive', ['client-dynamodb']],
  ['recurring', ['client-dynamodb']],
  ['intake', ['client-dynamodb', 'client-lambda', 'client-sqs']],
  ['sweep', ['client-dynamodb', 'client-sqs']],
  ['monitor', ['client-dynamodb', 'client-lambda']],
  // It needs none: it loads the part that all of its folder have in common.
  ['record-events', ['client-dynamodb']],
  ['widget', ['client-dynamodb']],
  ['widget-actions', ['client-dynamodb']],
  ['completion-url', ['client-dynamodb']],
] as const)('the bundle of the handler %s', (name, clients) => {
  let bundles: HandlerBundles;
  beforeAll(async () => {
    bundles = await bundleHandler(name, folder);
  });

  it('is hardly larger than a bare handler with the same clients', () => {
    expect(bundles.handler.bytes / bundles.bare.bytes).toBeLessThan(MOST);
  });

  it('is in few files: each one costs time at a cold start', () => {
    expect(bundles.handler.files).toBeLessThanOrEqual(MAX_FILES);
  });

  it('holds the clients that it uses, as the bare one does', () => {
    const clientsOf = ({ inputs }: Bundle) =>
      [...new Set(inputs.map((input) => CLIENTS.exec(input)?.[1]))].filter(Boolean).sort();
    expect(clientsOf(bundles.handler)).toEqual(clients);
    expect(clientsOf(bundles.bare)).toEqual(clients);
  });

  it.each([
    ['what only the lab, the command line or a producer needs', FOREIGN],
    ['the large half of zod', LARGE_ZOD],
    ["the SDK's whole chain of credentials", CREDENTIAL_CHAIN],
  ])('does not hold %s', (_, unneeded) => {
    expect(bundles.handler.inputs).toContain('src/record/parse.ts');
    const own = name === 'completion-url' ? OF_LINKS : /^$/;
    expect(bundles.handler.inputs.filter((input) => unneeded.test(input) && !own.test(input))).toEqual([]);
  });
});

it.each(['fibonacci', 'progressive'])(
  '%s loads what reads and uses secrets only for queues that have some',
  async (name) => {
    const { handler } = await bundleHandler(name, folder);
    const ofSecrets =
      /standardwebhooks|@aws-lambda-powertools\/parameters|@aws-sdk\/client-(secrets-manager|ssm)\//;
    expect(handler.inputs.filter((input) => ofSecrets.test(input))).toEqual([]);
    const later = handler.laterInputs.filter((input) => ofSecrets.test(input));
    for (const part of ['standardwebhooks/', 'parameters/', 'client-secrets-manager/', 'client-ssm/']) {
      expect(
        later.some((input) => input.includes(part)),
        part,
      ).toBe(true);
    }
  },
);

it.each(['fibonacci', 'progressive'])(
  '%s loads the code of a limit only for queues that have it',
  async (name) => {
    const { handler } = await bundleHandler(name, folder);
    const ofLimits = ['breakers', 'pool', 'rate-limit', 'slots'].map(
      (limit) => `src/worker/guards/${limit}.ts`,
    );
    expect(handler.inputs.filter((input) => ofLimits.includes(input))).toEqual([]);
    expect(handler.laterInputs).toEqual(expect.arrayContaining(ofLimits));
  },
);

it('there is no other handler to bundle', () => {
  expect(HANDLERS).toEqual([
    'fibonacci',
    'progressive',
    'recurring',
    'intake',
    'sweep',
    'monitor',
    'record-events',
    'widget',
    'widget-actions',
    'completion-url',
  ]);
});

it('a bundle with a handler of your own holds no part of this package that it does not need', async () => {
  const { outputs } = await metafileOf({ entryPoints: ['functions/index.ts'] });
  const inputs = Object.values(outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? input : [])),
  );
  expect(inputs).toContain('src/record/parse.ts');
  expect(inputs.filter((input) => FOREIGN.test(input) || LARGE_ZOD.test(input))).toEqual([]);
});

it('a handler of your own that traces nothing has no code for it', async () => {
  const inputsOf = async (traces: string) => {
    const contents = `import { backlogHandler, openTelemetry } from './functions/index.ts';
      export const handler = backlogHandler({ process() {}${traces} });`;
    const stdin = { contents, resolveDir: '.', loader: 'ts' } as const;
    const { outputs } = await metafileOf({ stdin, treeShaking: true });
    return Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? input : [])),
    );
  };
  expect(await inputsOf(', tracing: openTelemetry(globalThis.api)')).toContain('functions/open-telemetry.ts');
  expect(await inputsOf('')).not.toContain('functions/open-telemetry.ts');
});

it('a task brings a producer neither the run nor the SDK', async () => {
  const contents =
    "import { defineTask } from './src/index.ts'; export const task = defineTask({ name: 'a', perform() {} });";
  const { outputs } = await metafileOf({
    stdin: { contents, resolveDir: '.', loader: 'ts' },
    treeShaking: true,
  });
  const inputs = Object.values(outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? input : [])),
  );
  expect(inputs).toContain('src/tasks/task.ts');
  const unneeded = inputs.filter((input) =>
    /^src\/(worker|intake|leases|store|client)\/|@aws-sdk|@smithy/.test(input),
  );
  expect(unneeded.sort()).toEqual([
    'src/worker/failures/decision-choices.ts',
    'src/worker/failures/decision-options.ts',
  ]);
});

it('the command line loads what draws, and the client of CloudWatch, only when they are needed', async () => {
  const metafile = await metafileOf({
    entryPoints: ['tools/src/cli/main.ts'],
    packages: 'external',
    splitting: true,
  });
  expect(packagesOf(metafile, 'dynamic-import')).toEqual(
    expect.arrayContaining(['@observablehq/plot', 'linkedom', '@aws-sdk/client-cloudwatch']),
  );
  const atStart = packagesOf(metafile, 'import-statement');
  expect(atStart).toContain('commander');
  for (const late of ['@observablehq/plot', 'linkedom', '@resvg/resvg-wasm', '@aws-sdk/client-cloudwatch']) {
    expect(atStart).not.toContain(late);
  }
});

it('the command line loads the handlers that it plays only when they are played, without the clients of other services', async () => {
  const metafile = await metafileOf({ ...COMMAND_LINE, outdir: 'out' });
  const later = inputsOf(metafile, 'dynamic-import');
  const atStart = inputsOf(metafile, 'import-statement');
  for (const played of ['functions/intake/intake-handler.ts', 'tools/src/lab/keys/play.ts']) {
    expect(later).toContain(played);
    expect(atStart).not.toContain(played);
  }
  expect(later.filter((input) => /client-(lambda|sqs)|powertools|bowser/.test(input))).toEqual([]);
});

it('the command line has in it all that it needs, but the dependencies of its package', async () => {
  const { outputs } = await metafileOf({ ...COMMAND_LINE, outdir: 'out' });
  const imported = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external),
  );
  const packages = imported.map(({ path }) => path).filter((path) => !isBuiltin(path));
  const { dependencies: always, optionalDependencies } = toolsPackage;
  const dependencies = Object.keys({ ...always, ...optionalDependencies });
  expect(packages).toEqual(expect.arrayContaining(['dynalite', 'hono', '@observablehq/plot']));
  const isDependency = (path: string) =>
    dependencies.some((name) => path === name || path.startsWith(`${name}/`));
  expect(packages.filter((path) => !isDependency(path))).toEqual([]);
});

/** The packages that the entry's chunk imports, with the chunks that it imports itself in the same way. */
function packagesOf(metafile: Metafile, kind: ImportKind): string[] {
  return loadedBy(metafile, kind).packages;
}

/** The files whose code is in the entry's chunk, or in one that it imports. */
function inputsOf(metafile: Metafile, kind: ImportKind): string[] {
  return loadedBy(metafile, kind).chunks.flatMap((chunk) =>
    Object.entries(metafile.outputs[chunk]?.inputs ?? {}).flatMap(([input, { bytesInOutput }]) =>
      bytesInOutput > 0 ? input : [],
    ),
  );
}

type ImportKind = 'import-statement' | 'dynamic-import';

/** The entry's chunk and those that it imports, with all packages that they import. */
function loadedBy({ outputs }: Metafile, kind: ImportKind) {
  const seen = new Set<string>();
  const waiting = Object.keys(outputs).filter(
    (file) => outputs[file]?.entryPoint === 'tools/src/cli/main.ts',
  );
  const packages: string[] = [];
  for (let file = waiting.pop(); file; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const imported of outputs[file]?.imports ?? []) {
      if (imported.kind !== 'import-statement' && imported.kind !== kind) continue;
      (imported.external ? packages : waiting).push(imported.path);
    }
  }
  return { packages, chunks: [...seen] };
}
