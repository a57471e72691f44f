// Checks that the pages of a built site lead from one to the next, in the order of the sidebar.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseHTML } from 'linkedom';

const linkOf = (page: string | undefined) =>
  page?.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '.html');

/** Pages whose links at the end are not those to the page before and to the page after it in `order`. */
export function pagerComplaints(dist: string, base: string, order: readonly string[]): string[] {
  return order.flatMap((page, i) => {
    const { document } = parseHTML(readFileSync(join(dist, page.replace(/\.md$/, '.html')), 'utf8'));
    return [['prev', order[i - 1]] as const, ['next', order[i + 1]] as const].flatMap(
      ([which, neighbour]) => {
        const link = document.querySelector(`.pager-link.${which}`)?.getAttribute('href') ?? undefined;
        const expected = neighbour === undefined ? undefined : `${base}${linkOf(neighbour)}`;
        return link === expected
          ? []
          : [`${page}: "${which}" leads to ${link ?? 'nothing'}, not to ${expected ?? 'nothing'}`];
      },
    );
  });
}
