/** A piece of HTML in which everything that came from outside is escaped. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | undefined | readonly (Html | undefined)[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Template tag: texts and numbers are escaped, in elements and in quoted attributes; pieces of HTML are not. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const rendered = parts.map((part, i) => `${render(part)}${strings[i + 1] ?? ''}`);
  return new Html(`${strings[0] ?? ''}${rendered.join('')}`);
}

function render(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(render).join('');
  return String(part).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
