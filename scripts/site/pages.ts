// Copies what the documentation site shows into docs/site/pages, and turns links between files of the repository into
// links between pages of the site. The files stay as GitHub shows them: they are the single source.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, posix } from 'node:path';

/** Pages that the site has in another place than the repository. `README.md` is replaced by the home page. */
const MOVED: Readonly<Record<string, string>> = {
  'README.md': 'index.md',
  'docs/README.md': 'documentation.md',
  'docs/tutorials/README.md': 'tutorials/index.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
};
const HOME = 'docs/site/index.md';
/** Pages that would hide the others in the results of a search. */
const NOT_SEARCHED = new Set(['CHANGELOG.md', 'CONTRIBUTING.md']);
const LANGUAGES: Readonly<Record<string, string>> = {
  '.ts': 'ts',
  '.mjs': 'js',
  '.py': 'python',
  '.json': 'json',
  '.txt': 'text',
  Dockerfile: 'docker',
};

/** A fence with all that is in it, inline code, or a link: only links are replaced. */
const LINK =
  /^(?<fence> *```+)[\s\S]*?^\k<fence> *$|(?<ticks>`+)[^`][\s\S]*?\k<ticks>|(?<open>\]\()(?<markdown>[^)\s]+)(?=\))|(?<attribute>\b(?:src|srcset|href)=")(?<html>[^"]+)(?=")/gm;
const PICTURE =
  /<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="(.*?)">\s*<img src="(.*?)"(.*?)>\s*<\/picture>/gs;

/** Fills docs/site/pages, and returns the pages that were copied, by their place in the site. */
export function copyPages(root: string, api: string): readonly string[] {
  const pages = join(root, 'docs/site/pages');
  rmSync(pages, { recursive: true, force: true });
  const site = new Site(root, pages);
  for (const file of sourcesOf(root)) site.addPage(file);
  site.addHome();
  for (const folder of ['images', 'policies'])
    cpSync(join(root, 'docs', folder), join(pages, folder), { recursive: true });
  copyApi(api, join(pages, 'api'));
  return site.added;
}

function sourcesOf(root: string): string[] {
  const below = (folder: string) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`);
  const examples = readdirSync(join(root, 'examples')).map((name) => `examples/${name}/README.md`);
  return [
    ...below('docs'),
    ...(existsSync(join(root, 'docs/tutorials')) ? below('docs/tutorials') : []),
    ...examples.filter((file) => existsSync(join(root, file))),
    ...['CHANGELOG.md', 'CONTRIBUTING.md'],
  ];
}

/** The place in the site of a page of the repository. */
function placeOf(file: string): string {
  const example = /^examples\/([\w-]+)\/README\.md$/.exec(file)?.[1];
  if (example !== undefined) return `examples/${example}.md`;
  return MOVED[file] ?? file.replace(/^docs\//, '');
}

class Site {
  readonly added: string[] = [];
  readonly #sources = new Set<string>();

  constructor(
    private readonly root: string,
    private readonly pages: string,
  ) {}

  addPage(file: string): void {
    const text = readFileSync(join(this.root, file), 'utf8');
    const head = NOT_SEARCHED.has(file) ? '---\nsearch: false\n---\n\n' : '';
    this.#write(placeOf(file), head + this.#withLinks(text, file));
  }

  addHome(): void {
    this.#write('index.md', this.#withLinks(readFileSync(join(this.root, HOME), 'utf8'), 'README.md'));
  }

  #write(place: string, text: string): void {
    mkdirSync(dirname(join(this.pages, place)), { recursive: true });
    writeFileSync(join(this.pages, place), text.replace(PICTURE, bothPictures));
    this.added.push(place);
  }

  #withLinks(text: string, file: string): string {
    return text.replace(LINK, (whole: string, ...rest: unknown[]) => {
      const { open, markdown, attribute, html } = rest.at(-1) as Record<string, string | undefined>;
      const link = markdown ?? html;
      return link === undefined ? whole : `${open ?? attribute}${this.#inSite(link, file)}`;
    });
  }

  /** The link as it is on the page's place in the site. */
  #inSite(link: string, file: string): string {
    if (/^(?:[a-z]+:|#|\/)/.test(link)) return link;
    const [path = '', anchor] = link.split('#');
    const target = posix.join(posix.dirname(file), path);
    if (!existsSync(join(this.root, target))) throw new Error(`${file} links to ${link}, which is not there`);
    const place = target.endsWith('.md') ? placeOf(target) : this.#place(target);
    const relative = posix.relative(posix.dirname(placeOf(file)), place);
    return `./${relative}${anchor === undefined ? '' : `#${anchor}`}`;
  }

  /** Pictures are copied with their folders; a file of code gets a page that shows it. */
  #place(target: string): string {
    if (/\.(?:svg|png)$/.test(target)) return target.replace(/^docs\//, '');
    const language = LANGUAGES[extname(target) || posix.basename(target)];
    if (language === undefined)
      throw new Error(`the site has no page for ${target}: link to a page or a file of code`);
    const place = `${target}.md`;
    if (!this.#sources.has(place)) {
      this.#sources.add(place);
      const code = readFileSync(join(this.root, target), 'utf8').trimEnd();
      this.#write(
        place,
        `---\nsearch: false\n---\n\n# \`${target}\`\n\n\`\`\`\`${language}\n${code}\n\`\`\`\`\n`,
      );
    }
    return place;
  }
}

function bothPictures(_: string, dark: string, light: string, attributes: string): string {
  const image = (src: string, theme: string) => `<img class="only-${theme}" src="${src}"${attributes}>`;
  return `<p>${image(light, 'light')}${image(dark, 'dark')}</p>`;
}

/** The pages of TypeDoc: each `README.md` is the index of its folder. */
function copyApi(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  for (const name of readdirSync(to, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.md')) continue;
    const file = join(to, name);
    const text = readFileSync(file, 'utf8').replaceAll('README.md', 'index.md');
    const title = name === 'README.md' ? text.replace(/^# .*$/m, '# API') : text;
    if (name.endsWith('README.md')) rmSync(file);
    // Without the outline at its side there is room for the tables.
    const head = /^\| Property /m.test(title) ? '---\naside: false\n---\n\n' : '';
    writeFileSync(file.replace(/README\.md$/, 'index.md'), head + title);
  }
}
