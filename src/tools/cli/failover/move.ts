import { type Clock, toIso } from '../../../clock.js';
import { CLOCK_SKEW_MS } from '../../../leases/lease.js';
import type { OperatorStore } from '../../../store/operator-store.js';
import type { ActiveRegion } from '../../../store/store.js';
import { counted } from '../output.js';
import { compareReplicas } from './replicas.js';

type Store = Pick<
  OperatorStore,
  'readActiveRegion' | 'writeActiveRegion' | 'readRegistry' | 'readRuns' | 'queryDue' | 'readRecords'
>;

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

/** Functions look up once a minute which region is active. The intake, which has no lease, then works for a minute at most. */
const HEARD_WITHIN_MS = 135_000;
/** No function lives longer than 15 minutes. */
const LONGEST_RUN_MS = 16 * 60_000;
/** If the operator's command is lost, the region begins by itself. */
const AT_LATEST_MS = 30 * 60_000;
const REPLICATED_WITHIN_MS = 120_000;
const EQUAL_WITHIN_MS = 300_000;
const LOOK_EVERY_MS = 2_000;
/** Clocks differ: so long before the time that was said, a region may have begun by itself. */
const BEGINS_MS = 2 * CLOCK_SKEW_MS;

/**
 * Makes another region the active one, so that no record is attempted in both:
 *
 *     tell the active region to stop -> the other replica has it as well -> the last run has ended
 *       -> the other replica has that as well -> both replicas have the same records -> the other region begins
 *
 * @throws StoreError
 */
export async function moveBetween(from: Region, to: Region, deps: MoveDeps): Promise<Moved> {
  const { clock, signal, say, force } = deps;
  const before = await from.store.readActiveRegion();
  const isUnderWay = before?.region === to.name;
  const hasBegun = () => clock.now() >= leaving.from - BEGINS_MS;
  const began = isUnderWay ? before.at : clock.now();
  let leaving: ActiveRegion = isUnderWay
    ? before
    : { region: to.name, from: began + AT_LATEST_MS, at: began, before: from.name };
  const begunByItself = (): Moved => {
    say(`${to.name} is active: it was to begin at ${toIso(leaving.from)}`);
    return 'moved';
  };
  if (isUnderWay && hasBegun()) return begunByItself();
  if (!isUnderWay && !(await from.store.writeActiveRegion(leaving, before))) return 'changed';
  say(`${from.name} stops: its functions begin no page after a minute`);
  const interrupted = (): Moved => {
    const told = `from ${from.name} to ${to.name}`;
    say(`interrupted on the way ${told}: ${to.name} begins by itself at ${toIso(leaving.from)}`);
    return 'interrupted';
  };
  const giveBack = async (why: string): Promise<Moved> => {
    const now = clock.now();
    const again = { region: from.name, from: now, at: now, before: to.name };
    const there = await to.store.readActiveRegion();
    if (there?.region === to.name && hasBegun()) return begunByItself();
    // Told directly, and first: where nothing is replicated, it would begin by itself at the time that was said.
    if (!(await to.store.writeActiveRegion(again, there))) return 'changed';
    if (!(await from.store.writeActiveRegion(again, leaving))) return 'changed';
    say(`${why}: ${from.name} goes on`);
    return 'givenBack';
  };

  const hasArrived = () =>
    waitFor(deps, REPLICATED_WITHIN_MS, async () => {
      const there = await to.store.readActiveRegion();
      return there?.region === to.name && there.at === leaving.at;
    });
  const notReplicated = () => giveBack(`the tables of ${to.name} do not get what is written in ${from.name}`);
  const isHeard = await hasArrived();
  if (signal.aborted) return interrupted();
  if (!isHeard && !force) return notReplicated();

  await clock.sleep(Math.max(0, began + HEARD_WITHIN_MS - clock.now()), signal);
  let told = '';
  await waitFor(deps, LONGEST_RUN_MS, async () => {
    const runs = await from.store.readRuns();
    const busy = runs.filter(({ until }) => until >= clock.wall() - CLOCK_SKEW_MS);
    const names = [...new Set(busy.map(({ name }) => name))].join(', ');
    if (names !== '' && told === '') say(`waiting for the end of runs at work: ${names} ...`);
    told = names;
    return names === '';
  });
  if (signal.aborted) return interrupted();
  say(`${from.name} has stopped`);

  // Written once more, behind the last write of a run. Records that are not indexed cannot be compared: for them, this shows
  // that the other region has what was written last.
  const last: ActiveRegion = { ...leaving, at: clock.now() };
  if (!(await from.store.writeActiveRegion(last, leaving))) return 'changed';
  leaving = last;
  const isReplicated = await hasArrived();
  if (signal.aborted) return interrupted();
  if (!isReplicated && !force) return notReplicated();

  let comparison = { compared: 0, differing: [] as readonly string[] };
  const isEqual = await waitFor(deps, EQUAL_WITHIN_MS, async () => {
    comparison = await compareReplicas(from.store, to.store, clock.now());
    return comparison.differing.length === 0;
  });
  if (signal.aborted) return interrupted();
  const { compared, differing } = comparison;
  const differs = `${differing.length} of ${counted(compared, 'due record')} differ in ${to.name}`;
  if (!isEqual && !force) return giveBack(`after ${EQUAL_WITHIN_MS / 60_000} minutes ${differs}`);
  say(
    isEqual
      ? `${to.name} has the same of ${counted(compared, 'due record')}`
      : `${differs}: going on, with --force`,
  );
  return beginIn(to, from.name, deps);
}

/** Has a region begin at once, whatever the other one does. */
export async function beginIn(
  to: Region,
  before: string,
  { clock, say }: Pick<MoveDeps, 'clock' | 'say'>,
): Promise<Moved> {
  const now = clock.now();
  const read = await to.store.readActiveRegion();
  const written = await to.store.writeActiveRegion({ region: to.name, from: now, at: now, before }, read);
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
    if (await isSo()) return true;
    if (clock.wall() >= until) return false;
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
  return false;
}
