import { age } from 'dynamo-backlog/engine';
import { clockText, count, type RunReport } from 'dynamo-backlog/overview';
import type { HandlerError, RepeatedNotice, RunningRun } from '../../local/status/status.js';
import type { PageContext } from '../layout.js';
import { Foreign, Icon, Mark, Panel, recordLink } from '../parts.js';
import { runLink } from '../runtime/run-page.js';

const SHOWN_RUNS = 12;
/** Runs longer than this are shown as at work. */
const LONG_RUN_MS = 1_000;
const SHOWN_FRAMES = 5;

/** Runs that did something, those at work first, and what went wrong in handlers and functions. */
export function RunsPanel({ context }: { context: PageContext }) {
  const { runs = [], running = [], errors = [], notices = [] } = context.deps.runtime?.status() ?? {};
  const atWork = running.filter(({ runningMs }) => runningMs >= LONG_RUN_MS).slice(0, SHOWN_RUNS);
  const newest = [...runs].reverse().slice(0, SHOWN_RUNS);
  return (
    <Panel title="Runs that did something" note="newest first">
      {newest.length + atWork.length === 0 ? <p class="pad sub">None since the start.</p> : null}
      <ol class="runs">
        {atWork.reverse().map((run) => (
          <li>
            <span class="sub nw">{run.at.slice(11, 19)}</span>
            <Foreign text={run.label} most={60} />
            <AtWork run={run} />
          </li>
        ))}
        {newest.map((run) => (
          <li>
            <span class="sub nw">{run.at.slice(11, 19)}</span>
            <a class="bare" href={runLink(run)} title="What it wrote">
              <Foreign text={run.label} most={60} />
            </a>
            <RunResult run={run} />
          </li>
        ))}
      </ol>
      {errors.length > 0 ? (
        <div class="notices">
          <h3>Errors of handlers</h3>
          <ul>
            {[...errors].reverse().map((error) => (
              <li>
                <HandlerErrorText error={error} />
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      {notices.length > 0 ? (
        <div class="notices">
          <h3>Warnings of the functions</h3>
          <ul>
            {[...notices].reverse().map((notice) => (
              <li>
                <NoticeText notice={notice} now={context.now} />
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </Panel>
  );
}

/** `at work for 4 min 10 s of 15 min`: real time, as the timeout of its function is. */
function AtWork({ run: { runningMs, timeoutMs } }: { run: RunningRun }) {
  const text = `at work for ${age(runningMs)}`;
  if (timeoutMs === undefined) return <span class="sub">{text}</span>;
  if (runningMs <= timeoutMs) return <span class="sub">{`${text} of ${age(timeoutMs)}`}</span>;
  return (
    <Mark tone="amber" icon="warn">
      <b>
        {text}, its function may take {age(timeoutMs)}
      </b>
    </Mark>
  );
}

/** A warning of a function, with the number of times that it has come since the start. */
function NoticeText({ notice, now }: { notice: RepeatedNotice; now: number }) {
  const { functionName, text, at, count: times } = notice;
  return (
    <>
      <b>{functionName}</b>: <Foreign text={text} most={300} />
      {times === 1 ? null : (
        <span class="sub">
          , {count(times)} times, the last at {clockText(Date.parse(at), now)}
        </span>
      )}
    </>
  );
}

/**
 * An error of a handler. It is shown once for all records on which the handler fails in the same way, until a later run
 * of the queue ends well.
 */
function HandlerErrorText({ error }: { error: HandlerError }) {
  const { where, text, record, count: times, stack } = error;
  return (
    <>
      <b>
        <Foreign text={where} most={80} />
      </b>
      : <Foreign text={text} most={300} />
      <span class="sub">
        , {times === 1 ? 'once' : `${count(times)} times`}
        {record === undefined ? null : (
          <>
            , last with{' '}
            <a href={recordLink(record)}>
              <Foreign text={record} most={60} />
            </a>
          </>
        )}
      </span>
      {stack.length === 0 ? null : (
        <pre class="log stack">
          <Foreign text={stack.slice(0, SHOWN_FRAMES).join('\n')} most={2_000} />
        </pre>
      )}
    </>
  );
}

/** The result of a run: its counts where it has some, which is shorter than its text. */
export function RunResult({ run: { outcome, text, summary, durationMs } }: { run: RunReport }) {
  if (outcome !== 'ok' || summary?.ended !== 'drained') {
    const tone = outcome === 'ok' ? 'sub' : 'mark dead';
    return (
      <span class={tone}>
        {outcome === 'ok' ? null : <Icon name="fail" />}
        <Foreign text={text} most={300} />
      </span>
    );
  }
  const { succeeded, failed, dead, snoozed, pending = 0 } = summary;
  const parts = [
    [succeeded, 'ok', 'ok', 'ok'],
    [failed, 'failed', 'retry', 'retry'],
    [dead, 'dead', 'dead', 'dead'],
    [snoozed, 'snoozed', 'new', 'new'],
    [pending, 'pending', 'new', 'new'],
  ] as const;
  const madeUp = summary.caughtUp ? `made up for tier ${summary.caughtUp.join(', ')}` : undefined;
  if (summary.attempted === 0)
    return <span class="sub">{['nothing due', madeUp].filter(Boolean).join(', ')}</span>;
  return (
    <span class="parts">
      {parts
        .filter(([number]) => number > 0)
        .map(([number, word, tone, icon]) => (
          <Mark tone={tone} icon={icon}>
            {count(number)} {word}
          </Mark>
        ))}
      {madeUp === undefined ? null : <span class="sub">{madeUp}</span>}
      <span class="q">{Math.round(durationMs)} ms</span>
    </span>
  );
}
