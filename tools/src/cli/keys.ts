import type { Terminal } from './screen.js';
import type { Keyboard } from './top/live.js';

export interface KeysDeps {
  readonly keyboard: Keyboard;
  readonly terminal: Pick<Terminal, 'write'>;
  /** Real time, milliseconds. */
  readonly now: () => number;
  /** Called with a key: the character, `CTRL_C` or `CTRL_Z`. */
  readonly onKey: (key: string) => void;
}

export const CTRL_C = '\u0003';
export const CTRL_Z = '\u001a';
/** Terminals that know it mark a text that is pasted, also one of a single character. */
const MARK_PASTES = '\u001b[?2004h';
const LEAVE_PASTES = '\u001b[?2004l';
/** Time after a text that is no key in which more text belongs to it: slow lines deliver it in parts. */
const BELONGS_MS = 50;

/**
 * Single keys of a terminal. What is pasted, and the sequences of arrows, functions keys and mice, are no keys: several
 * characters that come at once are ignored, and so are those that follow at once.
 */
export class Keys {
  readonly #deps: KeysDeps;
  #isOpen = false;
  #ignoredUntil = 0;

  constructor(deps: KeysDeps) {
    this.#deps = deps;
  }

  /** Makes the terminal deliver each key, Ctrl-C and Ctrl-Z too. May be called again. */
  open(): void {
    const { keyboard, terminal } = this.#deps;
    keyboard.setRawMode?.(true);
    terminal.write(MARK_PASTES);
    if (this.#isOpen) return;
    this.#isOpen = true;
    keyboard.setEncoding('utf8');
    keyboard.on('data', this.#onData);
    keyboard.resume();
  }

  /** Leaves the terminal as it was before. May be called again. */
  close(): void {
    const { keyboard, terminal } = this.#deps;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    keyboard.off('data', this.#onData);
    keyboard.setRawMode?.(false);
    keyboard.pause();
    terminal.write(LEAVE_PASTES);
  }

  readonly #onData = (text: string): void => {
    const { now, onKey } = this.#deps;
    // Pressed twice in a hurry, too.
    const isInterrupt = text !== '' && text.replaceAll(CTRL_C, '') === '';
    const isKey = text.length === 1 && text !== '\u001b' && now() >= this.#ignoredUntil;
    if (isInterrupt) onKey(CTRL_C);
    else if (isKey) onKey(text);
    else this.#ignoredUntil = now() + BELONGS_MS;
  };
}
