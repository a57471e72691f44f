import {
  CLOCK_SKEW_MS,
  type Clock,
  isOfStore,
  type OperatorStore,
  type StoreTypes,
  toIso,
} from 'dynamo-backlog/engine';
import { counted } from '../output.js';
import { compareReplicas } from './replicas.js';

type Store = Pick<OperatorStore, 'activeRegion' | 'registry' | 'control' | 'pages' | 'records'>;

/** A region of a backlog, and the replicas that it has. */
export interface Region {
  /** Such as `eu-central-1`. */
  readonly name: string;
  readonly store: Store;
}

export interface MoveDeps {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** A line for the operator. */
  readonly say: (line: string) => void;
  /** Goes on where the replicas do not agree in time. Default: gives the work back. */
  readonly force: boolean;
}

/** `givenBack`: the region that was active is so again. `interrupted`: the other one begins at the time that was said. */
export type Moved = 'moved' | 'givenBack' | 'interrupted' | 'changed';

/** Time to stop: functions look up the active region once a minute. The intake has no lease, and works for a minute at most. */
const HEARD_WITHIN_MS = 135_000;
/** Time in which every run has ended: no function lives longer than 15 minutes. */
const MAX_RUN_MS = 16 * 60_000;
/** Delay after which the region begins by itself, if the operator's command is lost. */
const AT_LATEST_MS = 30 * 60_000;
const REPLICATED_WITHIN_MS = 120_000;
const EQUAL_WITHIN_MS = 300_000;
const LOOK_EVERY_MS = 2_000;
/** Time before the announced beginning at which a region may have begun by itself, because clocks differ. */
const BEGINS_MS = 2 * CLOCK_SKEW_MS;

/**
 * Makes another region the active one, so that no record is attempted in both:
 *
 *     tell the active region to stop -> the other replica has it as well -> the last run has ended
 *       -> the other replica has that as well -> both replicas have the same records -> the other region begins
 *
 * @throws StoreError
 */
export function moveBetween(from: Region, to: Region, deps: MoveDeps): Promise<Moved> {
  return new Move(from, to, deps).run();
}

class Move {
  /** The entry that says that the region is being left. */
  private leaving: StoreTypes.ActiveRegion;

  constructor(
    private readonly from: Region,
    private readonly to: Region,
    private readonly deps: MoveDeps,
  ) {
    const now = deps.clock.now();
    this.leaving = { region: to.name, from: now + AT_LATEST_MS, at: now, before: from.name };
  }

  async run(): Promise<Moved> {
    const { from, to, deps } = this;
    const { clock, signal, say, force } = deps;
    const before = await from.store.activeRegion.read();
    if (before?.region === from.name && before.before === to.name && clock.now() < before.from - BEGINS_MS) {
      return this.revert(before);
    }
    if (before?.region === to.name) {
      this.leaving = before;
      if (this.hasBegun()) return this.begunByItself();
    } else if (!(await from.store.activeRegion.write(this.leaving, before))) return 'changed';
    say(`${from.name} stops: its functions begin no page after a minute`);
    const steps = [
      () => this.isHeard(),
      () => this.runsHaveEnded(),
      () => this.lastWriteHasArrived(),
      () => this.recordsAreTheSame(),
    ];
    for (const step of steps) {
      const trouble = await step().catch((error: unknown) => {
        say(
          `${to.name} begins by itself at ${toIso(this.leaving.from)}, or with the same command, which goes on`,
        );
        throw error;
      });
      if (signal.aborted) {
        say(`interrupted: ${to.name} begins by itself at ${toIso(this.leaving.from)}`);
        return 'interrupted';
      }
      if (trouble === 'changed') return 'changed';
      if (trouble !== undefined && !force) return this.giveBack(trouble);
      if (trouble !== undefined) say(`${trouble}: going on, with --force`);
    }
    return beginIn(to, from.name, deps);
  }

  /** Waits until the other replica knows that it is about to begin: replication works. */
  private async isHeard(): Promise<string | undefined> {
    const { from, to, deps, leaving } = this;
    const isSo = await waitFor(deps, REPLICATED_WITHIN_MS, async () => {
      const there = await to.store.activeRegion.read();
      return there?.region === to.name && there.at === leaving.at;
    });
    return isSo ? undefined : `the tables of ${to.name} do not get what is written in ${from.name}`;
  }

