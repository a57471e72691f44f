import { clockText, count, type RunReport } from 'dynamo-backlog/overview';
import type { InvocationLog, LogLine } from '../../local/sandbox/invocation-log.js';
import type { FoundRun } from '../../local/status/run-log.js';
import { withShortPlaces } from '../../local/status/short-places.js';
import { type PageContext, page, Verdict } from '../layout.js';
import { Foreign, Icon, link, Mark, Panel, When } from '../parts.js';

/** The link to the page of a run that is still kept. */
export const runLink = ({ rule, at }: Pick<RunReport, 'rule' | 'at'>): string =>
  link('/runtime/run', { rule, at });

/** The page of one run: its result, what its function wrote, and the stack of what ended it. */
export function runPage(context: PageContext, { report, details }: FoundRun) {
  const { label, text, outcome, at, durationMs } = report;
  const { logs, stack } = details;
  const isBroken = outcome !== 'ok';
  return page({
    context,
    title: `A run of ${label}`,
    view: 'Overview',
    children: (
      <>
        <Verdict
          note={
            <>
              <When at={at} now={context.now} />, {count(Math.round(durationMs))} ms
            </>
          }
          details={<Foreign text={text} most={1_000} />}
        >
          {isBroken ? <Icon name="fail" /> : null}A run of <Foreign text={label} most={100} />
          {isBroken ? ' failed' : ''}
        </Verdict>
        {stack === undefined ? null : (
          <Panel title="Stack">
            <pre class="log stack">
              <Foreign text={withShortPlaces(stack.slice(0, 100_000))} most={10_000} />
            </pre>
          </Panel>
        )}
        {logs.length === 0 ? (
          <Panel title="Log">
            <p class="pad sub">Its function was not started.</p>
          </Panel>
        ) : (
          logs.map((log, i) => <LogPanel log={log} number={logs.length > 1 ? i + 1 : undefined} />)
        )}
      </>
    ),
  });
}

function LogPanel({ log: { lines, leftOut }, number }: { log: InvocationLog; number: number | undefined }) {
  const note =
    leftOut > 0 ? `${count(leftOut)} more lines are in the function's file` : 'times are of this machine';
  return (
    <Panel title={number === undefined ? 'Log' : `Log of invocation ${number}`} note={note}>
      {lines.length === 0 ? (
        <p class="pad sub">It wrote no line: a run in which all goes well writes its metrics at most.</p>
      ) : (
        <ol class="log">
          {lines.map((line) => (
            <Line line={line} />
          ))}
        </ol>
      )}
    </Panel>
  );
}

/** A line of the log. A structured line has its level, its message and the rest; another one is shown as it is. */
function Line({ line }: { line: LogLine }) {
  const parsed = parseLine(line.text);
  const time = <span class="q nw">{clockText(line.at, line.at)}</span>;
  if (!parsed) {
    return (
      <li>
        {time} {line.stream === 'stderr' ? <LevelMark level="stderr" /> : null}
        <code>
          <Foreign text={line.text} most={8_000} />
        </code>
      </li>
    );
  }
  const { level, message, stack, fields } = parsed;
  return (
    <li>
      {time} <LevelMark level={level} />{' '}
      <b>
        <Foreign text={message} most={300} />
      </b>{' '}
      <code class="sub">
        <Foreign text={fieldsText(fields)} most={2_000} />
      </code>
      {stack === undefined ? null : (
        <pre class="log stack">
          <Foreign text={withShortPlaces(stack.slice(0, 100_000))} most={8_000} />
        </pre>
      )}
    </li>
  );
}

function LevelMark({ level }: { level: string }) {
  if (level === 'ERROR' || level === 'CRITICAL' || level === 'stderr') {
    return (
      <Mark tone="dead" icon="fail">
        {level}
      </Mark>
    );
  }
  return level === 'WARN' ? (
    <Mark tone="amber" icon="warn">
      {level}
    </Mark>
  ) : (
    <span class="q">{level}</span>
  );
}

/** Names that every line has, and the page says once. */
const COMMON = new Set([
  'timestamp',
  'service',
  'sampling_rate',
  'function_request_id',
  'xray_trace_id',
  '_aws',
]);

interface ParsedLine {
  readonly level: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

function parseLine(text: string): ParsedLine | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const { level, message, stack, ...fields } = JSON.parse(text) as Record<string, unknown>;
    const own = (fields.error as { stack?: unknown } | undefined)?.stack;
    const shown = [stack, own].find((one) => typeof one === 'string') as string | undefined;
    // A line of metrics has neither message nor level.
    if (typeof message !== 'string') {
      return { level: 'metrics', message: '', stack: undefined, fields };
    }
    return { level: typeof level === 'string' ? level : 'INFO', message, stack: shown, fields };
  } catch {
    return undefined;
  }
}

/** `queue=orders attempt=3 error=HttpError` */
function fieldsText(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .filter(([name]) => !COMMON.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : withoutStack(value)}`)
    .join(' ');
}

function withoutStack(value: unknown): string {
  return JSON.stringify(value, (name, part: unknown) => (name === 'stack' ? undefined : part)) ?? '';
}
