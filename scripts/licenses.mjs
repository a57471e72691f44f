import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The license texts that must be passed on with packages, each below the packages that it is the license of. */
export async function licensesOf(files, root) {
  const folders = new Set(
    files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  );
  const namesOf = new Map();
  for (const folder of [...folders].sort()) {
    const { name, text } = await licenseOf(join(root, folder));
    namesOf.set(text, new Set([...(namesOf.get(text) ?? []), name]));
  }
  const parts = [...namesOf].map(([text, names]) => `${[...names].join('\n')}\n\n${text}`);
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  return ['The bundles in this folder contain parts of these packages:', ...parts].join(rule);
}

async function licenseOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((entry) => /^licen[sc]e/i.test(entry));
  const text = file === undefined ? `License: ${license}` : await readFile(join(folder, file), 'utf8');
  return { name: `${name} ${version}`, text: text.trim() };
}
