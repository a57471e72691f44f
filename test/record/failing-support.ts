import { afterRun, type GroupOutcomes, parseFailing } from '../../src/record/index.js';

export const T = 1_767_225_600;
export const MINUTE = 60;
export const HOUR = 3_600;

export const none = {
  ...{ successes: 0, failures: 0, evidence: 0, records: 0, isTelling: false, firstFailureAt: 0 },
  ...{ lastFailureAt: 0, error: '' },
};
/** Outcomes of a run in which so many records have failed again. */
export const failed = (records: number, at: number, successes = 0): GroupOutcomes => ({
  ...none,
  ...{
    successes,
    failures: records,
    evidence: records,
    records,
    isTelling: true,
    firstFailureAt: at,
    lastFailureAt: at,
  },
});
export const succeeded = (successes: number): GroupOutcomes => ({ ...none, successes });

export function notesOf(
  ...runs: readonly (readonly [at: number, outcomes: Record<string, GroupOutcomes>])[]
) {
  return runs.reduce(
    (notes, [at, outcomes]) => afterRun(notes, new Map(Object.entries(outcomes)), at),
    parseFailing(undefined),
  );
}

/** Ten records have failed for five minutes. */
export const outage = () => notesOf([T, { '': failed(5, T) }], [T + 300, { '': failed(5, T + 300) }]);
