import { openNotes, parseFailing } from '../../record/index.js';
import type { OperatorStore } from '../../store/operator-store.js';
import type { QueueState } from '../../store/store.js';
import { type Job, selectedQueues } from './job.js';

type State = Pick<QueueState, 'failing' | 'breakers' | 'paused'>;

/** The destinations of a queue that fail, by the breakers and the notes of its runs; an empty text: the whole queue. */
function faultsOf({ failing, breakers }: State, now: number): readonly string[] {
  const notes = openNotes(parseFailing(failing).notes, Math.floor(now / 1000));
  return [...breakers.keys(), ...notes.map(({ group }) => group)];
}

/**
 * Tells whether a fault has ended: its breaker is closed, and its note gone, which takes successes. A paused queue attempts
 * nothing, so nothing is known of it.
 *
 * @param destination undefined: the whole queue
 * @param now the backlog's time, epoch milliseconds
 */
export function hasEnded(state: State, destination: string | undefined, now: number): boolean {
  if (state.paused) return false;
  const faults = faultsOf(state, now);
  return destination === undefined ? faults.length === 0 : !faults.includes(destination);
}

interface StatesDeps {
  readonly store: Pick<OperatorStore, 'queues'>;
  readonly patiently: <Answer>(request: () => Promise<Answer>) => Promise<Answer>;
}

/** The states of the queues of a selection: several are read at once. A queue that has none has never failed. */
export async function statesOf(which: Job['which'], { store, patiently }: StatesDeps): Promise<QueueState[]> {
  const queues = selectedQueues(which);
  const [first] = queues;
  if (first === undefined) return [];
  if (queues.length === 1) return [await patiently(() => store.queues.read(first))];
  const all = await patiently(() => store.queues.readAll());
  return queues.flatMap((queue) => all.get(queue) ?? []);
}

/** The destination that an armed job waits for, or its whole queue; or why it has nothing to wait for. */
export type AwaitedFault =
  | {
      /** The destination; undefined: the whole queue. */
      readonly destination: string | undefined;
    }
  | {
      /** The reason why there is nothing to wait for. */
      readonly refusal: string;
    };

/**
 * The failure that a job can wait for: that of the destination by whose cause it selects, or that of its queue.
 *
 * @param now the backlog's time, epoch milliseconds
 */
export async function awaitedFault(
  which: Job['which'],
  deps: StatesDeps,
  now: number,
): Promise<AwaitedFault> {
  const queues = selectedQueues(which);
  if (queues.length === 0) return { refusal: 'a wait until it is back needs a selection with a queue' };
  const faults = (await statesOf(which, deps)).flatMap((state) => faultsOf(state, now));
  if (faults.length === 0) {
    return { refusal: `no failure of ${queues.slice(0, 3).join(', ')} is known, so it can begin at once` };
  }
  const host = 'errorName' in which ? which.errorName?.split(' ').at(-1) : undefined;
  const destination = faults.find((fault) => fault === host);
  if (queues.length === 1 || destination !== undefined) return { destination };
  return { refusal: 'a wait for several queues needs the whole cause of a failure that they share' };
}
