import type { RuntimeActions } from '../local/status/runtime-actions.js';
import type { RuntimeStatus } from '../local/status/status.js';
import { CTRL_C, CTRL_Z, Keys } from './keys.js';
import type { Paint } from './paint.js';
import { Screen, type Terminal } from './screen.js';
import type { Keyboard } from './top/live.js';
import { renderView } from './view.js';

export interface StartLiveDeps {
  readonly terminal: Terminal;
  /** Undefined: no keys are read, as stdin is no terminal. */
  readonly keyboard: Keyboard | undefined;
  readonly paint: Paint;
  /** Status that is known before the runtime has started. */
  readonly status: RuntimeStatus;
  /** `q`, or Ctrl-C. */
  readonly onStop: () => void;
  /** Stops this process and the others of its job, as Ctrl-Z does; they go on later. */
  readonly suspend: () => void;
}

const REDRAW_MS = 250;
const SAID_FOR_MS = 8_000;

/** The screen of `backlog start`, from its start to its end. */
export class StartLive {
  readonly #deps: StartLiveDeps;
  readonly #screen: Screen;
  readonly #keys: Keys | undefined;
  readonly #timer: NodeJS.Timeout;
  #status: () => RuntimeStatus;
  #actions: RuntimeActions | undefined;
  #step: string | undefined = 'reading the app';
  #isHelp = false;
  #said: { readonly text: string; readonly until: number } | undefined;
  #isOpen = true;

  constructor(deps: StartLiveDeps) {
    const { terminal, keyboard, status } = deps;
    this.#deps = deps;
    this.#status = () => status;
    this.#screen = new Screen(terminal);
    if (keyboard) {
      const onKey = (key: string) => this.#press(key);
      this.#keys = new Keys({ keyboard, terminal, now: () => performance.now(), onKey });
      this.#keys.open();
    }
    this.#timer = setInterval(() => this.draw(), REDRAW_MS);
    this.draw();
  }

  /** Shows the step that the start is at. */
  step(text: string): void {
    this.#step = text;
    this.draw();
  }

  /** The clock goes, and from here on the keys do what they say. */
  ready(status: () => RuntimeStatus, actions: RuntimeActions): void {
    this.#step = undefined;
    this.#status = status;
    this.#actions = actions;
    this.draw();
  }

  draw(): void {
    if (!this.#isOpen) return;
    const { paint } = this.#deps;
    const said = this.#said && performance.now() < this.#said.until ? this.#said.text : undefined;
    const extras = { hasKeys: this.#keys !== undefined, isHelp: this.#isHelp, said, step: this.#step };
    this.#screen.draw(renderView(this.#status(), this.#screen.size, paint, extras));
  }

  /** The process is about to be suspended. */
  leave(): void {
    if (!this.#isOpen) return;
    this.#keys?.close();
    this.#screen.leave();
  }

  /** The process goes on. */
  enter(): void {
    if (!this.#isOpen) return;
    this.#keys?.open();
    this.#screen.enter();
    this.draw();
  }

  /**
   * Leaves the last picture, unless the start has failed: then an error follows that says more. The terminal is as it was
   * before. May be called again.
   */
  close(): void {
    if (!this.#isOpen) return;
    clearInterval(this.#timer);
    this.#said = undefined;
    this.#isHelp = false;
    if (this.#step === undefined) this.draw();
    else this.#screen.erase();
    this.#isOpen = false;
    this.#keys?.close();
    this.#screen.close();
  }

  #press(key: string): void {
    const { onStop, suspend } = this.#deps;
    if (key === 'q' || key === CTRL_C) onStop();
    else if (key === CTRL_Z) suspend();
    else if (key === 'h' || key === '?') this.#toggleHelp();
    else this.#act(ACTIONS.get(key));
  }

  #toggleHelp(): void {
    this.#isHelp = !this.#isHelp;
    this.draw();
  }

  #act(action: Action | undefined): void {
    if (!action) return;
    const say = (text: string) => this.#say(text);
    if (this.#actions) void action(this.#actions, say);
    else say('not yet: the runtime is starting');
  }

  #say(text: string): void {
    this.#said = { text, until: performance.now() + SAID_FOR_MS };
    this.draw();
  }
}

type Action = (actions: RuntimeActions, say: (text: string) => void) => unknown;

const ACTIONS: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['r', (actions, say) => actions.runNow(say)],
  ['t', (actions, say) => actions.nextTick(say)],
  ['o', (actions, say) => actions.outage(say)],
  ['p', (actions, say) => actions.pause(say)],
  ['+', (actions, say) => actions.changeSpeed('faster', say)],
  // The same key without shift on most keyboards.
  ['=', (actions, say) => actions.changeSpeed('faster', say)],
  ['-', (actions, say) => actions.changeSpeed('slower', say)],
]);
