import {
  type ActionResult,
  BacklogOperator,
  type BacklogOperatorOptions,
  type BacklogRecord,
  type OperationOptions,
} from 'dynamo-backlog';
import type { Counts, OverviewDeps } from 'dynamo-backlog/overview';
import { type CausesRead, readCauses } from '../../console/failures/read-causes.js';
import { LARGE_BUDGET, PAGE_BUDGET } from '../../console/read-budgets.js';
import type { Target } from '../connect.js';
import { recordsOf } from '../list.js';
import { AlarmMutes, muteRefusal } from '../mute/alarm-mutes.js';
import { muteText, parseMute } from '../mute/rule.js';
import { userName } from '../operate/target.js';
import { counted } from '../output.js';

/** Records of one cause that wait, or that are dead. */
export interface CauseOf {
  readonly queue: string;
  /** The whole cause, as selections take it. */
  readonly cause: string;
}

/** The action on all records of a cause: `runNow` for those in retry, `redrive` for dead ones. */
export type CauseAction = 'runNow' | 'redrive';

/** The reads and writes that the keys of `backlog top` ask for. Each may throw. */
export interface Explorer {
  /** The reason why it changes nothing. Undefined: it may. */
  readonly refusal: string | undefined;
  causes(queue: string): Promise<CausesRead>;
  /** Some records of a cause, those in retry first. */
  records(which: CauseOf): Promise<readonly BacklogRecord[]>;
  act(action: CauseAction, which: CauseOf, options: OperationOptions): Promise<ActionResult>;
  pause(queue: string, note: { readonly reason: string; readonly until: string }): Promise<void>;
  resume(queue: string): Promise<void>;
  /** The reason why there are no alarms to mute. Undefined: there may be some. */
  readonly muteRefusal: string | undefined;
  /** The end of the mute of a queue, and its words. Undefined: there is none. */
  muteNote(queue: string): Promise<string | undefined>;
  /** Mutes the alarms of a queue, and says how many, until when. */
  mute(queue: string, note: { readonly reason: string; readonly until: string }): Promise<string>;
  unmute(queue: string): Promise<void>;
}

interface ExplorerDeps {
  readonly backlog: BacklogOperatorOptions & Pick<Target, 'client' | 'clock'>;
  readonly target: Pick<Target, 'table' | 'clock' | 'local' | 'endpoint'>;
  readonly runtime: () => OverviewDeps['runtime'];
  readonly counts: () => Counts | undefined;
  readonly mayWrite: boolean;
}

const MAX_SHOWN = 100;
/** Most records in retry, and most dead ones, that are read to find those of one cause. */
const MAX_READ = 1_000;

export function explorerOf({ backlog, target, runtime, counts, mayWrite }: ExplorerDeps): Explorer {
  const { clock } = backlog;
  const operator = new BacklogOperator(backlog);
  const mutes = new AlarmMutes(target);
  return {
    refusal: mayWrite ? undefined : 'start with --write to change anything',
    async causes(queue) {
      const own = counts()?.stats.queues.filter((stats) => stats.queue === queue) ?? [];
      // A queue without counts would be read as empty.
      if (own.length === 0) throw new Error(`${queue} has not been read`);
      const known = runtime();
      const budget = known ? LARGE_BUDGET : PAGE_BUDGET;
      return readCauses({ backlog, runtime: known }, own, { budget, now: clock.now() });
    },
    async records({ queue, cause }) {
      const found: BacklogRecord[] = [];
      for (const status of ['ERROR', 'DEAD'] as const) {
        for await (const record of recordsOf(backlog, { queue, status, error: cause }, MAX_READ)) {
          if (found.length >= MAX_SHOWN) break;
          found.push(record);
        }
      }
      return found;
    },
    act: (action, { queue, cause }, options) => operator[action]({ queue, errorName: cause }, options),
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
    async muteNote(queue) {
      const found = await mutes.read(queue);
      return found && !found.isOver ? muteText(found, clock.now()) : undefined;
    },
    async mute(queue, { reason, until }) {
      const muted = await mutes.mute(queue, parseMute({ until, ...wordsOf(reason) }, clock.now()));
      return `${counted(muted.alarms.length, 'alarm')} of ${queue} muted ${muteText(muted, clock.now())}`;
    },
    async unmute(queue) {
      await mutes.unmute(queue);
    },
  };
}

/** The words of an operator, as far as there are any. */
function wordsOf(reason: string) {
  const by = userName();
  return { ...(reason === '' ? {} : { reason }), ...(by === undefined ? {} : { by }) };
}
