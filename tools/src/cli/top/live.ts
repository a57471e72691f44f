import type { Paint } from '../paint.js';
import { FullScreen, type Terminal } from '../screen.js';
import { Navigator } from './navigator.js';
import { shownQueues, type TopState, topPicture } from './picture.js';
import { nextOrder } from './sort.js';
import type { Source } from './source.js';

/** Source of keys: stdin of a terminal. */
export interface Keyboard {
  readonly isTTY?: boolean | undefined;
  setRawMode?(raw: boolean): unknown;
  setEncoding(encoding: 'utf8'): unknown;
  on(event: 'data', listener: (text: string) => void): unknown;
  off(event: 'data', listener: (text: string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** Dependencies of the live overview. */
export interface LiveDeps {
  readonly source: Source;
  readonly terminal: Terminal;
  readonly keyboard: Keyboard;
  readonly paint: Paint;
  /** Time between the end of one reading and the next one, in milliseconds. */
  readonly intervalMs: number;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Time between two drawings: ages on the screen have seconds. */
const REDRAW_MS = 1_000;
const MAX_FILTER = 80;

/** Shows the overview until `q`, Ctrl-C or the signal. The terminal is as it was before, whatever happens. */
export async function showLive(deps: LiveDeps): Promise<void> {
  const { terminal, keyboard, signal } = deps;
  if (signal.aborted) return;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const live = new Live(deps, end);
  const screen = new FullScreen(terminal, () => live.draw(screen));
  const onData = (text: string) => {
    for (const key of keysOf(text)) live.press(key);
    live.draw(screen);
  };
  const restore = () => {
    screen.close();
    if (keyboard.isTTY) keyboard.setRawMode?.(false);
  };
  // Whatever ends the process, the cursor and the screen come back.
  process.once('exit', restore);
  const timer = setInterval(() => live.draw(screen), REDRAW_MS);
  signal.addEventListener('abort', end);
  try {
    if (keyboard.isTTY) {
      keyboard.setRawMode?.(true);
      keyboard.setEncoding('utf8');
      keyboard.on('data', onData);
      keyboard.resume();
    }
    live.onChange = () => live.draw(screen);
    live.refresh();
    live.draw(screen);
    await ended;
  } finally {
    const stopped = live.stop();
    clearInterval(timer);
    signal.removeEventListener('abort', end);
    keyboard.off('data', onData);
    keyboard.pause();
    restore();
    process.off('exit', restore);
    await stopped;
  }
}

/** The state of the screen, what changes it, and the next reading. */
class Live {
  onChange = () => {};
  private state: TopState = { reading: undefined, isPaused: false, sort: 'worst', selected: 0, filter: '' };
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private readonly navigator: Navigator;

  constructor(
    private readonly deps: LiveDeps,
    private readonly end: () => void,
  ) {
    this.navigator = new Navigator({
      reading: () => this.state.reading,
      explorer: () => deps.source.explorer,
      onChange: () => {
        if (!this.isStopped) this.onChange();
      },
      onWrite: () => this.refresh(),
    });
  }

  draw(screen: FullScreen): void {
    const { source, paint, intervalMs } = this.deps;
    const facts = { where: source.where, intervalMs, wall: Date.now() };
    const { screen: list, dialog, notice } = this.navigator;
    screen.draw(topPicture({ ...this.state, screen: list, dialog, notice }, facts, screen.size, paint));
  }

  press(key: string): void {
    const isQuit = (key === 'q' || key === 'Q') && !this.navigator.dialog && !this.state.isFiltering;
    if (key === CTRL_C || isQuit) this.end();
    else if (this.state.isFiltering) this.type(key);
    else if (!this.navigator.press(key, this.selectedQueue())) this.pressInQueues(key);
  }

  private pressInQueues(key: string): void {
    const { sort, isPaused } = this.state;
    if (key === ' ') this.setPaused(!isPaused);
    else if (key === 'r') this.refresh();
    else if (key === '/') this.change({ isFiltering: true });
    else if (key === 'esc') this.change({ filter: '', selected: 0 });
    else if (key === 's' || key === 'right') this.change({ sort: nextOrder(sort, 1), selected: 0 });
    else if (key === 'left') this.change({ sort: nextOrder(sort, -1), selected: 0 });
    else if (key === 'down') this.select(1);
    else if (key === 'up') this.select(-1);
  }

  private select(steps: number): void {
    const most = shownQueues(this.state).length - 1;
    const place = Math.min(this.state.selected ?? 0, most) + steps;
    this.change({ selected: Math.max(0, Math.min(most, place)) });
  }

  private selectedQueue() {
    const queues = shownQueues(this.state);
    const view = queues[Math.min(this.state.selected ?? 0, queues.length - 1)];
    return view && { queue: view.stats.queue, isPaused: view.stats.paused };
  }

  /** Takes a key of the filter. */
  private type(key: string): void {
    const { filter = '' } = this.state;
    if (key === 'enter') this.change({ isFiltering: false });
    else if (key === 'esc') this.change({ isFiltering: false, filter: '' });
    else if (key === 'backspace') this.change({ filter: [...filter].slice(0, -1).join('') });
    else if ([...key].length === 1) this.change({ filter: (filter + key).slice(0, MAX_FILTER), selected: 0 });
  }

  /** Reads now, unless it is reading. */
  refresh(): void {
    if (this.state.askedAt !== undefined || this.isStopped) return;
    clearTimeout(this.timer);
    this.change({ askedAt: Date.now(), nextAt: undefined });
    void this.deps.source.read().then((reading) => {
      this.change({ reading, askedAt: undefined });
      if (!this.state.isPaused) this.plan();
      if (!this.isStopped) this.onChange();
    });
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.navigator.stop();
  }

  private setPaused(isPaused: boolean): void {
    clearTimeout(this.timer);
    this.change({ isPaused, nextAt: undefined });
    if (!isPaused) this.refresh();
  }

  private plan(): void {
    if (this.isStopped) return;
    const { intervalMs } = this.deps;
    this.change({ nextAt: Date.now() + intervalMs });
    this.timer = setTimeout(() => this.refresh(), intervalMs);
  }

  private change(changes: Partial<TopState>): void {
    this.state = { ...this.state, ...changes };
  }
}

const CTRL_C = '\u0003';
const ARROWS = { A: 'up', B: 'down', C: 'right', D: 'left' } as const;
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys that are no letters come as escape sequences
const KEY = /\u001b[[O]([A-D])|\u001b[[O]?[0-9;]*[~A-Za-z]?|(.)/gsu;

const NAMED: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\u007f': 'backspace',
};

/** The keys of a text from a terminal; sequences that are no arrows are none. */
function keysOf(text: string): string[] {
  // Behind it nothing has come: it is the key, no sequence.
  if (text === '\u001b') return ['esc'];
  return [...text.matchAll(KEY)].map(([, arrow, letter]) =>
    arrow === undefined ? (NAMED[letter ?? ''] ?? letter ?? '') : ARROWS[arrow as keyof typeof ARROWS],
  );
}
