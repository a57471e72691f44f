import { causeText } from 'dynamo-backlog/overview';
import { resultText } from '../operate/report.js';
import type { Explorer } from './explore.js';
import { type ActionDialog, type Dialog, type ListScreen, type NoteDialog, PACES } from './screens.js';

interface NavigatorDeps {
  /** Undefined: the tables are not known yet. */
  readonly explorer: () => Explorer | undefined;
  /** Called when what is shown has changed by itself. */
  readonly onChange: () => void;
  /** Called when records or queues have changed. */
  readonly onWrite: () => void;
}

/** A queue, as far as keys need it. */
interface SelectedQueue {
  readonly queue: string;
  readonly isPaused: boolean;
}

const MAX_INPUT = 200;
/** A mute has an end: this one, unless another is typed. */
const DEFAULT_MUTE = '2h';
const EMPTY_FORM = {
  isOn: false,
  isBusy: false,
  reason: '',
  until: '',
  field: 'reason',
  error: undefined,
} as const;

/** The views over the overview: lists of causes and records, and one dialog. */
export class Navigator {
  private readonly screens: ListScreen[] = [];
  private open: Dialog | undefined;
  private said: string | undefined;
  /** Ends the action under way. */
  private abort = new AbortController();

  constructor(private readonly deps: NavigatorDeps) {}

  get screen(): ListScreen | undefined {
    return this.screens.at(-1);
  }

  get dialog(): Dialog | undefined {
    return this.open;
  }

  /** The result of the last key, or the reason why it did nothing. */
  get notice(): string | undefined {
    return this.said;
  }

  /** Ends what is under way. */
  stop(): void {
    this.abort.abort();
  }

  /**
   * Takes a key. False: it is one of the overview.
   *
   * @param selected the queue whose line is selected there
   */
  press(key: string, selected: SelectedQueue | undefined): boolean {
    this.said = undefined;
    const { open, screen } = this;
    if (open) this.pressInDialog(open, key);
    else if (screen) this.pressInList(screen, key, selected);
    else if (selected && key === 'enter') this.showCauses(selected.queue);
    else if (selected && key === 'p') this.askPause(selected);
    else if (selected && key === 'm') this.askMute(selected.queue);
    else return false;
    return true;
  }

  private pressInList(screen: ListScreen, key: string, selected: SelectedQueue | undefined): void {
    const most = (screen.name === 'causes' ? screen.read?.causes.length : screen.records?.length) ?? 0;
    const to = (place: number) => this.change(screen, { selected: Math.max(0, Math.min(most - 1, place)) });
    const cause = screen.name === 'causes' ? screen.read?.causes[screen.selected] : screen.cause;
    if (key === 'down') to(screen.selected + 1);
    else if (key === 'up') to(screen.selected - 1);
    else if (key === 'esc' || key === 'left') this.screens.pop();
    else if (key === 'enter' && cause && screen.name === 'causes') this.showRecords(screen.queue, cause);
    else if (key === 'r') this.readAgain(screen);
    else if (key === 'R' && cause) this.askAction(screen.queue, cause);
    else if (key === 'p' && selected?.queue === screen.queue) this.askPause(selected);
    else if (key === 'm') this.askMute(screen.queue);
  }

  private showCauses(queue: string): void {
    this.readAgain(this.push({ name: 'causes', queue, read: undefined, selected: 0 }));
  }

  private showRecords(queue: string, cause: ActionDialog['cause']): void {
    this.readAgain(this.push({ name: 'records', queue, cause, records: undefined, selected: 0 }));
  }

  private push(screen: ListScreen): ListScreen {
    this.screens.push(screen);
    return screen;
  }

  private readAgain(screen: ListScreen): void {
    this.run(async (explorer) => {
      if (screen.name === 'causes') {
        const read = await explorer.causes(screen.queue);
        this.change(screen, { read, selected: 0 });
      } else {
        const records = await explorer.records({ queue: screen.queue, cause: causeText(screen.cause.cause) });
        this.change(screen, { records, selected: 0 });
      }
    });
  }

  private pressInDialog(dialog: Dialog, key: string): void {
    if (key === 'esc') this.leave(dialog);
    else if (dialog.name !== 'action') this.pressInForm(dialog, key);
    else if (dialog.result !== undefined) this.open = undefined;
    else if (dialog.changed === undefined) this.pressInAction(dialog, key);
  }

  /** An action under way is stopped first: its dialog then says how far it came. */
  private leave(dialog: Dialog): void {
    const isAtWork = dialog.name === 'action' && dialog.changed !== undefined && dialog.result === undefined;
    this.abort.abort();
    if (!isAtWork) this.open = undefined;
  }

  private askAction(queue: string, cause: ActionDialog['cause']): void {
    if (this.isRefused()) return;
    const action = cause.retry > 0 ? 'runNow' : 'redrive';
    this.tryOut({
      ...{ name: 'action', action, queue, cause, pace: 0 },
      ...{ trial: undefined, changed: undefined, result: undefined },
    });
  }

  private tryOut(dialog: ActionDialog): void {
    const open = { ...dialog, trial: undefined };
    this.open = open;
    this.abort.abort();
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.run(async (explorer) => {
      const which = { queue: open.queue, cause: causeText(open.cause.cause) };
      const trial = await explorer.act(open.action, which, { dryRun: true, signal });
      if (!signal.aborted) this.answer(open, { trial });
    });
  }

