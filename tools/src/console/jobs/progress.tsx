import type { Job } from 'dynamo-backlog/engine';
import { countsText } from '../../jobs/job-words.js';
import type { Tone } from '../parts.js';

/** The part of a job that is done, while it is at work or stopped. Nothing, if its total is not known. */
export function ProgressBar({ job, tone }: { job: Job; tone: Tone }) {
  const { state, total, counts } = job;
  if (total === undefined || (state !== 'running' && state !== 'stopped')) return null;
  const done = Math.min(100, (100 * counts.changed) / Math.max(1, total));
  return (
    <svg
      class={`bar ${tone}`}
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      role="img"
      aria-label={countsText(job)}
    >
      <rect width={done} height="4" />
    </svg>
  );
}
