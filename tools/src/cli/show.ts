import type { BacklogRecord, HistoryEntry } from 'dynamo-backlog';
import {
  age,
  DynamoDbStore,
  isPending,
  isPutOffByPause,
  jsonOf,
  keyPausesNow,
  notReadyText,
  restOf,
  traceIdOf,
} from 'dynamo-backlog/engine';
import { keyPauseNote } from 'dynamo-backlog/overview';
import { eventJson } from '../event-json.js';
import { type Attempted, historyGap } from '../history-gap.js';
import { outsideWait, outsideWaitText } from '../outside-wait.js';
import { recordJson, type ShownPayload, shownPayload, shownResult } from '../shown-payload.js';
import { connect, type Target, type TargetFlags } from './connect.js';
import { dueText, paintStatus, unknownTaskText } from './list-table.js';
import { controlTableIfKnown } from './operate/target.js';
import { EXIT, type ExitCode, hasColors, type Output, printable } from './output.js';
import { type Paint, padEnd, painter } from './paint.js';
import { loadRedact } from './redact-module.js';
import { servingAt, unservedText } from './unserved.js';

export interface ShowFlags extends TargetFlags {
  readonly json?: boolean | undefined;
  /** Shows the event about its end. */
  readonly event?: boolean | undefined;
  /** Shows the token with which its end is given from outside. */
  readonly token?: boolean | undefined;
  /** The file of a module that says what is shown of a payload. */
  readonly redact?: string | undefined;
}

const LABEL = 16;
const NO_TOKEN = 'none: it does not wait for its end from outside';

/** `backlog show`: one record in full. */
export async function showRecord(id: string, flags: ShowFlags, output: Output): Promise<ExitCode> {
  const redact = await loadRedact(flags.redact);
  const target = await connect(flags);
  const { client, table, clock, where } = target;
  try {
    const store = new DynamoDbStore({ client, tables: { records: table, control: table }, clock });
    const record = await store.records.get(id);
    if (!record) {
      output.message(`no record ${printable(id)} in ${where}`);
      return EXIT.failed;
    }
    if (flags.event) return showEvent(record, table, output);
    const text = flags.json
      ? recordJson(record, redact, flags.token)
      : describe(record, shownPayload(record, redact), shownResult(record, redact), {
          now: clock.now(),
          paint: painter(hasColors(process.stdout)),
          unserved: await whyUnserved(record, target),
          keyPaused: await whyKeyPaused(record, target),
          token: flags.token ? (outsideWait(record)?.token ?? NO_TOKEN) : undefined,
        }).join('\n');
    output.data(text);
    return EXIT.ok;
  } finally {
    client.destroy();
  }
}

function showEvent(record: BacklogRecord, table: string, output: Output): ExitCode {
  const event = eventJson(record, table);
  if (event === undefined) {
    output.message(`record ${printable(record.id)} has not ended: it is ${record.status}, and has no event`);
    return EXIT.failed;
  }
  output.data(event);
  return EXIT.ok;
}

async function whyUnserved(record: BacklogRecord, target: Target): Promise<string | undefined> {
  if (!isPending(record)) return undefined;
  return unservedText(record.queue, await servingAt(target, new Set([record.queue])));
}

/** `key tenant-7 is paused by role/ops until 16:00 UTC`. The control table says more than the record. */
async function whyKeyPaused(record: BacklogRecord, target: Target): Promise<string | undefined> {
  const { key, queue } = record;
  if (!isPending(record) || key === undefined) return undefined;
  const { client, table, clock } = target;
  const now = clock.now();
  const control = await controlTableIfKnown(target, undefined);
  if (control !== undefined) {
    const store = new DynamoDbStore({ client, tables: { records: table, control }, clock });
    const { pausedKeys } = await store.queues.read(queue);
    const pause = keyPausesNow(pausedKeys, now).find((one) => one.key === key);
    if (pause) return `key ${key} is paused${keyPauseNote(pause, now)}`;
  }
  return isPutOffByPause(record, now) ? `key ${key} was paused when a run came to it` : undefined;
}

interface Describing {
  readonly now: number;
  readonly paint: Paint;
  /** Text that no rule serves its queue. Undefined: a rule does, or it is not known. */
  readonly unserved: string | undefined;
  /** Text that its key is paused. Undefined: it is not, or that is not known. */
  readonly keyPaused: string | undefined;
  /** The token of its wait, or why there is none. Undefined: it is not asked for. */
  readonly token: string | undefined;
}

