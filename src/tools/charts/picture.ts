import { html, raw } from 'hono/html';
import { FONT, type Panel, WIDTH } from './plot.js';

/** Figures that a picture shows, for those who cannot see it. */
export interface FigureTable {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Picture {
  readonly title: string;
  /** What was fixed: policies, seed, scenario. */
  readonly notes: readonly string[];
  readonly panels: readonly Panel[];
  readonly tables: readonly FigureTable[];
}

const MARGIN = 18;
const TITLE_HEIGHT = 34;
const NOTE_HEIGHT = 17;
const NOTE_CHARS = 140;

/** One SVG: title, panels one below the other, notes. */
export function toSvg({ title, notes, panels }: Picture): string {
  const lines = notes.flatMap((note) => wrapped(note));
  let y = MARGIN + TITLE_HEIGHT;
  const placed = panels.map(({ svg, height }) => {
    const at = `<g transform="translate(0 ${y})">${svg}</g>\n`;
    y += height;
    return raw(at);
  });
  const notesAt = y + 16;
  const height = notesAt + NOTE_HEIGHT * lines.length + MARGIN;
  const svg = html`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="${FONT}" font-size="13">
<title>${title}</title>
<rect width="${WIDTH}" height="${height}" fill="white"/>
<text x="20" y="${MARGIN + 14}" font-size="18" font-weight="bold">${title}</text>
${placed}${lines.map(
  (line, i) => html`<text x="20" y="${notesAt + NOTE_HEIGHT * i}" font-size="12" fill="#444">${line}</text>
`,
)}</svg>
`;
  return String(svg);
}

/** One page that needs no other file: the picture, and its figures as tables. */
export function toHtml(picture: Picture): string {
  const { title, tables } = picture;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
body { font: 15px/1.5 ${raw(FONT)}; margin: 2em auto; max-width: 940px; padding: 0 1em; }
figure { margin: 0; overflow-x: auto; }
table { border-collapse: collapse; margin: 1.5em 0; }
caption { text-align: left; font-weight: bold; overflow-wrap: anywhere; }
th, td { padding: 0.15em 0.8em; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
</style>
</head>
<body>
<figure>
${raw(toSvg(picture))}</figure>
${tables.map(tableHtml)}</body>
</html>
`;
  return String(page);
}

function tableHtml({ caption, head, rows }: FigureTable) {
  return html`<table>
<caption>${caption}</caption>
<thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>
${rows.map(
  (row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
)}</tbody>
</table>
`;
}

function wrapped(note: string): string[] {
  const lines: string[] = [];
  for (let rest = note; rest.length > 0; ) {
    const space = rest.length > NOTE_CHARS ? rest.lastIndexOf(' ', NOTE_CHARS) : rest.length;
    const end = space > NOTE_CHARS / 2 ? space : NOTE_CHARS;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return lines;
}
