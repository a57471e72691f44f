import { describe, expect, it } from 'vitest';
import { CTRL_C, CTRL_Z, Keys } from '../../tools/src/cli/keys.js';
import { FakeKeyboard } from './fake-keyboard.js';

function world() {
  const keyboard = new FakeKeyboard();
  const pressed: string[] = [];
  const time = { now: 1_000 };
  let written = '';
  const terminal = {
    write: (text: string) => {
      written += text;
    },
  };
  const keys = new Keys({ keyboard, terminal, now: () => time.now, onKey: (key) => pressed.push(key) });
  keys.open();
  return {
    keyboard,
    keys,
    pressed,
    time,
    written: () => written,
    type: (text: string) => keyboard.press(text),
  };
}

describe('keys', () => {
  it('are single characters, Ctrl-C and Ctrl-Z', () => {
    const { type, pressed } = world();
    for (const key of ['r', '+', CTRL_Z, CTRL_C]) type(key);
    expect(pressed).toEqual(['r', '+', CTRL_Z, CTRL_C]);
  });

  it.each([
    ['a pasted text', 'quit'],
    ['a paste that the terminal marks', '\u001b[200~q\u001b[201~'],
    ['an arrow', '\u001b[A'],
    ['a key of the keypad', '\u001bOq'],
    ['a click of a mouse', '\u001b[M !!'],
    ['Escape', '\u001b'],
    ['a letter of two characters', '😀'],
  ])('are not %s, nor what comes at once after it', (_, text) => {
    const { type, pressed, time } = world();
    type(text);
    time.now += 20;
    type('q');
    expect(pressed).toEqual([]);
    // Each part puts the end off.
    time.now += 40;
    type('q');
    expect(pressed).toEqual([]);
    time.now += 60;
    type('q');
    expect(pressed).toEqual(['q']);
  });

  it('always have Ctrl-C, also twice at once', () => {
    const { type, pressed } = world();
    type('pasted');
    type(CTRL_C + CTRL_C);
    expect(pressed).toEqual([CTRL_C]);
  });

  it('give the terminal back as it was, and take it again', () => {
    const { keys, keyboard, type, pressed, written } = world();
    expect(keyboard).toMatchObject({ raw: true, flowing: true });
    keys.close();
    keys.close();
    expect(keyboard).toMatchObject({ raw: false, flowing: false });
    expect(written()).toBe('\u001b[?2004h\u001b[?2004l');
    type('q');
    keys.open();
    expect(keyboard).toMatchObject({ raw: true, flowing: true });
    type('r');
    expect(pressed).toEqual(['r']);
  });
});
