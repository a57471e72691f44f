import type { RecurringRecords } from 'dynamo-backlog';
import type { OperatorStore, Tables } from 'dynamo-backlog/engine';
import { NO_FUNCTION } from '../../recurring/recurring-words.js';
import { isUnserved } from '../../recurring/serving.js';
import type { Target } from '../connect.js';
import type { ForceFlags } from '../operate/known-queue.js';
import type { OperateTargetFlags } from '../operate/target.js';
import type { ExitCode, Output } from '../output.js';

/** The flags of `backlog recurring`. */
export interface RecurringFlags extends OperateTargetFlags, ForceFlags {
  readonly schedule?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly queue?: string | undefined;
  readonly task?: string | undefined;
  readonly key?: string | undefined;
  readonly payload?: string | undefined;
  readonly policy?: string | undefined;
  readonly set?: readonly string[] | undefined;
  readonly missed?: 'skip' | 'one' | 'all' | undefined;
  readonly startAt?: string | undefined;
  readonly endAt?: string | undefined;
  readonly jitter?: string | undefined;
  readonly until?: string | undefined;
  readonly reason?: string | undefined;
  readonly by?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
  /** The file of a module that says what is shown of a payload. */
  readonly redact?: string | undefined;
}

/** The tables, and the recurring records in them. */
export interface RecurringAt {
  readonly target: Target;
  readonly controlTable: string;
  readonly tables: Tables;
  readonly store: OperatorStore;
  readonly recurring: RecurringRecords;
}

/** An action on one recurring record. */
export type Act = (name: string, at: RecurringAt, flags: RecurringFlags, output: Output) => Promise<ExitCode>;

/** Warns if nothing inserts the records. */
export async function warnIfUnserved({ store, target }: RecurringAt, output: Output): Promise<void> {
  if (await isUnserved(store, target.queues, target.clock.now())) output.message(`warning: ${NO_FUNCTION}`);
}
