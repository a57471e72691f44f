import { createProgram } from '../tools/src/cli/program.js';

/** The pages about policies (which one to choose, one by one, and the mathematics), and that about fairness, with its simulation. */
export const PAGES = ['policies', 'policies-reference', 'policies-mathematics', 'fairness'].map(
  (name) => new URL(`../docs/${name}.md`, import.meta.url),
);

export const CONSOLE = /```console\n\$ npx backlog (.*)\n[^`]*```/g;
const PICTURE = /<!-- picture (\S+): (.*) -->/g;

/** One command of a page, and what it shows: the text of a console, or the file of a picture. */
export interface Shown {
  readonly command: string;
  readonly text?: string;
  readonly file?: string;
}

/** Everything that a page shows of commands, in its order. */
export function shownOn(page: string): Shown[] {
  const consoles = [...page.matchAll(CONSOLE)].map(([text, command = '']) => ({ command, text }));
  const pictures = [...page.matchAll(PICTURE)].map(([, file = '', command = '']) => ({ command, file }));
  return [...consoles, ...pictures];
}

export const isSimulation = (command: string) => command.startsWith('simulate ');

/** Runs a command as `npx backlog` would. Only arguments in single quotes hold spaces. */
export async function backlog(command: string): Promise<string> {
  const args = [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
  const out: string[] = [];
  const program = createProgram({ data: (line) => out.push(line), message: () => {} }, () => {});
  await program.parseAsync(['node', 'backlog', ...args]);
  return out.join('\n');
}
