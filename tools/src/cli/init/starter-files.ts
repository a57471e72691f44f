import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { appName } from './app-name.js';

export interface StarterApp {
  readonly name: string;
  /** The contents by path, with `/` between folders. */
  readonly files: ReadonlyMap<string, string>;
}

/** Sources of our packages for a new app: versions, tarballs, or what else npm takes. */
export type OwnPackages = Readonly<Record<'dynamo-backlog' | 'dynamo-backlog-tools', string>>;

interface PackageJson {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** npm leaves `.gitignore` out of a package, and takes a `package.json` for that of a package. */
const RENAMED: Readonly<Record<string, string>> = {
  _gitignore: '.gitignore',
  '_package.json': 'package.json',
};
/** The template as it was built: `examples/starter` with the versions of other packages. */
const TEMPLATE = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../dist/starter' : './starter', import.meta.url),
);
/** The template's own name, which the app's name replaces. */
const NAME = /\bstarter\b/g;
/** Names that running the template in place leaves there. They are not copied. */
const LEFT_BEHIND = /^(node_modules|cdk\.out|\.backlog)$/;

/**
 * The app in `examples/starter`, as it is for a folder.
 *
 * @param from where the app gets the library and the tools from
 */
export async function starterApp(folder: string, from: OwnPackages): Promise<StarterApp> {
  const template = await contentsOf(TEMPLATE);
  const { dependencies, devDependencies } = JSON.parse(template.get('package.json') ?? '') as PackageJson;
  const name = appName(folder, Object.keys({ ...dependencies, ...devDependencies }));
  const files = [...template].map(([path, text]) => [path, text.replace(NAME, name)] as const);
  const app = new Map(files);
  app.set('package.json', withVersions(app.get('package.json') ?? '', from));
  return { name, files: app };
}

/** The template names our packages with the version `*`. */
function withVersions(text: string, versions: Readonly<Record<string, string>>): string {
  return text.replace(/"([^"]+)": "\*"/g, (_, name: string) => {
    const version = versions[name];
    if (version === undefined) throw new Error(`examples/starter: no version of ${name}`);
    return `${JSON.stringify(name)}: ${JSON.stringify(version)}`;
  });
}

async function contentsOf(folder: string, prefix = ''): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.filter(({ name }) => !LEFT_BEHIND.test(name))) {
    const path = `${prefix}${RENAMED[entry.name] ?? entry.name}`;
    const from = join(folder, entry.name);
    const added = entry.isDirectory()
      ? await contentsOf(from, `${path}/`)
      : [[path, await readFile(from, 'utf8')] as const];
    for (const [name, text] of added) contents.set(name, text);
  }
  return contents;
}
