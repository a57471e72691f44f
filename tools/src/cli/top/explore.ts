import {
  type ActionResult,
  BacklogOperator,
  type BacklogOperatorOptions,
  type BacklogRecord,
} from 'dynamo-backlog';
import { type Job, type NewJob, undoRefusal } from 'dynamo-backlog/engine';
import { type Counts, names, type OverviewDeps } from 'dynamo-backlog/overview';
import type { QueueMutes } from '../../alarms/queue-mutes.js';
import { type CausesRead, readCauses } from '../../console/failures/read-causes.js';
import { LARGE_BUDGET, PAGE_BUDGET } from '../../console/read-budgets.js';
import { JobRunner } from '../../jobs/runner.js';
import type { Target } from '../connect.js';
import { recordsOf } from '../list.js';
import { muteRefusal } from '../mute/alarm-mutes.js';
import { mutesInAws } from '../mute/queue-mutes.js';
import { userName } from '../operate/target.js';

/** Records of one cause that wait, or that are dead, in some queues. */
export interface CauseOf {
  readonly queues: readonly string[];
  /** The whole cause, as selections take it. */
  readonly cause: string;
}

/** The action on all records of a cause: `runNow` for those in retry, `redrive` for dead ones. */
export type CauseAction = 'runNow' | 'redrive';

/** A job that this process works on. */
export interface BegunJob {
  readonly id: string;
  /** Its end, in words. Never throws. */
  readonly ended: Promise<string>;
}

/** The reads and writes that the keys of `backlog top` ask for. Each may throw. */
export interface Explorer {
  /** The reason why it changes nothing. Undefined: it may. */
  readonly refusal: string | undefined;
  /** The causes of the failures of some queues. */
  causes(queues: readonly string[]): Promise<CausesRead>;
  /** Some records of a cause, those in retry first. */
  records(which: CauseOf): Promise<readonly BacklogRecord[]>;
  /** Counts the records that an action would change. */
  tryOut(action: CauseAction, which: CauseOf, signal: AbortSignal): Promise<ActionResult>;
  /** Stores a job, and works on it. */
  begin(action: CauseAction, which: CauseOf, options: BeginOptions): Promise<BegunJob>;
  stopJob(id: string): Promise<void>;
  /** Goes on with a job that has stopped, or whose process is lost. */
  goOn(id: string): Promise<BegunJob>;
  /** The reason why a job cannot be undone. Undefined: it can. */
  undoRefusal(job: Job): string | undefined;
  /** Stores a job that puts back what another one has changed, and works on it. */
  undo(id: string): Promise<BegunJob>;
  /** Stops the jobs that this process works on. */
  close(): Promise<void>;
  pause(queue: string, note: { readonly reason: string; readonly until: string }): Promise<void>;
  resume(queue: string): Promise<void>;
  /** The reason why there are no alarms to mute. Undefined: there may be some. */
  readonly muteRefusal: string | undefined;
  readonly mutes: QueueMutes;
}

/** Options of a new job. */
export type BeginOptions = Pick<NewJob, 'perSecond' | 'probe' | 'whenBack' | 'total'>;

interface ExplorerDeps {
  readonly backlog: BacklogOperatorOptions & Pick<Target, 'client' | 'clock'>;
  readonly target: Pick<Target, 'table' | 'clock' | 'local' | 'endpoint'>;
  readonly runtime: () => OverviewDeps['runtime'];
  readonly counts: () => Counts | undefined;
  readonly mayWrite: boolean;
}

const MAX_SHOWN = 100;
/** Most records in retry, and most dead ones, that are read to find those of one cause, all queues together. */
const MAX_READ = 1_000;

export function explorerOf({ backlog, target, runtime, counts, mayWrite }: ExplorerDeps): Explorer {
  const { clock } = backlog;
  const mutes = mutesInAws(target);
  const operator = new BacklogOperator(backlog);
  const access = { write: true, as: userName() ?? 'an unknown user' } as const;
  const runner = new JobRunner({ backlog, access, onAction: () => {} }, 'top');
  const started = (job: Job): BegunJob => ({ id: job.id, ended: runner.start(job) });
  return {
    refusal: mayWrite ? undefined : 'start with --write to change anything',
    async causes(queues) {
      const own = counts()?.stats.queues.filter(({ queue }) => queues.includes(queue)) ?? [];
      // A queue without counts would be read as empty.
      const missing = queues.filter((queue) => own.every((stats) => stats.queue !== queue));
      if (missing.length > 0) throw new Error(`${names(missing)} has not been read`);
      const known = runtime();
      const budget = known ? LARGE_BUDGET : PAGE_BUDGET;
      return readCauses({ backlog, runtime: known }, own, { budget, now: clock.now() });
    },
    async records({ queues, cause }) {
      const found: BacklogRecord[] = [];
      const most = Math.ceil(MAX_READ / queues.length);
      for (const status of ['ERROR', 'DEAD'] as const) {
        for (const queue of queues) {
          for await (const record of recordsOf(backlog, { queue, status, error: cause }, most)) {
            found.push(record);
            if (found.length === MAX_SHOWN) return found;
          }
        }
      }
      return found;
    },
    tryOut: (action, which, signal) => operator[action](selectionOf(which), { dryRun: true, signal }),
    async begin(action, which, options) {
      return started(
        await runner.jobs.create({ action, which: selectionOf(which), ...options }, runner.origin()),
      );
    },
    stopJob: (id) => runner.stop(id),
    async goOn(id) {
      return started(await runner.jobs.goOn(id));
    },
    undoRefusal: (job) =>
      job.undoneBy === undefined
        ? undoRefusal(job, clock.now(), clock.wall())
        : `it is undone by job ${job.undoneBy}`,
    async undo(id) {
      return started(await runner.jobs.undo(id, runner.origin()));
    },
    close: () => runner.stopAll(),
    async pause(queue, { reason, until }) {
      await operator.pause(queue, {
        ...(until === '' ? {} : { until }),
        ...wordsOf(reason),
      });
    },
    async resume(queue) {
      await operator.resume(queue);
    },
    muteRefusal: muteRefusal(target),
    mutes: {
      ...mutes,
      mute: (queue, { reason = '', until }) => mutes.mute(queue, { until, ...wordsOf(reason) }),
    },
  };
}

function selectionOf({ queues, cause }: CauseOf) {
  return { queue: queues, errorName: cause };
}

/** The words of an operator, as far as there are any. */
function wordsOf(reason: string) {
  const by = userName();
  return { ...(reason === '' ? {} : { reason }), ...(by === undefined ? {} : { by }) };
}
