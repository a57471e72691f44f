import type { Job } from 'dynamo-backlog/engine';
import { minuteText } from 'dynamo-backlog/overview';
import { actionWords, selectionText, stateText } from '../../jobs/job-words.js';
import { ActionForm } from '../action-form.js';
import { Foreign, Icon, link } from '../parts.js';
import { endOf, lookOf, mostUrgent, type Times } from './looks.js';
import { ProgressBar } from './progress.js';

interface StripProps {
  readonly jobs: readonly Job[];
  readonly times: Times;
  readonly csrf: string;
  readonly canAct: boolean;
}

/** The job that needs attention most, on each page but that of the jobs. */
export function JobStrip(props: StripProps) {
  const job = mostUrgent(props.jobs, props.times);
  // The element stays when it is empty, so that the script finds the place for a job.
  return <div data-live="job">{job ? <Strip {...props} job={job} /> : null}</div>;
}

function Strip({ job, times, csrf, canAct }: StripProps & { readonly job: Job }) {
  const { tone, icon } = lookOf(job, times.wall);
  const end = endOf(job, times);
  const act = { running: ['stop', 'Stop'], armed: ['stop', 'Cancel'], stopped: ['go-on', 'Go on'] } as const;
  const [path, word] = act[job.state as keyof typeof act] ?? [];
  return (
    <aside class={`strip job ${tone}`} aria-label="Job" data-key={job.id}>
      <span class={`mark ${tone}`}>
        <Icon name={icon} />
        <b>
          <Foreign text={actionWords(job).label} most={60} />
        </b>
      </span>
      <span class="sub">
        <Foreign text={selectionText(job)} most={80} />
      </span>
      <span>
        <Foreign text={stateText(job, times.wall)} most={160} />
        {end === undefined ? null : `, ends about ${minuteText(end, times.now)} UTC`}
      </span>
      <ProgressBar job={job} tone={tone} />
      <span class="end">
        {canAct && path ? (
          <ActionForm context={{ csrf }} action={link(`/jobs/${path}`, { id: job.id })}>
            <button class="text" type="submit">
              {word}
            </button>
          </ActionForm>
        ) : null}
        <a href="/jobs">All jobs</a>
      </span>
    </aside>
  );
}
