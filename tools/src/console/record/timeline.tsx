import type { BacklogRecord, HistoryEntry } from 'dynamo-backlog';
import { age } from 'dynamo-backlog/engine';
import { clockText } from 'dynamo-backlog/overview';
import { historyGap } from '../../history-gap.js';
import { Foreign, Panel, When } from '../parts.js';
import { MARK_WORDS, MarkIcon } from './marks.js';
import { type AttemptPlan, kindOf } from './plan.js';

/** Each attempt with the gap before it, the newest first. */
export function Timeline(props: {
  record: BacklogRecord;
  plan: AttemptPlan;
  now: number;
  running: boolean;
  paused: boolean;
}) {
  const { record, plan, now, running, paused } = props;
  const newest = [...record.history].reverse();
  const kept = newest.filter(({ probe }) => !probe).length;
  const gap = historyGap(record);
  const note = kept === 0 ? undefined : gap ? `newest first, ${kept} of ${record.attempts}` : 'newest first';
  const last = newest[0];
  return (
    <Panel title="Attempts" note={note} live="attempts">
      <ol class="timeline">
        {plan.next === undefined ? null : (
          <li class="nxt">
            <span class="b">{plan.next > now ? clockText(plan.next, now) : 'now'}</span>
            <MarkIcon kind={plan.endsOutside ? 'timesOut' : 'next'} />
            <span>
              <span class="b">Attempt {record.attempts + 1}</span>{' '}
              {plan.endsOutside ? (
                <>
                  waits for its end from outside, at the latest <When at={plan.next} now={now} />
                </>
              ) : running ? (
                'is running'
              ) : plan.next > now ? (
                <When at={plan.next} now={now} />
              ) : (
                `is due: ${paused ? 'when its queue goes on' : whenDue(record)}`
              )}
            </span>
          </li>
        )}
        {plan.next !== undefined && last ? <Gap ms={plan.next - Date.parse(last.at)} /> : null}
        {newest.map((entry, i) => {
          const before = newest[i + 1];
          return (
            <>
              <Entry entry={entry} now={now} isNewest={i === 0} />
              {before ? <Gap ms={Date.parse(entry.at) - Date.parse(before.at)} /> : null}
            </>
          );
        })}
        {gap === undefined ? null : (
          <li class="sub">
            <span />
            <span />
            <span>{`${gap.slice(0, 1).toUpperCase()}${gap.slice(1)}.`}</span>
          </li>
        )}
        {newest.length === 0 && record.attempts === 0 ? (
          <li class="sub">
            <span />
            <span />
            <span>No attempt has ended yet.</span>
          </li>
        ) : null}
      </ol>
    </Panel>
  );
}

function Gap({ ms }: { ms: number }) {
  return (
    <li class="gap">
      <span>{Number.isFinite(ms) ? age(ms) : ''}</span>
      <i />
      <span />
    </li>
  );
}

function Entry({ entry, now, isNewest }: { entry: HistoryEntry; now: number; isNewest: boolean }) {
  const { at, attempt, ms, outcome, name, message, stack, next, queue, probe } = entry;
  const kind = kindOf(entry);
  return (
    <li data-key={`${probe ? 'probe' : 'attempt'}-${attempt}`}>
      <span>
        <time datetime={at}>{clockText(Date.parse(at), now)}</time>
      </span>
      <MarkIcon kind={kind} />
      <div>
        <span class="b">{probe ? 'probe' : attempt}</span>{' '}
        <Foreign text={outcome ?? name ?? 'failed'} most={64} /> <span class="vh">({MARK_WORDS[kind]})</span>
        {ms === undefined ? null : ' '}
        {ms === undefined ? null : (
          <span class="q sm">{ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`}</span>
        )}
        {message ? (
          <div class="msg">
            <Foreign text={message} most={600} />
          </div>
        ) : null}
        {next === undefined ? null : (
          <div class="q sm">
            {next === 'dead' ? 'given up' : `planned the next one for ${clockText(Date.parse(next), now)}`}
            {queue === undefined ? null : (
              <>
                {' '}
                in <Foreign text={queue} most={60} />
              </>
            )}
          </div>
        )}
        {stack === undefined ? null : (
          <details id={`stack-${probe ? 'probe-' : ''}${attempt}`} open={isNewest}>
            <summary>Stack</summary>
            <pre class="stack">
              <bdi>{stack}</bdi>
            </pre>
          </details>
        )}
      </div>
    </li>
  );
}

/** The time of an attempt that is due: one of a record with a number waits for those before it, until it is indexed or attempted. */
function whenDue({ key, seq, lane }: BacklogRecord): string {
  return key !== undefined && seq !== undefined && lane === undefined
    ? 'in the turn of its key'
    : 'at the next run';
}
