import { isHeld, isLost, type Job, type JobList, systemClock, undoRefusal } from 'dynamo-backlog/engine';
import { count, counted } from 'dynamo-backlog/overview';
import { actionWords, countsText, selectionText, stateText } from '../../jobs/job-words.js';
import { ActionForm, type PageContext, page, Verdict } from '../layout.js';
import { Foreign, Icon, link, Panel, When } from '../parts.js';

/** Jobs that are shown; there may be more on the command line. */
const SHOWN = 50;
const MAX_TEXT = 300;

/** The stored jobs: those that need attention first. */
export function jobsPage(context: PageContext, { jobs, unreadable }: JobList) {
  const open = jobs.filter(({ state }) => state === 'running' || state === 'armed' || state === 'stopped');
  const ended = jobs.filter((job) => !open.includes(job));
  const isMoving = open.some(({ state }) => state !== 'stopped');
  return page({
    context,
    title: 'Jobs',
    view: 'Jobs',
    ...(isMoving ? { refreshSeconds: 2 } : {}),
    children: (
      <div data-live="jobs" class="cols">
        <Verdict note="bulk actions of the last 30 days; a job goes on when this page is closed">
          {sentence(open, wallOf(context))}
        </Verdict>
        {unreadable.length > 0 ? (
          <p class="flash dead">
            <Icon name="warn" />
            <span>
              {counted(unreadable.length, 'job')} cannot be read, as damaged or of a newer version:{' '}
              <Foreign text={unreadable.join(', ')} most={MAX_TEXT} />
            </span>
          </p>
        ) : null}
        {open.length > 0 ? <JobPanel context={context} title="At work or stopped" jobs={open} /> : null}
        {ended.length > 0 ? <JobPanel context={context} title="Ended" jobs={ended} /> : null}
      </div>
    ),
  });
}

/** Real time, epoch milliseconds. */
function wallOf({ deps }: PageContext): number {
  return (deps.backlog.clock ?? systemClock).wall();
}

function sentence(open: readonly Job[], wall: number): string {
  const states = open.map((job) => (isLost(job, wall) ? 'without a process' : job.state));
  const numbers = ['running', 'armed', 'stopped', 'without a process'].flatMap((state) => {
    const of = states.filter((one) => one === state).length;
    return of > 0 ? [`${count(of)} ${state}`] : [];
  });
  return numbers.length === 0 ? 'No job is at work.' : `Jobs: ${numbers.join(', ')}.`;
}

function JobPanel({ context, title, jobs }: { context: PageContext; title: string; jobs: readonly Job[] }) {
  const note = jobs.length > SHOWN ? `the newest ${SHOWN} of ${count(jobs.length)}` : undefined;
  return (
    <Panel title={title} note={note}>
      {jobs.slice(0, SHOWN).map((job) => (
        <JobEntry context={context} job={job} />
      ))}
    </Panel>
  );
}

const LOOKS = {
  running: ['ok', 'run'],
  armed: ['new', 'new'],
  stopped: ['amber', 'warn'],
  done: ['ok', 'ok'],
  cancelled: ['grey', 'paused'],
} as const;

function JobEntry({ context, job }: { context: PageContext; job: Job }) {
  const { id, state, counts, total, by, from, startedAt, createdAt, endedAt, undoneBy } = job;
  const wall = wallOf(context);
  const [tone, icon] = LOOKS[isLost(job, wall) ? 'stopped' : state];
  const at = endedAt ?? startedAt ?? createdAt;
  return (
    <article class="blank" data-key={id} aria-label={`Job ${id}`}>
      <p>
        <b>
          <Foreign text={actionWords(job).label} most={MAX_TEXT} />
        </b>{' '}
        <Foreign text={selectionText(job)} most={MAX_TEXT} />
      </p>
      <p class={`mark ${tone}`}>
        <Icon name={icon} />
        <span>
          <Foreign text={stateText(job, wall)} most={MAX_TEXT} />
        </span>
      </p>
      {total !== undefined && (state === 'running' || state === 'stopped') ? (
        <svg
          class="bar"
          viewBox="0 0 100 4"
          preserveAspectRatio="none"
          role="img"
          aria-label={countsText(job)}
        >
          <rect width={Math.min(100, (100 * counts.changed) / Math.max(1, total))} height="4" />
        </svg>
      ) : null}
      <p class="sub sm">
        By <Foreign text={by} most={60} />, <Foreign text={from} most={30} />, {endedAt ? 'ended ' : 'begun '}
        <When at={at} now={context.now} />. {leftText(job)}
        {undoneBy === undefined ? null : (
          <>
            {' '}
            Undone by job <Foreign text={undoneBy} most={40} />.
          </>
        )}
      </p>
      <JobActions context={context} job={job} />
    </article>
  );
}

/** The records that it has not changed. */
function leftText({ counts: { skipped, failed } }: Job): string {
  const left = Object.values(skipped).reduce((sum, one) => sum + one, 0);
  const parts = [left > 0 ? `${count(left)} left alone` : '', failed > 0 ? `${count(failed)} failed` : ''];
  const text = parts.filter(Boolean).join(', ');
  return text === '' ? '' : `${text}.`;
}

/** The buttons that fit its state. An undo is behind one more step. */
function JobActions({ context, job }: { context: PageContext; job: Job }) {
  const { access } = context.deps;
  const { id, state, counts } = job;
  if (!access.write) return null;
  const form = (name: string, text: string) => (
    <ActionForm context={context} action={link(`/jobs/${name}`, { id })}>
      <button class="btn" type="submit">
        {text}
      </button>
    </ActionForm>
  );
  if (state === 'running') return form('stop', 'Stop');
  if (state === 'armed') return form('stop', 'Cancel');
  if (isHeld(job, wallOf(context))) return null;
  const isUndone = job.undoneBy !== undefined || undoRefusal(job, context.now) !== undefined;
  return (
    <>
      {state === 'stopped' ? form('go-on', 'Go on') : null}
      {isUndone ? null : (
        <details>
          <summary>Undo {count(counts.changed)}…</summary>
          <p class="sub sm">Records that were written since are left as they are.</p>
          {form('undo', `Undo ${count(counts.changed)}`)}
        </details>
      )}
    </>
  );
}
