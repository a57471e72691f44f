import type { BacklogRecord } from 'dynamo-backlog';
import { ConfigurationError } from 'dynamo-backlog';
import { completionOf } from 'dynamo-backlog/engine';
import { parseExactly } from '../../cli/exact-json.js';
import type { OutsideEndCall } from '../../outside-end.js';
import { outsideWait } from '../../outside-wait.js';
import type { ConsoleAction, Field } from './catalog.js';

/** An end that an operator gives an attempt from outside: an action of one record alone. */
export interface OutsideEndAction extends Omit<ConsoleAction, 'prepare' | 'startsAttempts'> {
  /** @throws ConfigurationError that says which field is invalid */
  readonly prepareEnd: (field: Field) => OutsideEndCall;
}

const WAITING = ['NEW', 'ERROR'] as const;

const OUTSIDE_ENDS: readonly OutsideEndAction[] = [
  {
    name: 'complete',
    label: 'Complete',
    ask: ['Complete ', ''],
    icon: 'ok',
    statuses: WAITING,
    done: 'completed',
    explain:
      'Succeeded, as if its handler had returned. It is not attempted again. The service that it waits for is refused when it answers later.',
    fields: ({ field }) => (
      <label class="f">
        Result as JSON, kept on the record: optional, up to 1,024 bytes
        <textarea name="result" rows={3} spellcheck={false} autofocus>
          {field('result')}
        </textarea>
      </label>
    ),
    prepareEnd: (field) => {
      const text = field('result').trim();
      return { do: 'complete', options: text === '' ? {} : { result: parseResult(text) } };
    },
  },
  {
    name: 'fail',
    label: 'Fail',
    ask: ['Fail ', ''],
    icon: 'fail',
    statuses: WAITING,
    done: 'failed',
    explain:
      'Failed, as if its handler had thrown. The next run of its queue writes that; the policy says when the next attempt is, or gives it up.',
    fields: ({ field }) => (
      <label class="f">
        Message of the failure, kept on the record
        <input name="error" value={field('error')} required maxlength={400} autofocus />
      </label>
    ),
    prepareEnd: (field) => ({ do: 'fail', options: { error: field('error').trim() } }),
  },
];

/** The ends that can be given to a record: none, unless it waits for one that has not come. */
export function outsideEndsFor(record: BacklogRecord): readonly OutsideEndAction[] {
  const waits = outsideWait(record) !== undefined && completionOf(record) === undefined;
  return waits ? OUTSIDE_ENDS : [];
}

function parseResult(text: string): unknown {
  try {
    return parseExactly(text);
  } catch (error) {
    throw new ConfigurationError(`Result: expected JSON: ${(error as Error).message}`, { cause: error });
  }
}
