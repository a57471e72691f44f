import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const INSTALL = fileURLToPath(new URL('../../../functions/stacks/install.ts', import.meta.url));

/** A project of these files in a new folder, with `main.ts` bundled as an `entry` is. */
export async function bundleProject(files: Readonly<Record<string, string>>) {
  const root = await mkdtemp(join(tmpdir(), 'backlog-stacks-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  const file = join(root, 'out', 'asset', 'index.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['main.ts'],
    outfile: file,
    bundle: true,
    minify: true,
    keepNames: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    inject: [INSTALL],
    logLevel: 'error',
  });
  return { root, file, map: `${file}.map` };
}

/** The sources of a bundle in which one function throws. */
export const THROWING = {
  'main.ts': `import { send } from './lib/send.js';

export const attempt = (id: string): string => {
  const text: string = id.trim();
  try {
    return send(text);
  } catch (error) {
    return String((error as Error).stack);
  }
};
console.log(attempt('a'));
`,
  'lib/send.ts': `interface Order {
  readonly id: string;
}

export function send(id: string): string {
  const order: Order = { id };
  throw new TypeError('cannot send ' + order.id);
}
`,
};
