/** The parts of a terminal that the live view needs. */
export interface Terminal {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string): unknown;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

const ESC = '\u001b[';
const HIDE_CURSOR = `${ESC}?25l`;
const SHOW_CURSOR = `${ESC}?25h`;
const CLEAR_TO_LINE_END = `${ESC}K`;
const CLEAR_TO_SCREEN_END = `${ESC}J`;
const HOME = `${ESC}H`;
const CLEAR_SCREEN = `${ESC}2J${HOME}`;
/** A screen of its own: what was there before comes back at the end. */
const ENTER_ALTERNATE = `${ESC}?1049h`;
const LEAVE_ALTERNATE = `${ESC}?1049l`;
/** Drawn as one picture by terminals that know it; ignored by the others. */
const BEGIN_UPDATE = `${ESC}?2026h`;
const END_UPDATE = `${ESC}?2026l`;

/** Redraws some lines in place, without flicker, and leaves the last picture standing. */
export class Screen {
  readonly #terminal: Terminal;
  #drawn = 0;
  #picture = '';
  readonly #onResize = () => {
    // Lines have been wrapped again: where the picture began is not known any more.
    this.#terminal.write(CLEAR_SCREEN);
    this.#forget();
  };

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    terminal.write(HIDE_CURSOR);
    terminal.on('resize', this.#onResize);
  }

  get size(): { columns: number; rows: number } {
    return { columns: this.#terminal.columns || 80, rows: this.#terminal.rows || 24 };
  }

  /** The same picture again writes nothing. */
  draw(lines: readonly string[]): void {
    const home = this.#drawn > 0 ? `${ESC}${this.#drawn}A\r` : '\r';
    const picture = lines.map((line) => `${line}${CLEAR_TO_LINE_END}\r\n`).join('');
    if (picture === this.#picture) return;
    this.#picture = picture;
    this.#terminal.write(`${BEGIN_UPDATE}${home}${picture}${CLEAR_TO_SCREEN_END}${END_UPDATE}`);
    this.#drawn = lines.length;
  }

  /** The process is about to be suspended: the shell has the terminal then. */
  leave(): void {
    this.#terminal.write(SHOW_CURSOR);
  }

  /** Draws a new picture below what the shell has written. */
  enter(): void {
    this.#terminal.write(HIDE_CURSOR);
    this.#forget();
  }

  /** Takes the picture away. */
  erase(): void {
    if (this.#drawn > 0) this.#terminal.write(`${ESC}${this.#drawn}A\r${CLEAR_TO_SCREEN_END}`);
    this.#forget();
  }

  close(): void {
    this.#terminal.off('resize', this.#onResize);
    this.#terminal.write(SHOW_CURSOR);
  }

  #forget(): void {
    this.#drawn = 0;
    this.#picture = '';
  }
}

/** The whole terminal, on a screen of its own. */
export class FullScreen {
  readonly #terminal: Terminal;
  readonly #onResize: () => void;
  #drawn = '';
  #isOpen = true;

  /** @param redraw called when the terminal has another size */
  constructor(terminal: Terminal, redraw: () => void) {
    this.#terminal = terminal;
    this.#onResize = () => {
      terminal.write(CLEAR_SCREEN);
      this.#drawn = '';
      redraw();
    };
    terminal.write(`${ENTER_ALTERNATE}${HIDE_CURSOR}${CLEAR_SCREEN}`);
    terminal.on('resize', this.#onResize);
  }

  get size(): { columns: number; rows: number } {
    return { columns: this.#terminal.columns || 80, rows: this.#terminal.rows || 24 };
  }

  /** Lines that fit. The same picture again writes nothing. */
  draw(lines: readonly string[]): void {
    const picture = lines.map((line) => `${line}${CLEAR_TO_LINE_END}`).join('\r\n');
    if (!this.#isOpen || picture === this.#drawn) return;
    this.#drawn = picture;
    this.#terminal.write(`${BEGIN_UPDATE}${HOME}${picture}${CLEAR_TO_SCREEN_END}${END_UPDATE}`);
  }

  /** May be called again. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#terminal.off('resize', this.#onResize);
    this.#terminal.write(`${SHOW_CURSOR}${LEAVE_ALTERNATE}`);
  }
}
