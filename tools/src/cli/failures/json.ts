import { AGES, causeText, type FailureCause } from 'dynamo-backlog/overview';
import type { CausesRead } from '../../console/failures/read-causes.js';

/** The causes for programs. `counted` says whether counts are exact; times that are not known are missing. */
export function causesJson({ causes, examined, total, counted }: CausesRead) {
  return {
    records: { examined, total, counted },
    causes: causes.map(causeJson),
  };
}

function causeJson({ cause, queues, patterns, ages, hours: _, ...rest }: FailureCause) {
  return {
    cause: causeText(cause),
    ...cause,
    ...numbersOf(rest),
    counted: rest.counted,
    ages: AGES.map(({ within }, i) => ({
      within: within || undefined,
      retry: Math.round(ages.retry[i] ?? 0),
      dead: Math.round(ages.dead[i] ?? 0),
    })),
    queues: queues.map((one) => ({ queue: one.queue, ...numbersOf(one) })),
    patterns: patterns.map(({ pattern, examples, ...one }) => ({
      pattern,
      ...numbersOf(one),
      examples: examples.map(({ id, queue }) => ({ id, queue })),
    })),
    morePatterns: rest.morePatterns,
  };
}

function numbersOf({
  retry,
  dead,
  firstAt,
  lastAt,
}: Pick<FailureCause, 'retry' | 'dead' | 'firstAt' | 'lastAt'>) {
  return { retry: Math.round(retry), dead: Math.round(dead), firstAt: isoOf(firstAt), lastAt: isoOf(lastAt) };
}

function isoOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
