import type { Job } from 'dynamo-backlog/engine';
import { causeText, incidentName } from 'dynamo-backlog/overview';
import { DEFAULT_MUTE } from '../../alarms/queue-mutes.js';
import type { BegunJob, Explorer } from './explore.js';
import { listedIds, selectedPlace } from './overview-lists.js';
import {
  type ActionDialog,
  BEGINNINGS,
  type Dialog,
  type ListScreen,
  type NoteDialog,
  type OverviewScreen,
  PACES,
  type ReadScreen,
  type UndoDialog,
} from './screens.js';
import type { Reading } from './source.js';

interface NavigatorDeps {
  /** The last reading of the overview. */
  readonly reading: () => Reading | undefined;
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
/** Time for the last writes of jobs that stop. A job that has not said so is lost a minute later, which lists say. */
const STOP_MS = 3_000;
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
  /** Ends the dry run under way. */
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

  /** Ends what is under way. The jobs of this process stop, and their items say so, if the store answers soon. */
  async stop(): Promise<void> {
    this.abort.abort();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_MS);
    });
    await Promise.race([this.deps.explorer()?.close(), patience]);
    clearTimeout(timer);
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
    else if (key === 'i' || key === 'j') this.showOverview(key === 'i' ? 'incidents' : 'jobs');
    else if (screen) this.pressInList(screen, key);
    else if (selected && key === 'enter') this.showCauses(['queues', selected.queue], [selected.queue]);
    else if (selected && key === 'p') this.askPause(selected);
    else if (selected && key === 'm') this.askMute(selected.queue);
    else return false;
    return true;
  }

  private pressInList(screen: ListScreen, key: string): void {
    if (key === 'esc' || key === 'left') this.screens.pop();
    else if ('queues' in screen) this.pressInRead(screen, key);
    else this.pressInOverview(screen, key);
  }

  private pressInOverview(screen: OverviewScreen, key: string): void {
    const reading = this.deps.reading();
    const ids = listedIds(screen, reading);
    const place = selectedPlace(screen, ids);
    const id = ids[place];
    const to = (other: number) =>
      this.change(screen, { selected: ids[Math.max(0, Math.min(ids.length - 1, other))] });
    if (key === 'down') to(place + 1);
    else if (key === 'up') to(place - 1);
    else if (key === 'r') this.deps.onWrite();
    else if (id !== undefined && screen.name === 'jobs') this.pressOnJob(reading?.jobs[place], key);
    else if (key === 'enter') {
      const incident = reading?.incidents[place];
      const queues = incident?.queues.map(({ stats }) => stats.queue) ?? [];
      if (incident) this.showCauses(['incidents', incidentName(incident)], queues);
    }
  }

  private pressOnJob(job: Job | undefined, key: string): void {
    if (job === undefined || !['x', 'g', 'u'].includes(key) || this.isRefused()) return;
    const { id } = job;
    this.run(async (explorer) => {
      if (key === 'g') return this.follow(await explorer.goOn(id), 'goes on');
      if (key === 'u') {
        this.said = explorer.undoRefusal(job);
        if (this.said === undefined) this.open = { name: 'undo', job, isBusy: false, error: undefined };
        return;
      }
      await explorer.stopJob(id);
      this.said = `job ${id} stops`;
      this.deps.onWrite();
    });
  }

  private pressInUndo(dialog: UndoDialog, key: string): void {
    if (key !== 'enter' || dialog.isBusy) return;
    const sent = { ...dialog, isBusy: true };
    this.open = sent;
    this.run(async (explorer) => {
      const job = await explorer.undo(dialog.job.id).catch((error: unknown) => {
        if (this.open !== sent) throw error;
        this.open = { ...dialog, error: textOf(error) };
      });
      if (!job) return;
      if (this.open === sent) this.open = undefined;
      this.follow(job, 'has begun');
    });
  }

  private pressInRead(screen: ReadScreen, key: string): void {
    const [only, ...others] = screen.queues;
    const queue = others.length === 0 ? only : undefined;
    const most = (screen.name === 'causes' ? screen.read?.causes.length : screen.records?.length) ?? 0;
    const to = (place: number) => this.change(screen, { selected: Math.max(0, Math.min(most - 1, place)) });
    const cause = screen.name === 'causes' ? screen.read?.causes[screen.selected] : screen.cause;
    if (key === 'down') to(screen.selected + 1);
    else if (key === 'up') to(screen.selected - 1);
    else if (key === 'enter' && cause && screen.name === 'causes') this.showRecords(screen, cause);
    else if (key === 'r') this.readAgain(screen);
    else if (key === 'R' && cause) this.askAction(screen.queues, cause);
    else if ((key === 'p' || key === 'm') && queue === undefined)
      this.said = 'these are several queues: select one of them in the overview';
    else if (key === 'p' && queue !== undefined) this.askPause({ queue, isPaused: this.isPaused(queue) });
    else if (key === 'm' && queue !== undefined) this.askMute(queue);
  }

  private showOverview(name: OverviewScreen['name']): void {
    const place = this.screens.findIndex((screen) => screen.name === name);
    if (place >= 0) this.screens.splice(place + 1);
    else {
      const screen: OverviewScreen = { name, path: [name], selected: undefined };
      // By its id: a newer one that comes before it does not take its place under a key.
      const [selected] = listedIds(screen, this.deps.reading());
      this.screens.push({ ...screen, selected });
    }
  }

  private showCauses(from: readonly string[], queues: readonly string[]): void {
    const path = [...from, 'causes'];
    this.readAgain(this.push({ name: 'causes', path, queues, read: undefined, selected: 0 }));
  }

  private showRecords({ path: from, queues }: ReadScreen, cause: ActionDialog['cause']): void {
    const path = [...from, 'records'];
    this.readAgain(this.push({ name: 'records', path, queues, cause, records: undefined, selected: 0 }));
  }

  private push(screen: ReadScreen): ReadScreen {
    this.screens.push(screen);
    return screen;
  }

  private readAgain(screen: ListScreen): void {
    this.run(async (explorer) => {
      if (screen.name === 'causes') {
        const read = await explorer.causes(screen.queues);
        this.change(screen, { read, selected: 0 });
      } else if (screen.name === 'records') {
        const { queues, cause } = screen;
        const records = await explorer.records({ queues, cause: causeText(cause.cause) });
        this.change(screen, { records, selected: 0 });
      }
    });
  }

  private pressInDialog(dialog: Dialog, key: string): void {
    if (key === 'esc') {
      this.abort.abort();
      this.open = undefined;
    } else if (dialog.name === 'action') this.pressInAction(dialog, key);
    else if (dialog.name === 'undo') this.pressInUndo(dialog, key);
    else this.pressInForm(dialog, key);
  }

  private askAction(queues: readonly string[], cause: ActionDialog['cause']): void {
    if (this.isRefused()) return;
    const action = cause.retry > 0 ? 'runNow' : 'redrive';
    this.tryOut({
      ...{ name: 'action', action, queues, cause, pace: 0, begins: 0, trial: undefined, error: undefined },
    });
  }

  private tryOut(dialog: ActionDialog): void {
    const open = { ...dialog, trial: undefined, error: undefined };
    this.open = open;
    this.abort.abort();
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.run(async (explorer) => {
      const answer = await explorer
        .tryOut(open.action, whichOf(open), signal)
        .then((trial) => ({ trial }))
        .catch((error: unknown) => ({ error: textOf(error) }));
      // Pace and beginning may have been chosen meanwhile.
      if (!signal.aborted && this.open?.name === 'action') this.open = { ...this.open, ...answer };
    });
  }

  private pressInAction(dialog: ActionDialog, key: string): void {
    const turned = (place: number, steps: number, of: { readonly length: number }) =>
      (place + steps + of.length) % of.length;
    const steps = key === 'right' || key === 'down' ? 1 : -1;
    if (key === 'right' || key === 'left') this.open = { ...dialog, pace: turned(dialog.pace, steps, PACES) };
    else if (key === 'down' || key === 'up')
      this.open = { ...dialog, begins: turned(dialog.begins, steps, BEGINNINGS), error: undefined };
    else if (key === 'tab') {
      const action = dialog.action === 'runNow' ? 'redrive' : 'runNow';
      this.tryOut({ ...dialog, action });
    } else if (key === 'enter' && (dialog.trial?.changed ?? 0) > 0) this.begin(dialog);
  }

  private begin(dialog: ActionDialog): void {
    const { words: _, ...beginning } = BEGINNINGS[dialog.begins] ?? { words: '' };
    const options = { perSecond: PACES[dialog.pace], total: dialog.trial?.changed, ...beginning };
    // Without a dry run, a second Enter begins no second job.
    const sent = { ...dialog, trial: undefined };
    this.open = sent;
    this.run(async (explorer) => {
      const job = await explorer.begin(dialog.action, whichOf(dialog), options).catch((error: unknown) => {
        if (this.open !== sent) throw error;
        this.open = { ...dialog, error: textOf(error) };
      });
      if (!job) return;
      if (this.open === sent) this.open = undefined;
      this.follow(job, 'has begun');
    });
  }

  /** Says when a job has begun, and when it has ended. */
  private follow({ id, ended }: BegunJob, how: string): void {
    this.said = `job ${id} ${how}; j: jobs`;
    this.deps.onWrite();
    void ended.then((text) => {
      this.said = text;
      this.deps.onWrite();
      for (const screen of this.screens) this.readAgain(screen);
      this.deps.onChange();
    });
  }

  private askPause({ queue, isPaused }: SelectedQueue): void {
    if (this.isRefused()) return;
    this.open = { ...EMPTY_FORM, name: 'pause', queue, isOn: isPaused };
  }

  private isPaused(queue: string): boolean {
    const queues = this.deps.reading()?.snapshot.queues ?? [];
    return queues.some(({ stats }) => stats.queue === queue && stats.paused);
  }

  /** The rule is read now, and with no reading of the overview: CloudWatch counts its requests. */
  private askMute(queue: string): void {
    this.said = this.deps.explorer()?.muteRefusal;
    if (this.said !== undefined || this.isRefused()) return;
    const form: NoteDialog = { ...EMPTY_FORM, name: 'mute', queue, until: DEFAULT_MUTE, isBusy: true };
    this.run(async (explorer) => {
      this.open = form;
      const note = await explorer.mutes.read(queue).catch((error: unknown) => {
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
    const place = this.screens.findIndex(({ path }) => path.join('\n') === screen.path.join('\n'));
    const present = this.screens[place];
    if (present) this.screens[place] = { ...present, ...changes } as ListScreen;
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
      })
      .finally(() => this.deps.onChange());
  }
}

function whichOf({ queues, cause }: Pick<ActionDialog, 'queues' | 'cause'>) {
  return { queues, cause: causeText(cause.cause) };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Does what a form asks for, and says what was done. */
async function done({ name, queue, isOn, reason, until }: NoteDialog, explorer: Explorer): Promise<string> {
  const { mutes } = explorer;
  if (name === 'mute') return isOn ? mutes.unmute(queue) : mutes.mute(queue, { reason, until });
  await (isOn ? explorer.resume(queue) : explorer.pause(queue, { reason, until }));
  return isOn ? `${queue} goes on` : `${queue} is paused`;
}
