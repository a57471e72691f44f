import { type BuildOptions, build, type Metafile } from 'esbuild';
import { expect, test } from 'vitest';

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

/** What only the command line, the lab and the local runtime need. */
const FOREIGN =
  /^(src\/(lab|charts|cli|local)|node_modules\/(commander|@observablehq|d3|linkedom|@resvg|cli-table3|cli-progress|dynalite|hono|aws-cdk-lib))\b/;

test.each(['fibonacci', 'progressive', 'intake', 'index'])(
  'a bundle with functions/%s holds nothing that only the lab or the command line needs',
  async (entry) => {
    const metafile = await metafileOf({ entryPoints: [`functions/${entry}.ts`] });
    const inputs = Object.keys(metafile.inputs);
    expect(inputs).toContain('src/record/parse.ts');
    expect(inputs.filter((input) => FOREIGN.test(input))).toEqual([]);
  },
);

test('the command line loads what draws only when something is drawn', async () => {
  const metafile = await metafileOf({
    entryPoints: ['src/cli/main.ts'],
    packages: 'external',
    splitting: true,
  });
  expect(packagesOf(metafile, 'dynamic-import')).toEqual(
    expect.arrayContaining(['@observablehq/plot', 'linkedom']),
  );
  const atStart = packagesOf(metafile, 'import-statement');
  expect(atStart).toContain('commander');
  for (const drawing of ['@observablehq/plot', 'linkedom', '@resvg/resvg-wasm']) {
    expect(atStart).not.toContain(drawing);
  }
});

/** The packages that the entry's chunk imports, with the chunks that it imports itself in the same way. */
function packagesOf({ outputs }: Metafile, kind: 'import-statement' | 'dynamic-import'): string[] {
  const seen = new Set<string>();
  const waiting = Object.keys(outputs).filter((file) => outputs[file]?.entryPoint === 'src/cli/main.ts');
  const packages: string[] = [];
  for (let file = waiting.pop(); file; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const imported of outputs[file]?.imports ?? []) {
      if (imported.external) packages.push(imported.path);
      else if (imported.kind === 'import-statement' || imported.kind === kind) waiting.push(imported.path);
    }
  }
  return packages;
}
