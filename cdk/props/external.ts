import type { Duration } from 'aws-cdk-lib';
import { ConfigurationError } from '../../src/support/errors.js';
import { show } from '../../src/support/validation.js';

/** The `worker` of a queue that a process attempts which the Backlog does not make; no name of one of the `workers`. */
export const EXTERNAL = 'external';

/**
 * Least seconds of a process's run: the default timeout of the functions. It has room for what an attempt may take
 * before it goes on without its run.
 */
const MIN_RUN_SECONDS = 300;
/** Most seconds of an attempt that count for the alarm on lag, so that a worker that is down is noticed within 15 minutes. */
const MAX_LAG_BESIDE = 300;

/** Options that are invalid for a queue without a function and a rule, and what to do in their place. */
const UNFIT: readonly {
  readonly option: string;
  readonly isUnfit: (value: unknown) => boolean;
  readonly expected: string;
  readonly why: string;
}[] = [
  {
    option: 'firstAttempt',
    isUnfit: (value) => value === 'onInsert',
    expected: '"scheduled" or nothing',
    why: 'the intake starts no process: it indexes records, and the process finds them',
  },
  {
    option: 'enabled',
    isUnfit: (value) => value === false,
    expected: 'true or nothing',
    why: 'no rule starts its process: stop the process, or use "backlog pause"',
  },
  {
    option: 'onInsertConcurrency',
    isUnfit: (value) => value !== undefined,
    expected: 'nothing',
    why: 'no run is started on insertion',
  },
  {
    option: 'weight',
    isUnfit: (value) => value !== undefined,
    expected: 'nothing',
    why: 'its process has an option for it: backlog work --queue NAME,WEIGHT',
  },
];

/** Seconds of `attemptTimeout` above which an attempt goes on without its run. */
const LONG_ATTEMPT_SECONDS = 60;

/** @throws ConfigurationError naming the option of the queue */
export function checkExternal(
  props: Readonly<Record<string, unknown>> & { readonly attemptTimeout?: Duration | undefined },
  path: string,
): void {
  const seconds = props.attemptTimeout?.toSeconds() ?? 0;
  const limit = (['globalConcurrency', 'concurrencyPerKey'] as const).find(
    (option) => props[option] !== undefined,
  );
  if (seconds > LONG_ATTEMPT_SECONDS && limit !== undefined) {
    throw new ConfigurationError(
      `${path}.${limit}: expected nothing beside an "attemptTimeout" of ${seconds} s, as only attempts of up to ` +
        `${LONG_ATTEMPT_SECONDS} s are counted in all processes ("concurrency" limits each of them), got ${show(props[limit])}`,
    );
  }
  const unfit = UNFIT.find(({ option, isUnfit }) => isUnfit(props[option]));
  if (!unfit) return;
  const { option, expected, why } = unfit;
  throw new ConfigurationError(
    `${path}.${option}: expected ${expected} beside "worker": "${EXTERNAL}", as ${why}, got ${show(props[option])}`,
  );
}

export function isExternal({ work }: { readonly work: { readonly type: string } }): boolean {
  return work.type === 'external';
}

/**
 * The longest time of a process's run, in seconds: as long as that of a function, as tiers keep that distance whatever
 * attempts them.
 */
export function runSeconds(timeout: Duration): number {
  return Math.max(MIN_RUN_SECONDS, timeout.toSeconds());
}

/**
 * The seconds that the alarm on lag adds for attempts: a due record may wait for the end of one. Attempts of a process
 * may take hours, and then their records are not due meanwhile: the alarm need not wait so long.
 */
export function lagBeside({ type }: { readonly type: string }, attemptTimeout: number): number {
  return type === 'external' ? Math.min(attemptTimeout, MAX_LAG_BESIDE) : attemptTimeout;
}
