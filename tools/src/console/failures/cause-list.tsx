import { age } from 'dynamo-backlog/engine';
import {
  COUNT_SIGNS,
  causeText,
  count,
  counted,
  errorText,
  type FailureCause,
  type FailureCounts,
  minuteText,
  sumOf,
} from 'dynamo-backlog/overview';
import type { PageContext } from '../layout.js';
import { Count, Foreign, link, Panel, Unknown } from '../parts.js';
import { CauseDetails } from './cause-details.js';
import { Sparkline } from './sparkline.js';

/** More causes than a page can show stay in the counts of its sentence. */
const MAX_CAUSES = 50;
const MAX_QUEUES = 3;

/** One row for each cause, which opens into the patterns of its messages. */
export function CauseList({ context, causes }: { context: PageContext; causes: readonly FailureCause[] }) {
  const patterns = causes.reduce((sum, one) => sum + one.patterns.length + one.morePatterns, 0);
  const left = causes.length - MAX_CAUSES;
  return (
    <Panel
      title="Causes"
      note={`${counted(causes.length, 'cause')}, ${counted(patterns, 'message pattern')}; most failures of the last hour first`}
      end={<span class="sub">A cause is error class, HTTP status and host.</span>}
    >
      <div class="causehead" aria-hidden="true">
        <span>Cause, host</span>
        <span class="r">In retry</span>
        <span class="r">Dead</span>
        <span>Last 24 h</span>
        <span>Since, UTC</span>
        <span>Queues</span>
      </div>
      <ul class="causes">
        {causes.slice(0, MAX_CAUSES).map((cause, i) => (
          <CauseRow context={context} cause={cause} isFirst={i === 0} />
        ))}
      </ul>
      {left > 0 ? <p class="pad sub sm">{counted(left, 'more cause')} with fewer records.</p> : null}
    </Panel>
  );
}

function CauseRow(props: { context: PageContext; cause: FailureCause; isFirst: boolean }) {
  const { context, cause, isFirst } = props;
  const sign = COUNT_SIGNS[cause.counted];
  const [pattern] = cause.patterns;
  return (
    <li data-key={causeText(cause.cause)}>
      <details open={isFirst}>
        <summary>
          <span class="what">
            <b>
              <Foreign text={errorText(cause.cause)} most={70} />
            </b>{' '}
            <span class="sub">{cause.cause.host ?? 'no host'}</span>
            <span class="sub sm block top-message">
              <Foreign text={pattern?.pattern ?? ''} most={120} />
            </span>
          </span>
          <span class={`r n${cause.retry === 0 ? ' none' : ''}`}>
            <Count of={Math.round(cause.retry)} sign={sign} tone="retry" icon="retry" />
            <span class="word"> in retry</span>
          </span>
          <span class={`r n${cause.dead === 0 ? ' none' : ''}`}>
            <Count of={Math.round(cause.dead)} sign={sign} tone="dead" icon="dead" />
            <span class="word"> dead</span>
          </span>
          <span class="spark">
            <Sparkline hours={cause.hours} />
          </span>
          <Since cause={cause} now={context.now} />
          <QueueNames queues={cause.queues} sign={sign} />
        </summary>
        <CauseDetails cause={cause} now={context.now} />
      </details>
      <Actions context={context} cause={cause} />
    </li>
  );
}

function Since({ cause: { firstAt, lastAt }, now }: { cause: FailureCause; now: number }) {
  if (firstAt === undefined || lastAt === undefined) {
    return (
      <span class="since">
        <Unknown />
      </span>
    );
  }
  const [from, until] = [minuteText(firstAt, now), minuteText(lastAt, now)];
  return (
    <span class="since">
      <b class="block">{age(Math.max(0, now - firstAt))}</b>
      <span class="sub sm">{from === until ? from : `${from} to ${until}`}</span>
    </span>
  );
}

function QueueNames({ queues, sign }: { queues: FailureCause['queues']; sign: string }) {
  const left = queues.length - MAX_QUEUES;
  return (
    <span class="sm inqueues">
      {queues.slice(0, MAX_QUEUES).map((queue) => (
        <span>
          <Foreign text={queue.queue} most={40} />{' '}
          <b>
            {sign}
            {count(Math.round(sumOf(queue)))}
          </b>
        </span>
      ))}
      {left > 0 ? <span class="sub">{counted(left, 'more queue')}</span> : null}
    </span>
  );
}

/** The action for all records of the cause: those in retry are retried, dead ones redriven. */
function Actions({ context, cause }: { context: PageContext; cause: FailureCause }) {
  const { access } = context.deps;
  const errorName = causeText(cause.cause);
  const all: readonly [keyof FailureCounts, name: string, label: string, status: string][] = [
    ['retry', 'run-now', 'Retry', 'ERROR'],
    ['dead', 'redrive', 'Redrive', 'DEAD'],
  ];
  return (
    <p class="acts-of-cause">
      {all
        .filter(([state]) => cause[state] > 0)
        .map(([state, name, label, status]) => {
          const text = `${label} ${COUNT_SIGNS[cause.counted]}${count(Math.round(cause[state]))}…`;
          return access.write ? (
            <a class="btn s" href={link('/bulk', { do: name, status, errorName })}>
              {text}
              <span class="vh">
                {' '}
                of <Foreign text={errorName} most={120} />
              </span>
            </a>
          ) : (
            <span class="q sm" title={access.reason}>
              {label}: read-only
            </span>
          );
        })}
    </p>
  );
}
