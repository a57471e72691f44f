import { html, raw } from 'hono/html';
import { BACKGROUND, FONT, FONT_SIZE, INK, MARGIN, MUTED, type Section, WIDTH } from './plot.js';
import { BOLD, textWidth, wrapped } from './text.js';
import { COLORS, darkened, darkStyle, type Theme } from './theme.js';

/** Figures that a picture shows, for those who cannot see it. */
export interface FigureTable {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Picture {
  readonly title: string;
  /** The choices that were fixed: ids, seed, scenario. */
  readonly notes: readonly string[];
  /** The sections, one below the other. */
  readonly sections: readonly Section[];
  readonly tables: readonly FigureTable[];
}

const TITLE_SIZE = 20;
const LINE_HEIGHT = 1.3;
const SECTION_GAP = 18;
const PANEL_GAP = 6;

/** One SVG: title, sections one below the other, notes. */
export function toSvg({ title, sections, notes }: Picture, theme: Theme = 'auto'): string {
  const page = new Column();
  page.text(title, { size: TITLE_SIZE, color: INK, bold: true });
  for (const { heading, aside, text, panel } of sections) {
    page.skip(SECTION_GAP);
    if (heading !== undefined) page.text(heading, { size: FONT_SIZE, color: INK, bold: true, aside });
    if (text !== undefined) page.text(text, { size: FONT_SIZE, color: MUTED });
    if (panel) {
      page.skip(PANEL_GAP);
      page.add(raw(panel.svg), panel.height);
    }
  }
  if (notes.length > 0) page.skip(SECTION_GAP);
  for (const note of notes) page.text(note, { size: FONT_SIZE, color: MUTED });
  const height = page.bottom + MARGIN;
  const svg = String(
    html`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="${FONT}" color="${INK}">
<title>${title}</title>
<rect width="${WIDTH}" height="${height}" rx="8" fill="${BACKGROUND}"/>
${page.parts}</svg>
`,
  );
  if (theme === 'light') return svg;
  if (theme === 'dark') return darkened(svg);
  return svg.replace('\n', `\n<style>${darkStyle(svg)}</style>\n`);
}

interface TextStyle {
  readonly size: number;
  readonly color: string;
  readonly bold?: boolean;
  readonly aside?: string | undefined;
}

type Html = ReturnType<typeof raw>;

/** The parts of a picture, one below the other. */
class Column {
  bottom = MARGIN;
  readonly parts: Html[] = [];

  skip(height: number): void {
    this.bottom += height;
  }

  add(svg: Html, height: number): void {
    this.parts.push(
      html`<g transform="translate(0 ${this.bottom})">${svg}</g>
` as Html,
    );
    this.bottom += height;
  }

  text(text: string, { size, color, bold = false, aside }: TextStyle): void {
    const width = (WIDTH - 2 * MARGIN) / (bold ? BOLD : 1);
    const gap = 0.6 * size;
    const isBeside = aside !== undefined && textWidth(text, size) + gap + textWidth(aside, size) <= width;
    for (const line of wrapped(text, width, size)) {
      const weight = bold ? raw(' font-weight="bold"') : '';
      const beside = isBeside
        ? html`<tspan dx="${gap}" fill="${MUTED}" font-weight="normal">${aside}</tspan>`
        : '';
      this.parts.push(
        html`<text x="${MARGIN}" y="${this.bottom + size}" font-size="${size}" fill="${color}"${weight}>${line}${beside}</text>
` as Html,
      );
      this.bottom += Math.round(size * LINE_HEIGHT);
    }
    if (aside !== undefined && !isBeside) this.text(aside, { size, color: MUTED });
  }
}

/** One page that needs no other file: the picture, and its figures as tables. */
export function toHtml(picture: Picture, theme: Theme = 'auto'): string {
  const { title, tables } = picture;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
${raw(pageStyle(theme))}
</style>
</head>
<body>
<main>
<h1>${title}</h1>
<figure>
${raw(toSvg(picture, theme))}</figure>
${tables.map(tableHtml)}</main>
</body>
</html>
`;
  return String(page);
}

const PAGE_STYLE = `body { font: 16px/1.5 ${FONT}; margin: 0 auto; max-width: 760px; color: var(--ink); background: var(--background); }
h1 { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; margin: 0; overflow: hidden; white-space: nowrap; }
figure { margin: 0; }
figure > svg { display: block; width: 100%; height: auto; }
.table { margin: 1em 20px 2em; overflow-x: auto; font-size: 14px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: bold; overflow-wrap: anywhere; }
th, td { padding: 0.2em 0 0.2em 1.5em; text-align: right; border-bottom: 1px solid var(--shade); white-space: nowrap; }
th { color: var(--muted); font-weight: normal; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }`;

function pageStyle(theme: Theme): string {
  const colors = (dark: 0 | 1) =>
    (['ink', 'muted', 'shade', 'background'] as const)
      .map((name) => `--${name}: ${COLORS[name][dark]};`)
      .join(' ');
  if (theme !== 'auto') {
    return `:root { color-scheme: ${theme}; ${colors(theme === 'dark' ? 1 : 0)} }\n${PAGE_STYLE}`;
  }
  return `:root { color-scheme: light dark; ${colors(0)} }
@media (prefers-color-scheme: dark) { :root { ${colors(1)} } }
${PAGE_STYLE}`;
}

function tableHtml({ caption, head, rows }: FigureTable) {
  return html`<div class="table" tabindex="0" role="region" aria-label="${caption}">
<table>
<caption>${caption}</caption>
<thead><tr>${head.map((cell) => (cell === '' ? html`<td></td>` : html`<th scope="col">${cell}</th>`))}</tr></thead>
<tbody>
${rows.map(
  (row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
)}</tbody>
</table>
</div>
`;
}