  private pressInAction(dialog: ActionDialog, key: string): void {
    const pace = (steps: number) => (dialog.pace + steps + PACES.length) % PACES.length;
    if (key === 'right') this.open = { ...dialog, pace: pace(1) };
    else if (key === 'left') this.open = { ...dialog, pace: pace(-1) };
    else if (key === 'tab') {
      const action = dialog.action === 'runNow' ? 'redrive' : 'runNow';
      this.tryOut({ ...dialog, action });
    } else if (key === 'enter' && (dialog.trial?.changed ?? 0) > 0) this.act(dialog);
  }

  private act(dialog: ActionDialog): void {
    const { signal } = this.abort;
    this.open = { ...dialog, changed: 0 };
    this.run(async (explorer) => {
      const which = { queue: dialog.queue, cause: causeText(dialog.cause.cause) };
      const result = await explorer.act(dialog.action, which, {
        signal,
        perSecond: PACES[dialog.pace],
        onProgress: ({ changed }) => this.answer(this.open, { changed }),
      });
      const done = dialog.action === 'runNow' ? 'made due' : 'redriven';
      const text = resultText(result, { ask: '', done }, false);
      this.answer(this.open, { changed: result.changed, result: text });
      this.deps.onWrite();
      for (const screen of this.screens) this.readAgain(screen);
    });
  }

  private askPause({ queue, isPaused }: SelectedQueue): void {
    if (this.isRefused()) return;
    this.open = { ...EMPTY_FORM, name: 'pause', queue, isOn: isPaused };
  }

  /** The rule is read now, and with no reading of the overview: CloudWatch counts its requests. */
  private askMute(queue: string): void {
    this.said = this.deps.explorer()?.muteRefusal;
    if (this.said !== undefined || this.isRefused()) return;
    const form: NoteDialog = { ...EMPTY_FORM, name: 'mute', queue, until: DEFAULT_MUTE, isBusy: true };
    this.run(async (explorer) => {
      this.open = form;
      const note = await explorer.muteNote(queue).catch((error: unknown) => {
        if (this.open === form) this.open = undefined;
        throw error;
      });
      if (this.open === form) this.open = { ...form, isOn: note !== undefined, note, isBusy: false };
    });
  }

  private pressInForm(dialog: NoteDialog, key: string): void {
    const { isOn, isBusy, field } = dialog;
    if (isBusy) return;
    if (key === 'enter') this.send(dialog);
    else if (isOn) return;
    else if (key === 'tab' || key === 'down' || key === 'up') {
      this.open = { ...dialog, field: field === 'reason' ? 'until' : 'reason' };
    } else if (key === 'backspace')
      this.open = { ...dialog, [field]: [...dialog[field]].slice(0, -1).join('') };
    else if ([...key].length === 1)
      this.open = { ...dialog, [field]: (dialog[field] + key).slice(0, MAX_INPUT) };
  }

  private send(dialog: NoteDialog): void {
    const sent = { ...dialog, isBusy: true };
    this.run(async (explorer) => {
      this.open = sent;
      try {
        this.said = await done(dialog, explorer);
      } catch (error) {
        if (this.open !== sent) throw error;
        // The form stays, with what was typed.
        this.open = { ...dialog, error: textOf(error) };
        return;
      }
      if (this.open === sent) this.open = undefined;
      if (dialog.name === 'pause') this.deps.onWrite();
    });
  }

  private isRefused(): boolean {
    this.said = this.deps.explorer()?.refusal;
    return this.said !== undefined;
  }

  /** Changes a screen that is still there; it may have been left while it was read. */
  private change(screen: ListScreen, changes: Partial<ListScreen>): void {
    const place = this.screens.findIndex(({ name, queue }) => name === screen.name && queue === screen.queue);
    const present = this.screens[place];
    if (present) this.screens[place] = { ...present, ...changes } as ListScreen;
  }

  /** Changes an action's dialog that is still there. */
  private answer(dialog: Dialog | undefined, changes: Partial<ActionDialog>): void {
    if (dialog?.name !== 'action' || this.open?.name !== 'action') return;
    this.open = { ...this.open, ...changes };
    this.deps.onChange();
  }

  private run(work: (explorer: Explorer) => Promise<void>): void {
    const explorer = this.deps.explorer();
    if (!explorer) {
      this.said = 'the tables have not been found yet';
      return;
    }
    void work(explorer)
      .catch((error: unknown) => {
        this.said = textOf(error);
        if (this.open?.name === 'action') this.open = { ...this.open, result: this.said };
      })
      .finally(() => this.deps.onChange());
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Does what a form asks for, and says what was done. */
async function done({ name, queue, isOn, reason, until }: NoteDialog, explorer: Explorer): Promise<string> {
  if (name === 'mute' && !isOn) return explorer.mute(queue, { reason, until });
  if (name === 'mute') await explorer.unmute(queue);
  else await (isOn ? explorer.resume(queue) : explorer.pause(queue, { reason, until }));
  if (name === 'mute') return `the alarms of ${queue} notify again`;
  return isOn ? `${queue} goes on` : `${queue} is paused`;
}
