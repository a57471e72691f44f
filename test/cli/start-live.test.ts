import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { painter } from '../../tools/src/cli/paint.js';
import { StartLive } from '../../tools/src/cli/start-live.js';
import { statusAtStart } from '../../tools/src/cli/start-status.js';
import type { RuntimeActions } from '../../tools/src/local/status/runtime-actions.js';
import { FakeKeyboard } from './fake-keyboard.js';
import { status } from './runtime-status.js';
import { VirtualTerminal } from './virtual-terminal.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function world({ rows = 30, hasKeyboard = true } = {}) {
  const terminal = new VirtualTerminal(80, rows);
  const keyboard = new FakeKeyboard();
  const reported: string[] = [];
  const live = new StartLive({
    terminal,
    keyboard: hasKeyboard ? keyboard : undefined,
    paint: painter(true),
    status: statusAtStart({ sample: true, speed: 60 }),
    onStop: () => reported.push('stop'),
    suspend: () => reported.push('suspend'),
  });
  const pressed: string[] = [];
  const act =
    (name: string) =>
    async (...args: unknown[]) => {
      pressed.push(args.length > 1 ? `${name} ${args[0]}` : name);
      (args.at(-1) as (text: string) => void)(`${name} is done`);
    };
  const actions = {
    runNow: act('run'),
    nextTick: act('tick'),
    outage: act('outage'),
    pause: act('pause'),
    changeSpeed: act('speed'),
  } as unknown as RuntimeActions;
  const ready = () => {
    live.ready(() => status, actions);
  };
  return { terminal, keyboard, live, reported, pressed, ready };
}

describe('the screen of backlog start', () => {
  it('shows at once what is known, and puts the rest where it belongs: nothing jumps', () => {
    const { terminal, live, ready } = world();
    live.step('synthesizing the CDK app');
    const before = terminal.lines;
    expect(before[0]).toMatch(/^dynamo-backlog +starting/);
    expect(before).toContain('synthesizing the CDK app …');
    ready();
    const after = terminal.lines;
    expect(after).toHaveLength(before.length);
    // What the start was at gives its line to the first queue, and below that nothing was shown.
    const isSame = (line: string, i: number) => line.slice(0, 7) === after[i]?.slice(0, 7);
    const moved = before.filter((line, i) => line !== '' && !isSame(line, i));
    expect(moved).toEqual(['synthesizing the CDK app …']);
    expect(terminal.text).toMatch(/^default +fibonacci +1 +2 +30 +4 +in 30 s$/m);
    expect(terminal.strange).toEqual([]);
  });

  it('does what its keys say, and shows at once what came of it', async () => {
    const { terminal, keyboard, ready, pressed } = world();
    ready();
    for (const key of ['r', 't', 'o', 'p', '+', '=', '-', 'x', 'R']) keyboard.press(key);
    expect(pressed).toEqual([
      'run',
      'tick',
      'outage',
      'pause',
      'speed faster',
      'speed faster',
      'speed slower',
    ]);
    expect(terminal.lines).toContain('› speed is done');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(terminal.text).not.toContain('›');
  });

  it('takes q and Ctrl-C at any time, the others once the runtime is there', () => {
    const { terminal, keyboard, ready, reported, pressed } = world();
    keyboard.press('p');
    expect(terminal.lines).toContain('› not yet: the runtime is starting');
    keyboard.press('q');
    ready();
    keyboard.press('\u0003');
    keyboard.press('\u001a');
    keyboard.press('qqq');
    expect(reported).toEqual(['stop', 'stop', 'suspend']);
    expect(pressed).toEqual([]);
  });

  it('lists the keys in place of the runs', () => {
    const { terminal, keyboard, ready } = world();
    ready();
    const { length } = terminal.lines;
    keyboard.press('h');
    expect(terminal.text).toMatch(/^r +runs all rules/m);
    expect(terminal.text).not.toContain('RUNS that');
    expect(terminal.lines).toHaveLength(length);
    keyboard.press('?');
    expect(terminal.text).toContain('RUNS that');
  });

  it('gives the terminal back when it ends, and its last picture stays', async () => {
    const { terminal, keyboard, live, ready } = world();
    expect([terminal.hasCursor, terminal.marksPastes, keyboard.raw]).toEqual([false, true, true]);
    ready();
    const { text } = terminal;
    live.close();
    live.close();
    expect([terminal.hasCursor, terminal.marksPastes, keyboard.raw]).toEqual([true, false, false]);
    expect(terminal.text).toBe(text);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(terminal.text).toBe(text);
  });

  it('takes its picture away when the start fails: an error follows', () => {
    const { terminal, live } = world();
    live.close();
    expect(terminal.text).toBe('');
    expect(terminal.hasCursor).toBe(true);
  });

  it('gives the terminal to the shell while the process is suspended, and takes it back', () => {
    const { terminal, keyboard, live, ready, pressed } = world();
    ready();
    live.leave();
    expect([terminal.hasCursor, terminal.marksPastes, keyboard.raw]).toEqual([true, false, false]);
    const { length } = terminal.written;
    live.enter();
    expect([terminal.hasCursor, terminal.marksPastes, keyboard.raw]).toEqual([false, true, true]);
    // The shell has written: where the last picture was is not known.
    const ups = terminal.written
      .slice(length)
      .split('\u001b[')
      .filter((part) => /^\d+A/.test(part));
    expect(ups).toEqual([]);
    expect(terminal.written.slice(length)).toContain('dynamo-backlog');
    keyboard.press('r');
    expect(pressed).toEqual(['run']);
  });

  it('writes nothing while nothing changes', async () => {
    const { terminal, ready } = world();
    ready();
    const { length } = terminal.written;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(terminal.written).toHaveLength(length);
  });

  it('names no keys where stdin is no terminal', () => {
    const { terminal, ready } = world({ hasKeyboard: false });
    ready();
    expect(terminal.text).toContain('Ctrl-C stops it.');
    expect(terminal.text).not.toContain('q quit');
  });

  it('fits when the size of the terminal changes', async () => {
    const { terminal, ready } = world();
    ready();
    for (const [columns, rows] of [
      [60, 12],
      [200, 60],
      [40, 8],
      [80, 24],
    ] as const) {
      terminal.resize(columns, rows);
      await vi.advanceTimersByTimeAsync(300);
      expect(terminal.lines.length).toBeLessThan(rows);
      expect(terminal.text).toContain('dynamo-backlog');
      expect(terminal.text).toMatch(/q quit|q …|…$/m);
    }
    expect(terminal.strange).toEqual([]);
  });
});