  private async runsHaveEnded(): Promise<string | undefined> {
    const { from, deps, leaving } = this;
    const { clock, signal, say } = deps;
    const heardInMs = leaving.at + HEARD_WITHIN_MS - clock.now();
    // A time that lies ahead was written by another clock, or by others.
    await clock.sleep(Math.min(HEARD_WITHIN_MS, Math.max(0, heardInMs)), signal);
    let reported = false;
    const isSo = await waitFor(deps, MAX_RUN_MS, async () => {
      const runs = await from.store.control.readRuns();
      const busy = runs.filter(({ until }) => until >= clock.wall() - CLOCK_SKEW_MS);
      if (busy.length === 0) return true;
      const names = [...new Set(busy.map(({ name }) => name))];
      if (!reported) say(`waiting for the end of runs at work: ${names.join(', ')} ...`);
      reported = true;
      return false;
    });
    // No function lives longer: what is left is an item that is damaged.
    if (!signal.aborted) say(`${from.name} has stopped${isSo ? '' : ', as far as its functions can live'}`);
    return undefined;
  }

  /**
   * Writes the same once more, behind the last write of a run. Records that are not indexed cannot be compared: for them,
   * this shows that the other region has what was written last.
   */
  private async lastWriteHasArrived(): Promise<string | undefined> {
    const last: StoreTypes.ActiveRegion = { ...this.leaving, at: this.deps.clock.now() };
    if (!(await this.from.store.activeRegion.write(last, this.leaving))) return 'changed';
    this.leaving = last;
    return this.isHeard();
  }

  private async recordsAreTheSame(): Promise<string | undefined> {
    const { from, to, deps } = this;
    let last = { compared: 0, differing: [] as readonly string[] };
    const isSo = await waitFor(deps, EQUAL_WITHIN_MS, async () => {
      last = await compareReplicas(from.store, to.store, deps.clock.now());
      return last.differing.length === 0;
    });
    const due = counted(last.compared, 'due record');
    if (isSo) deps.say(`${to.name} has the same ${due}`);
    return isSo
      ? undefined
      : `after ${EQUAL_WITHIN_MS / 60_000} minutes ${last.differing.length} of ${due} differ in ${to.name}`;
  }

  private hasBegun(): boolean {
    return this.deps.clock.now() >= this.leaving.from - BEGINS_MS;
  }

  private begunByItself(): Moved {
    this.deps.say(`${this.to.name} is active: it was to begin at ${toIso(this.leaving.from)}`);
    return 'moved';
  }

  /** Lets the region go on that was to stop. */
  private async giveBack(why: string): Promise<Moved> {
    const { from, to, deps, leaving } = this;
    const there = await to.store.activeRegion.read();
    if (there?.region === to.name && this.hasBegun()) return this.begunByItself();
    if (!(await this.isNotified(from.name, to.name, [to, there], [from, leaving]))) return 'changed';
    deps.say(`${why}: ${from.name} goes on`);
    return 'givenBack';
  }

  /** The region has not begun yet: the one that was stopped before goes on, and nothing has to be waited for. */
  private async revert(before: StoreTypes.ActiveRegion): Promise<Moved> {
    const { from, to, deps } = this;
    const there = await to.store.activeRegion.read();
    if (!(await this.isNotified(to.name, from.name, [from, before], [to, there]))) return 'changed';
    deps.say(`${from.name} had not begun: ${to.name} goes on`);
    return 'moved';
  }

  /**
   * Names the active region in both replicas. In this order: where nothing is replicated, the first one would begin by itself
   * at the time that was said.
   */
  private async isNotified(
    name: string,
    before: string,
    ...replicas: readonly (readonly [Region, StoreTypes.ActiveRegion | undefined])[]
  ): Promise<boolean> {
    const now = this.deps.clock.now();
    for (const [region, read] of replicas) {
      const written = await region.store.activeRegion.write(
        { region: name, from: now, at: now, before },
        read,
      );
      if (!written) return false;
    }
    return true;
  }
}

/** Makes a region begin at once, whatever the other one does. */
export async function beginIn(
  to: Region,
  before: string,
  { clock, say }: Pick<MoveDeps, 'clock' | 'say'>,
): Promise<Moved> {
  const now = clock.now();
  const read = await to.store.activeRegion.read();
  const written = await to.store.activeRegion.write({ region: to.name, from: now, at: now, before }, read);
  if (!written) return 'changed';
  say(`${to.name} is active: its functions begin within a minute`);
  return 'moved';
}

/** Looks until it is so. False: it is not so in time, or the operator has interrupted it. */
async function waitFor(
  { clock, signal }: Pick<MoveDeps, 'clock' | 'signal'>,
  withinMs: number,
  isSo: () => Promise<boolean>,
): Promise<boolean> {
  const until = clock.wall() + withinMs;
  while (!signal.aborted) {
    const isOver = clock.wall() >= until;
    const answer = await isSo().catch((error: unknown) => {
      // Tried again: by now no region attempts records.
      if (isOver || !isOfStore(error)) throw error;
      return false;
    });
    if (answer) return true;
    if (isOver) return false;
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
  return false;
}
