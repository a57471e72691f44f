// Checks a built site as a browser would read it: links, anchors, requests to other hosts, and paths of this machine.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseHTML } from 'linkedom';

/** Elements by which a page loads something; `a` is followed by a reader only. */
const LOADED = 'script[src], link[href], img[src], source[srcset], iframe[src], video[src]';
const HOST = /^(?:https?:)?\/\//;

export interface Checked {
  readonly complaints: readonly string[];
  readonly pages: number;
  readonly links: number;
}
interface Page {
  readonly ids: ReadonlySet<string>;
  readonly doubled: ReadonlySet<string>;
  readonly links: readonly string[];
  readonly loaded: readonly string[];
}
interface Built {
  readonly folder: string;
  readonly base: string;
  readonly pages: ReadonlyMap<string, Page>;
}

/** Complaints about the site in `folder`, built for `base`: an empty list if all is well. `machinePaths` must not be in any file. */
export function complaintsOf(folder: string, base: string, machinePaths: readonly string[]): Checked {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => statSync(join(folder, name)).isFile());
  const pages = new Map(
    files
      .filter((name) => name.endsWith('.html'))
      .map((name) => [name, readPage(join(folder, name))] as const),
  );
  /** The files of each fault: a bad link of the sidebar is in all of them. */
  const found = new Map<string, string[]>();
  const complain = (what: string, name: string) => found.set(what, [...(found.get(what) ?? []), name]);
  for (const [name, page] of pages) {
    for (const link of page.links) {
      const reason = whatIsWrong(link, name, { folder, base, pages });
      if (reason !== undefined) complain(`${link} ${reason}`, name);
    }
    for (const url of page.loaded.filter((one) => HOST.test(one)))
      complain(`${url} is loaded from elsewhere`, name);
    for (const id of page.doubled) complain(`the id "${id}" is there twice`, name);
  }
  for (const name of files.filter((one) => /\.(?:html|js|css|json|svg)$/.test(one))) {
    const text = readFileSync(join(folder, name), 'utf8');
    for (const path of machinePaths.filter((one) => text.includes(one)))
      complain(`${path} is a path of this machine`, name);
    if (name.endsWith('.css') && /(?:@import|url\()\s*["']?(?:https?:)?\/\//.test(text))
      complain('another host is loaded from', name);
  }
  const complaints = [...found].map(([what, [first, ...more]]) =>
    more.length === 0 ? `${first}: ${what}` : `${first} and ${more.length} more: ${what}`,
  );
  return {
    complaints,
    pages: pages.size,
    links: [...pages.values()].reduce((n, { links }) => n + links.length, 0),
  };
}

function readPage(file: string): Page {
  const { document } = parseHTML(readFileSync(file, 'utf8'));
  const of = (selector: string) => [...document.querySelectorAll(selector)];
  const ids = of('[id]').map((element) => element.id);
  return {
    ids: new Set(ids),
    doubled: new Set(ids.filter((id, i) => ids.indexOf(id) !== i)),
    links: of('a[href]').map((element) => element.getAttribute('href') ?? ''),
    loaded: of(LOADED).flatMap((element) =>
      ['src', 'srcset', 'href'].flatMap((name) => element.getAttribute(name) ?? []),
    ),
  };
}

function whatIsWrong(link: string, from: string, { folder, base, pages }: Built): string | undefined {
  if (/^(?:https?|mailto):/.test(link)) return undefined;
  const [path = '', anchor = ''] = link.split('#');
  const target = path === '' ? from : fileOf(path, from, base);
  if (target === undefined) return `is outside of the site, which is at ${base}`;
  const page = pages.get(target);
  if (page === undefined) return existsSync(join(folder, target)) ? undefined : 'leads to no page';
  if (anchor !== '' && !page.ids.has(decodeURIComponent(anchor))) return 'leads to no heading of that page';
  return undefined;
}

/** The file that a web server answers with; without a rule of its own for it, `x` is not `x.html`. */
function fileOf(path: string, from: string, base: string): string | undefined {
  const url = new URL(path, `http://site${base}${from}`).pathname;
  if (!url.startsWith(base)) return undefined;
  const name = decodeURIComponent(url.slice(base.length));
  return name === '' || name.endsWith('/') ? posix.join(name, 'index.html') : name;
}
