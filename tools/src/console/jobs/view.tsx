import { isHeld, isLost, type Job, type JobList, undoRefusal } from 'dynamo-backlog/engine';
import { count, counted, minuteText } from 'dynamo-backlog/overview';
import type { Child } from 'hono/jsx';
import { actionWords, countsText, selectionText } from '../../jobs/job-words.js';
import { ActionForm, type PageContext, page, timesOf, Verdict } from '../layout.js';
import { Badge, Foreign, Icon, link, Panel, When } from '../parts.js';
import { endOf, lookOf, type Times, urgency } from './looks.js';
import { Pace } from './pace.js';
import { ProgressBar } from './progress.js';

/** Jobs that are shown; there may be more on the command line. */
const SHOWN = 50;
const MAX_TEXT = 300;

/** The stored jobs: those that need attention first. */
export function jobsPage(context: PageContext, { jobs, unreadable }: JobList) {
  const { wall } = timesOf(context);
  const open = jobs
    .filter(({ state }) => state === 'running' || state === 'armed' || state === 'stopped')
    .sort((one, other) => urgency(one, wall) - urgency(other, wall));
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
          {sentence(open, wall)}
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
        {jobs.length === 0 ? <NoJobs /> : null}
      </div>
    ),
  });
}

function NoJobs() {
  return (
    <section class="panel">
      <div class="blank">
        <p>An action on many records is a job: on all records of a filter, or on ticked ones.</p>
        <p class="buttons">
          <a class="btn" href="/records">
            Records
          </a>
          <a class="btn" href="/failures">
            Failures
          </a>
        </p>
      </div>
    </section>
  );
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
    <Panel title={title} note={note} class="jobs">
      {jobs.slice(0, SHOWN).map((job) => (
        <JobEntry context={context} job={job} />
      ))}
    </Panel>
  );
}

function JobEntry({ context, job }: { context: PageContext; job: Job }) {
  const { id, by, from, startedAt, createdAt, endedAt, undoneBy } = job;
  const times = timesOf(context);
  const { tone, icon, word } = lookOf(job, times.wall);
  return (
    <article data-key={id} aria-label={`Job ${id}`}>
      <div class="what">
        <h3>
          <Foreign text={actionWords(job).label} most={MAX_TEXT} />
          <Badge tone={tone} icon={icon}>
            {word}
          </Badge>
        </h3>
        <p>
          <Foreign text={selectionText(job)} most={MAX_TEXT} />
        </p>
      </div>
      <JobActions context={context} job={job} />
      <ProgressBar job={job} tone={tone} />
      <Facts job={job} times={times} />
      <p class="sub sm">
        By <Foreign text={by} most={60} />, <Foreign text={from} most={30} />, {endedAt ? 'ended ' : 'begun '}
        <When at={endedAt ?? startedAt ?? createdAt} now={context.now} />
        {paceText(job)}. Job <span class="mono">{id}</span>
        {undoneBy === undefined ? null : (
          <>
            , undone by job <Foreign text={undoneBy} most={40} />
          </>
        )}
        .
      </p>
    </article>
  );
}

function Facts({ job, times }: { job: Job; times: Times }) {
  const { state, why, armedFor, armedUntil = '' } = job;
  const end = endOf(job, times);
  return (
    <p class="facts-line">
      {state === 'armed' ? (
        <span>
          Begins when {armedFor === undefined ? 'its queue' : <Foreign text={armedFor} most={100} />} works
          again; given up <When at={armedUntil} now={times.now} />
        </span>
      ) : (
        <span>
          <b>{countsText(job)}</b> {actionWords(job).done}
        </span>
      )}
      {why === undefined ? null : <Foreign text={why} most={MAX_TEXT} />}
      {isLost(job, times.wall) ? <code>backlog jobs go-on {job.id}</code> : null}
      {end === undefined ? null : <span>ends about {minuteText(end, times.now)} UTC</span>}
      {partsOf(job).map((text) => (
        <span>{text}</span>
      ))}
    </p>
  );
}

function paceText({ perSecond, endedAt }: Job): string {
  return perSecond === undefined || endedAt !== undefined ? '' : `, ${perSecond} a second`;
}

/** The probe that is under way, and the records that it has not changed. */
function partsOf({ state, probe, probePassed, counts: { skipped, failed } }: Job): string[] {
  const left = Object.values(skipped).reduce((sum, one) => sum + one, 0);
  const isProbing = state === 'running' && probe !== undefined && !probePassed;
  return [
    isProbing ? `the others follow once ${probe} have succeeded` : '',
    left > 0 ? `${count(left)} left alone` : '',
    failed > 0 ? `${count(failed)} failed` : '',
  ].filter(Boolean);
}

/** The buttons that fit its state. An undo is behind one more step. */
function JobActions({ context, job }: { context: PageContext; job: Job }) {
  const { id, state, counts, total, isTotalLeast, perSecond = 0 } = job;
  if (!context.deps.access.write) return null;
  const form = (name: string, text: string, look = '', field: Child = null) => (
    <ActionForm context={context} action={link(`/jobs/${name}`, { id })}>
      {field}
      <button class={`btn ${look}`} type="submit">
        {text}
      </button>
    </ActionForm>
  );
  const left = total === undefined || isTotalLeast ? 0 : total - counts.changed;
  const buttons = () => {
    if (state === 'running') return form('stop', 'Stop');
    if (state === 'armed') return form('stop', 'Cancel');
    const { wall } = timesOf(context);
    if (isHeld(job, wall)) return null;
    const isUndone = job.undoneBy !== undefined || undoRefusal(job, context.now, wall) !== undefined;
    if (isUndone && state !== 'stopped') return null;
    const goOn = left > 0 ? `Go on with ${count(left)}` : 'Go on';
    const pace = (
      <Pace chosen={perSecond} total={left > 0 ? left : undefined}>
        Pace
      </Pace>
    );
    return (
      <>
        {state === 'stopped' ? (
          <>
            {form('go-on', goOn, 'pri')}
            <details>
              <summary class="btn">At another pace…</summary>
              <div class="ask">{form('go-on', goOn, '', pace)}</div>
            </details>
          </>
        ) : null}
        {isUndone ? null : (
          <details>
            <summary class="btn">Undo {count(counts.changed)}…</summary>
            <div class="ask">
              <p class="sub sm">Records that were written since are left as they are.</p>
              {form('undo', `Undo ${count(counts.changed)}`)}
            </div>
          </details>
        )}
      </>
    );
  };
  const shown = buttons();
  return shown && <div class="buttons ways">{shown}</div>;
}