function describe(
  record: BacklogRecord,
  shown: ShownPayload,
  result: ShownPayload | undefined,
  { now, paint, unserved, keyPaused, token }: Describing,
): string[] {
  const line = (label: string, text: string) => `${paint('dim', padEnd(label, LABEL))}${text}`;
  const time = (label: string, iso: string | undefined) =>
    iso === undefined ? [] : [line(label, `${iso}  ${relative(Date.parse(iso) - now)}`)];
  const failures = record.failures > 0 ? `, ${record.failures} failed` : '';
  const notReady = record.notReady ? `, ${record.notReady} not ready` : '';
  const waits = outsideWaitText(record, now) ?? notReadyText(record);
  const unknown = unknownTaskText(record, now);
  const retry = record.retry ?? record.limits;
  return [
    line('id', paint('bold', printable(record.id))),
    line('queue', printable(record.queue)),
    ...(record.task === undefined ? [] : [line('task', printable(record.task))]),
    ...(record.key === undefined ? [] : [line('key', printable(record.key))]),
    ...(unserved ? [line('waits', paint('yellow', unserved))] : []),
    ...(keyPaused ? [line('waits', paint('yellow', printable(keyPaused)))] : []),
    ...(unknown ? [line('waits', paint('yellow', unknown))] : []),
    ...(waits ? [line('waits', printable(waits))] : []),
    ...(token === undefined ? [] : [line('token', token)]),
    line('status', paintStatus(record.status, paint)),
    ...(record.deadReason === undefined ? [] : [line('given up', printable(record.deadReason))]),
    line('attempts', `${record.attempts}${failures}${notReady}`),
    line('due', dueText(record, now)),
    ...time('inserted', record.insertedAt),
    ...time('available', record.availableAt),
    ...time('first failure', record.firstFailureAt),
    ...time('last attempt', record.lastAttemptAt),
    ...time('not before', restOf(record)),
    ...(record.expiresAt === undefined
      ? []
      : time('removed', new Date(record.expiresAt * 1000).toISOString())),
    ...(retry ? [line('retry', jsonOf(retry))] : []),
    ...(record.traceparent === undefined ? [] : [line('trace', traceIdOf(record.traceparent))]),
    ...record.problems.map((problem) => line('problem', paint('yellow', printable(problem)))),
    ...Object.entries(record.attributes).map(([name, value]) =>
      line(printable(name), printable(jsonOf(value))),
    ),
    ...historyHeading(record).flatMap((heading) => ['', paint('dim', heading)]),
    ...record.history.flatMap((entry) => historyLines(entry, paint)),
    '',
    paint('dim', shown.hidden === undefined && shown.isRedacted ? 'payload, redacted' : 'payload'),
    shownLines(shown),
    ...(result === undefined ? [] : ['', paint('dim', 'result'), shownLines(result)]),
  ];
}

function shownLines(shown: ShownPayload): string {
  return (shown.hidden ?? indentJson(shown.json)).split('\n').map(printable).join('\n');
}

/** The line above the history, which says why attempts have no entry in it. Empty: no attempt has ended. */
export function historyHeading(record: Attempted): string[] {
  const { attempts, history } = record;
  const kept = history.filter(({ probe }) => !probe).length;
  const gap = historyGap(record);
  if (gap === undefined) return kept > 0 ? ['attempts, the newest last'] : [];
  return [kept === 0 ? gap : `attempts, the newest last: ${kept} of ${attempts}; ${gap}`];
}

function relative(ms: number): string {
  return ms > 0 ? `(in ${age(ms)})` : `(${age(-ms)} ago)`;
}

/** `2026-11-20T09:30:00.000Z  attempt 3  HttpError: HTTP 503  (240 ms; next 2026-11-20T09:33:00.000Z in retries)` */
export function historyLines(entry: HistoryEntry, paint: Paint): string[] {
  const { at, attempt, ms, outcome, message, next, queue, stack, probe } = entry;
  const what = [outcome ?? entry.name ?? 'failed', message].filter(Boolean).join(': ');
  const then = [
    ms === undefined ? '' : `${ms} ms`,
    next === undefined
      ? ''
      : next === 'dead'
        ? next
        : `next ${next}${queue === undefined ? '' : ` in ${queue}`}`,
  ].filter(Boolean);
  const more = then.length > 0 ? `  ${paint('dim', `(${printable(then.join('; '))})`)}` : '';
  const frames = stack === undefined ? [] : stack.split('\n');
  return [
    `  ${paint('dim', `${printable(at)}  ${probe ? 'probe' : `attempt ${attempt}`}`)}  ${printable(what)}${more}`,
    ...frames.map((frame) => `      ${paint('dim', printable(frame))}`),
  ];
}

/** JSON over several lines, for people. */
export function indentJson(json: string): string {
  let depth = 0;
  return json.replace(/"(?:[^"\\]|\\[\s\S])*"?|[[{]\s*[\]}]|[[\]{},:]/g, (token) => {
    if (token.length > 1) return token;
    if (token === ',') return `,\n${'  '.repeat(depth)}`;
    if (token === ':') return ': ';
    depth += token === '{' || token === '[' ? 1 : -1;
    const line = `\n${'  '.repeat(depth)}`;
    return token === '{' || token === '[' ? `${token}${line}` : `${line}${token}`;
  });
}
