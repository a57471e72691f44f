import { type BacklogRecord, ConfigurationError, type RetryPolicy, type Status } from 'dynamo-backlog';
import { POLICY_TYPES } from 'dynamo-backlog/engine';
import type { Child } from 'hono/jsx';
import { parseExactly } from '../../cli/exact-json.js';
import { readPolicy } from '../../cli/policy-input.js';
import type { NamedAction } from '../../jobs/call.js';
import type { IconName } from '../parts.js';

/** Gives the value that an operator has filled into a field, or an empty text. */
export type Field = (name: string) => string;

/** A change, ready to be made. */
export interface Prepared extends NamedAction {
  /** The name of the change for the log and the page: `snooze`, with what belongs to it. */
  readonly text: string;
}

/** One action of the console. Each is a method of `BacklogOperator`. */
export interface ConsoleAction {
  /** The name of its command. */
  readonly name: string;
  readonly label: string;
  /** The words before and behind the records in a sentence: `Retry` 2 records `now`. */
  readonly ask: readonly [before: string, after: string];
  readonly icon?: IconName;
  /** Its button stands apart from the others. */
  readonly danger?: boolean;
  readonly statuses: readonly Status[];
  /** The verb of its result: 12 records `redriven`. */
  readonly done: string;
  /** It starts attempts: a few records can be tried first, and all can wait until the destination works again. */
  readonly startsAttempts?: boolean;
  /** Its effects, in sentences. */
  readonly explain: string;
  /** Fields of its form. Default: none. */
  readonly fields?: (context: FieldsContext) => Child;
  /** @throws ConfigurationError that says which field is invalid */
  readonly prepare: (field: Field, as: string) => Prepared;
}

/** The content that the fields of a form may show. */
export interface FieldsContext {
  /** The record; undefined: the action is for many records. */
  readonly record: BacklogRecord | undefined;
  /** Queues that are known. */
  readonly queues: readonly string[];
  /** The values that were filled in before. */
  readonly field: Field;
}

const WAITING: readonly Status[] = ['NEW', 'ERROR'];
const OPEN: readonly Status[] = [...WAITING, 'DEAD'];

export const ACTIONS: readonly ConsoleAction[] = [
  {
    name: 'run-now',
    label: 'Retry now',
    ask: ['Retry ', ' now'],
    icon: 'retry',
    statuses: WAITING,
    done: 'made due',
    explain:
      'Due at once, whatever the wait is for: a failure, a snooze, a Retry-After or a delay. The next run attempts it, within a minute. On a progressive queue it is due at the next turn of its tier.',
    startsAttempts: true,
    prepare: () => ({ text: 'retry now', action: 'runNow', options: {} }),
  },
  {
    name: 'redrive',
    label: 'Redrive',
    ask: ['Redrive ', ''],
    icon: 'retry',
    statuses: ['DEAD'],
    done: 'redriven',
    explain:
      'Waiting again, and due at once. Failures count from 0 and the age starts again; the history stays. If the cause is still there, it fails again.',
    startsAttempts: true,
    prepare: () => ({ text: 'redrive', action: 'redrive', options: {} }),
  },
  {
    name: 'snooze',
    label: 'Snooze',
    ask: ['Snooze ', ''],
    statuses: WAITING,
    done: 'put off',
    explain:
      'Not attempted before then. A snooze never brings an attempt forward, and does not extend the maximum age.',
    fields: ({ field }) => (
      <label class="f">
        For how long, such as 30m, 2h or 1d
        <input name="delay" value={field('delay') || '2h'} required autofocus />
      </label>
    ),
    prepare: (field) => {
      const delay = field('delay').trim();
      return { text: `snooze for ${delay}`, action: 'snooze', options: { delay } };
    },
  },
  {
    name: 'edit',
    label: 'Edit payload',
    ask: ['Edit the payload of ', ''],
    statuses: OPEN,
    done: 'edited',
    explain: 'The payload below takes the place of the present one.',
    prepare: (field) => {
      const payload = parseJson(field('payload'));
      const again = field('redrive') === 'on';
      return {
        text: `edit the payload${again ? ' and redrive' : ''}`,
        action: 'editPayload',
        options: { payload, redrive: again },
      };
    },
  },
  {
    name: 'move',
    label: 'Move',
    ask: ['Move ', ''],
    statuses: OPEN,
    done: 'moved',
    explain: 'Goes to another queue, with its due time and its history. A dead record stays dead.',
    fields: ({ queues, record, field }) => (
      <label class="f">
        To the queue
        <input name="to" list="queues" value={field('to')} required autofocus />
        <datalist id="queues">
          {queues
            .filter((name) => name !== record?.queue)
            .map((name) => (
              <option value={name} />
            ))}
        </datalist>
      </label>
    ),
    prepare: (field) => {
      const queue = field('to').trim();
      return { text: `move to ${queue}`, action: 'move', options: { queue } };
    },
  },
  {
    name: 'change-policy',
    label: 'Change policy',
    ask: ['Change the policy of ', ''],
    statuses: OPEN,
    done: 'given another policy',
    explain: 'The new policy decides from the next failure on. The current wait does not change.',
    fields: ({ field }) => (
      <>
        <label class="f">
          Policy: a type, a whole policy as JSON, or "queue" for that of its queue
          <input class="mono" name="policy" list="policies" value={field('policy')} required autofocus />
          <datalist id="policies">
            {['queue', ...POLICY_TYPES].map((type) => (
              <option value={type} />
            ))}
          </datalist>
        </label>
        <label class="f">
          Options of it, such as maxAttempts=20 unit=30
          <input class="mono" name="set" value={field('set')} />
        </label>
      </>
    ),
    prepare: (field) => {
      const settings = field('set').split(/\s+/).filter(Boolean);
      const type = field('policy').trim();
      if (type === 'queue' && settings.length > 0) {
        throw new ConfigurationError('Options: nothing can be set on the policy of the queue');
      }
      const retry = type === 'queue' ? null : (readPolicy(type, settings) as unknown as RetryPolicy);
      return {
        text: `change the policy to ${[type, ...settings].join(' ')}`,
        action: 'changePolicy',
        options: { retry },
      };
    },
  },
  {
    name: 'discard',
    label: 'Discard',
    ask: ['Discard ', ''],
    icon: 'dead',
    danger: true,
    statuses: OPEN,
    done: 'discarded',
    explain:
      'Given up, as the work is not wanted any more. It stays visible as dead for 30 days, and can be redriven until then; afterwards it is removed. If a long attempt of it is under way, that is told to end within 30 seconds, and the record is cancelled then, unless it succeeds.',
    fields: ({ field }) => (
      <label class="f">
        Reason, kept on the record
        <input name="reason" value={field('reason')} maxlength={120} autofocus />
      </label>
    ),
    prepare: (field, as) => {
      const reason = [field('reason').trim(), `by ${as}`].filter(Boolean).join(', ');
      return { text: `discard (${reason})`, action: 'discard', options: { reason } };
    },
  },
];

function parseJson(text: string): unknown {
  try {
    return parseExactly(text);
  } catch (error) {
    throw new ConfigurationError(`Payload: expected JSON: ${(error as Error).message}`, { cause: error });
  }
}
