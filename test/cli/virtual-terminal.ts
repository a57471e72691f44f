import { EventEmitter } from 'node:events';

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal reads control characters
const TOKEN = /\u001b\[([?0-9;]*)([A-Za-z])|([\u0000-\u001f\u007f-\u009f])|(.)/gsu;

/** A terminal of so many columns and rows: what it shows after all that was written to it. */
export class VirtualTerminal extends EventEmitter {
  readonly isTTY = true;
  /** The text as it came. */
  written = '';
  hasCursor = true;
  marksPastes = false;
  isAlternate = false;
  /** Control characters and sequences that no picture should have. */
  readonly strange: string[] = [];
  #main: string[][] = [];
  #cells: string[][] = [];
  #row = 0;
  #column = 0;

  constructor(
    public columns = 80,
    public rows = 24,
  ) {
    super();
  }

  write(text: string): boolean {
    this.written += text;
    for (const [whole, parameters = '', command, control, char] of text.matchAll(TOKEN)) {
      if (command !== undefined) this.#sequence(parameters, command);
      else if (control === '\r') this.#column = 0;
      else if (control === '\n') this.#row += 1;
      else if (control !== undefined) this.strange.push(whole);
      else this.#put(char ?? '');
    }
    return true;
  }

  /** The lines without spaces at their ends, and without empty lines at the end. */
  get lines(): string[] {
    const all = Array.from(this.#cells, (cells) =>
      Array.from(cells ?? [], (cell) => cell ?? ' ')
        .join('')
        .trimEnd(),
    );
    while (all.at(-1) === '') all.pop();
    return all;
  }

  get text(): string {
    return this.lines.join('\n');
  }

  /** Changes the size, as when the user drags the corner of the window. */
  resize(columns: number, rows: number): void {
    Object.assign(this, { columns, rows });
    this.emit('resize');
  }

  #put(char: string): void {
    // A line that is too long goes on in the next one, and a screen that is too low moves up.
    if (this.#column >= this.columns) this.strange.push(`too long: ${this.lines[this.#row] ?? ''}`);
    if (this.#row >= this.rows) this.strange.push(`too low: row ${this.#row + 1}`);
    this.#cells[this.#row] ??= [];
    const row = this.#cells[this.#row] as string[];
    row[this.#column] = char;
    this.#column += 1;
  }

  #sequence(parameters: string, command: string): void {
    if (command === 'm') return;
    if (command === 'A') this.#row = Math.max(0, this.#row - Number(parameters || 1));
    else if (command === 'H') {
      this.#row = 0;
      this.#column = 0;
    } else if (command === 'K') {
      this.#cells[this.#row]?.splice(this.#column);
    } else if (command === 'J') {
      if (parameters === '2') this.#cells = [];
      else {
        this.#cells[this.#row]?.splice(this.#column);
        this.#cells.splice(this.#row + 1);
      }
    } else if (parameters === '?25') this.hasCursor = command === 'h';
    else if (parameters === '?1049') {
      this.isAlternate = command === 'h';
      if (this.isAlternate) this.#main = this.#cells;
      this.#cells = this.isAlternate ? [] : this.#main;
    } else if (parameters === '?2004') this.marksPastes = command === 'h';
    else if (parameters !== '?2026') this.strange.push(`${parameters}${command}`);
  }
}
