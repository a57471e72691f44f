import type { PastAttempt } from './plan.js';

type Kind = PastAttempt['kind'] | 'next' | 'timesOut' | 'planned' | 'givesUp';

const SHAPES: Readonly<Record<Kind, unknown>> = {
  failed: (
    <>
      <circle class="m-bad" r="6.5" />
      <path class="m-cut" d="m-2.3-2.3 4.6 4.6m0-4.6-4.6 4.6" />
    </>
  ),
  timedOut: (
    <>
      <circle class="m-bad" r="6.5" />
      <path class="m-cut" d="M0-3.500V0h2.8" />
    </>
  ),
  lost: (
    <>
      <circle class="m-bad" r="6.5" />
      <path class="m-cut" d="M0-3.200v3.400M0 3.100v.1" />
    </>
  ),
  snoozed: (
    <>
      <circle class="m-new" r="6.5" />
      <path class="m-cut" d="M-1.6-2.600v5.200M1.6-2.600v5.2" />
    </>
  ),
  cancelled: (
    <>
      <circle class="m-new" r="6.5" />
      <path class="m-cut" d="M-3 0h6" />
    </>
  ),
  succeeded: (
    <>
      <circle class="m-ok" r="6.5" />
      <path class="m-cut" d="m-2.6.2 1.8 1.9 3.4-4" />
    </>
  ),
  next: <circle class="m-next" r="7.5" />,
  timesOut: <circle class="m-next" r="7.5" />,
  planned: <circle class="m-planned" r="5" />,
  givesUp: <path class="m-end" d="M0-7 7 0 0 7-7 0z" />,
};

export const MARK_WORDS: Readonly<Record<Kind, string>> = {
  failed: 'failed',
  timedOut: 'timed out',
  lost: 'worker lost',
  snoozed: 'snoozed',
  cancelled: 'cancelled',
  succeeded: 'succeeded',
  next: 'next',
  timesOut: 'times out',
  planned: 'planned if that fails',
  givesUp: 'gives up',
};

/** One attempt, in a picture. */
export function AttemptMark({ kind, x, y }: { kind: Kind; x: number; y: number }) {
  return <g transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}>{SHAPES[kind] as never}</g>;
}

/** The mark by itself, beside a text. */
export function MarkIcon({ kind }: { kind: Kind }) {
  return (
    <svg class="markicon" viewBox="-9 -9 18 18" aria-hidden="true">
      {SHAPES[kind] as never}
    </svg>
  );
}

/** The legend of a picture's marks. */
export function MarkKey({ kinds }: { kinds: readonly Kind[] }) {
  return (
    <span class="key">
      {kinds.map((kind) => (
        <span>
          <MarkIcon kind={kind} />
          {MARK_WORDS[kind]}
        </span>
      ))}
    </span>
  );
}
