import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as esbuild from 'esbuild';
import { afterEach, describe, expect, it } from 'vitest';
import { HandlerBundles, type NewCode } from '../../../tools/src/local/reload/handler-bundles.js';
import type { LocalFunction } from '../../../tools/src/local/template/local-app.js';
import { lambda } from './app-under-test.js';

const opened: HandlerBundles[] = [];
afterEach(() => Promise.all(opened.splice(0).map((bundles) => bundles.stop())));

const handlerText = (version: string) =>
  `import { suffix } from './suffix.js'; export const handler = () => '${version}' + suffix;`;

/** An app with so many handlers, whose code was bundled once, as a synthesis does. */
async function world(names = ['Orders']) {
  const cwd = await mkdtemp(join(tmpdir(), 'backlog-handlers-'));
  await writeFile(join(cwd, 'suffix.ts'), "export const suffix = '!';");
  const functions: LocalFunction[] = [];
  for (const name of names) {
    const entry = join(cwd, `${name}.ts`);
    await writeFile(entry, handlerText('v1'));
    const bundle = {
      entryPoints: [entry],
      absWorkingDir: cwd,
      bundle: true,
      format: 'esm',
      minify: true,
    } as const;
    const folder = join(cwd, 'scratch', 'synthesis-1', `asset.${name}`);
    await esbuild.build({ ...bundle, entryPoints: [entry], outfile: join(folder, 'index.mjs') });
    functions.push(lambda(name, { folder, bundle }));
  }
  const live: NewCode[] = [];
  const errors: string[] = [];
  const healed: string[] = [];
  const bundles = new HandlerBundles({
    esbuild,
    scratch: join(cwd, 'scratch'),
    onCode: async (code) => void live.push(code),
    onError: (_name, { text }) => errors.push(text),
    onHealed: ({ functionName }) => healed.push(functionName),
  });
  opened.push(bundles);
  await bundles.follow(functions);
  const save = async (name: string, text: string) => {
    await writeFile(join(cwd, name), text);
    await bundles.rebuild(new Set([join(cwd, name)]));
  };
  const codeOf = async ({ folder }: NewCode) => readFile(join(folder, 'index.mjs'), 'utf8');
  return { cwd, functions, bundles, live, errors, healed, save, codeOf };
}

describe('saved handlers', () => {
  it('are bundled into a new folder each time, with what they import', async () => {
    const { live, save, codeOf, functions } = await world();
    expect(live).toEqual([]);
    await save('Orders.ts', handlerText('v2'));
    await save('suffix.ts', "export const suffix = '?';");
    const [first, second, ...others] = live;
    if (!first || !second) throw new Error('nothing was bundled');
    expect(others).toEqual([]);
    expect(first.functionName).toBe('Orders');
    expect(await codeOf(first)).toMatch(/v2.*!|!.*v2/);
    expect(await codeOf(second)).toMatch(/v2.*\?|\?.*v2/);
    expect(new Set([first.folder, second.folder, functions[0]?.folder]).size).toBe(3);
  });

  it('have source maps that find their sources from the new folder', async () => {
    const { cwd, functions, bundles, live, save } = await world();
    const [lambda] = functions;
    if (!lambda?.bundle) throw new Error('no handler');
    await bundles.follow([{ ...lambda, bundle: { ...lambda.bundle, sourcemap: true } }]);
    await save('Orders.ts', handlerText('v2'));
    const folder = live.at(-1)?.folder ?? '';
    const map = JSON.parse(await readFile(join(folder, 'index.mjs.map'), 'utf8')) as { sources: string[] };
    expect(map.sources.map((source) => resolve(folder, source))).toContain(join(cwd, 'Orders.ts'));
  });

  it('without another output are no news', async () => {
    const { live, save } = await world();
    await save('Orders.ts', `${handlerText('v1')}\n// a remark\n`);
    expect(live).toEqual([]);
  });

  it('that were saved before the first look are found', async () => {
    const { cwd, functions, bundles, live } = await world();
    await bundles.follow([]);
    await writeFile(join(cwd, 'Orders.ts'), handlerText('v2'));
    await bundles.follow(functions);
    expect(live).toHaveLength(1);
  });

  it('with an error say where it is, and heal with whatever is saved next', async () => {
    const { cwd, live, errors, healed, save, bundles } = await world();
    await save('Orders.ts', 'export const handler = (\n  => 1;');
    expect(errors).toEqual([`${join(cwd, 'Orders.ts')}:2:3: Unexpected "=>"`]);
    // What is saved beside it repeats no error.
    await bundles.rebuild(new Set(['/elsewhere/other.ts']));
    expect(errors).toHaveLength(1);
    await writeFile(join(cwd, 'Orders.ts'), handlerText('v1'));
    await bundles.rebuild(new Set(['/elsewhere/other.ts']));
    expect([live, healed]).toEqual([[], ['Orders']]);
    await save('Orders.ts', handlerText('v2'));
    expect(live).toHaveLength(1);
  });

  it('that an editor has emptied, or that are gone, do not replace what runs', async () => {
    const { cwd, live, errors, bundles, save } = await world();
    await save('Orders.ts', '');
    expect(errors).toEqual([`${join(cwd, 'Orders.ts')}: expected a file that exports "handler"`]);
    await rm(join(cwd, 'Orders.ts'));
    await bundles.rebuild(new Set([join(cwd, 'Orders.ts')]));
    expect(errors[1]).toMatch(/Could not resolve/);
    expect(live).toEqual([]);
    await save('Orders.ts', handlerText('v2'));
    expect(live).toHaveLength(1);
  });

  it('that import a file which is not there yet are bundled when it comes', async () => {
    const { live, errors, save } = await world();
    await save('Orders.ts', "import { n } from './n.js'; export const handler = () => n;");
    expect(errors).toHaveLength(1);
    await save('n.ts', 'export const n = 1;');
    expect(live).toHaveLength(1);
  });

  it('are bundled alone, and all that share a file together, of seven too', async () => {
    const names = Array.from({ length: 7 }, (_, i) => `Handler${i}`);
    const { live, save } = await world(names);
    await save('Handler3.ts', handlerText('v2'));
    expect(live.map(({ functionName }) => functionName)).toEqual(['Handler3']);
    await save('suffix.ts', "export const suffix = '?';");
    expect(
      live
        .slice(1)
        .map(({ functionName }) => functionName)
        .sort(),
    ).toEqual(names);
  });

  it('follow another tsconfig', async () => {
    const { cwd, live, save } = await world();
    await mkdir(join(cwd, 'other'));
    await writeFile(join(cwd, 'other', 'suffix.ts'), "export const suffix = '?';");
    await save('Orders.ts', handlerText('v1').replace('./suffix.js', '#suffix'));
    const paths = { '#suffix': ['./other/suffix.ts'] };
    await save('tsconfig.json', JSON.stringify({ compilerOptions: { paths } }));
    expect(live).toHaveLength(1);
    const moved = { '#suffix': ['./suffix.ts'] };
    await save('tsconfig.json', JSON.stringify({ compilerOptions: { paths: moved } }));
    expect(live).toHaveLength(2);
  });
});
