import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { painter } from '../../../tools/src/cli/paint.js';
import { showLive } from '../../../tools/src/cli/top/live.js';
import type { Reading } from '../../../tools/src/cli/top/source.js';
import { FakeKeyboard } from '../fake-keyboard.js';
import { VirtualTerminal } from '../virtual-terminal.js';
import { ALL_CONDITIONS, NOW, queueView, readingOf } from './queue-views.js';

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

function live(read: () => Promise<Reading> = async () => readingOf(ALL_CONDITIONS, { readAt: Date.now() })) {
  const terminal = new VirtualTerminal();
  terminal.write('$ npx backlog top');
  const keyboard = new FakeKeyboard();
  const abort = new AbortController();
  const reads = vi.fn(read);
  const source = { where: 'table Records in memory', read: reads, close: () => {} };
  const done = showLive({
    source,
    terminal,
    keyboard,
    paint: painter(true),
    intervalMs: 5_000,
    signal: abort.signal,
  });
  return { terminal, keyboard, abort, reads, done, pass: (ms: number) => vi.advanceTimersByTimeAsync(ms) };
}

describe('backlog top on a terminal', () => {
  it('reads at once and then again and again, and counts the age of the numbers', async () => {
    const { terminal, keyboard, reads, done, pass } = live();
    expect(terminal.text).toContain('Reading the queues');
    expect([terminal.isAlternate, terminal.hasCursor, keyboard.raw]).toEqual([true, false, true]);
    await pass(0);
    expect(terminal.lines[0]).toContain('erp.example.com has failed since 14:13 UTC');
    await pass(3_000);
    expect(terminal.text).toContain('read 3 s ago');
    expect(reads).toHaveBeenCalledTimes(1);
    await pass(2_000);
    expect(reads).toHaveBeenCalledTimes(2);
    keyboard.press('q');
    await done;
    expect(terminal.strange).toEqual([]);
  });

  it.each([
    ['q', 'q'],
    ['Ctrl-C', '\u0003'],
  ])('gives the screen and the cursor back on %s', async (_, key) => {
    const before = process.listenerCount('exit');
    const { terminal, keyboard, done, pass } = live();
    await pass(0);
    keyboard.press(key);
    await done;
    expect([terminal.isAlternate, terminal.hasCursor, keyboard.raw]).toEqual([false, true, false]);
    expect(terminal.text).toBe('$ npx backlog top');
    expect(process.listenerCount('exit')).toBe(before);
    const { length } = terminal.written;
    await pass(10_000);
    expect(terminal.written).toHaveLength(length);
  });

  it('gives them back when it is told to end, also while a request is under way', async () => {
    const { terminal, abort, done, pass } = live(() => new Promise(() => {}));
    await pass(2_000);
    abort.abort();
    await done;
    expect([terminal.isAlternate, terminal.hasCursor]).toEqual([false, true]);
  });

  it('keeps the numbers when the store does not answer, and reads again', async () => {
    let trouble = false;
    const { terminal, keyboard, reads, done, pass } = live(async () => {
      const good = readingOf([queueView('orders', 'waiting', { pending: 12 })]);
      if (!trouble) return good;
      const sentence = { tone: 'dead' as const, title: 'The tables cannot be read: gone', details: [] };
      return { ...good, sentence, error: new Error('gone') };
    });
    await pass(0);
    trouble = true;
    await pass(6_000);
    expect(terminal.lines[0]).toBe('▲ The tables cannot be read: gone');
    expect(terminal.text).toMatch(/orders +○ Waiting +12/);
    expect(terminal.text).toContain('the last counts, read 6 s ago');
    expect(terminal.text).toContain('trying again in 4 s');
    trouble = false;
    await pass(4_000);
    expect(reads).toHaveBeenCalledTimes(3);
    expect(terminal.lines[0]).toBe('○ Whether attempts succeed is not known here: 12 records wait.');
    keyboard.press('q');
    await done;
  });

  it('never reads twice at the same time', async () => {
    const { terminal, keyboard, reads, done, pass } = live(() => new Promise(() => {}));
    keyboard.press('rrr');
    await pass(20_000);
    expect(reads).toHaveBeenCalledTimes(1);
    expect(terminal.text).toContain('no answer for 20 s');
    keyboard.press('q');
    await done;
  });

  it('pauses the refresh, reads when asked, and goes on', async () => {
    const { terminal, keyboard, reads, done, pass } = live();
    await pass(0);
    keyboard.press(' ');
    await pass(60_000);
    expect(reads).toHaveBeenCalledTimes(1);
    expect(terminal.text).toContain('refresh paused');
    keyboard.press('r');
    await pass(60_000);
    expect(reads).toHaveBeenCalledTimes(2);
    keyboard.press(' ');
    await pass(5_000);
    expect(reads).toHaveBeenCalledTimes(4);
    keyboard.press('q');
    await done;
  });

  it('sorts by s and by arrows, and takes no other key for one', async () => {
    const { terminal, keyboard, done, pass } = live();
    await pass(0);
    const order = () => /sort: (.*)/.exec(terminal.text)?.[1];
    keyboard.press('s');
    expect(order()).toBe('most waiting');
    keyboard.press('\u001b[C');
    expect(order()).toBe('most due');
    keyboard.press('\u001bOD\u001b[D\u001b[D');
    expect(order()).toBe('by name');
    // Page up, F5, Alt-q, and letters of no meaning.
    keyboard.press('\u001b[5~\u001b[15~ABCDxyz\u001bq');
    expect(order()).toBe('by name');
    keyboard.press('q');
    await done;
  });

  it('fits the terminal when its size changes', async () => {
    const { terminal, keyboard, done, pass } = live();
    await pass(0);
    terminal.resize(150, 40);
    expect(terminal.text).toContain('7f3a1b2c-9f… until 14:48:00');
    terminal.resize(40, 8);
    expect(terminal.lines.length).toBeLessThanOrEqual(8);
    terminal.resize(80, 24);
    expect(terminal.text).toContain('q quit');
    keyboard.press('q');
    await done;
    expect(terminal.strange).toEqual([]);
  });

  it('writes nothing where nothing has changed', async () => {
    const { terminal, keyboard, done, pass } = live(async () => readingOf([], { readAt: undefined }));
    await pass(0);
    const { length } = terminal.written;
    await pass(4_000);
    expect(terminal.written).toHaveLength(length);
    keyboard.press('q');
    await done;
  });
});
