import type { RecurringRecord, RecurringRecords } from 'dynamo-backlog';
import type { Child } from 'hono/jsx';
import { PAUSE_IN_CDK_APP } from '../../recurring/recurring-words.js';
import type { Field } from '../actions/catalog.js';
import { PauseFields } from '../actions/pause-fields.js';
import { type IconName, recordLink } from '../parts.js';
import { goesOn, recurringLink } from './looks.js';

/** The result of an action on a recurring record. */
interface Acted {
  readonly result: string;
  /** The page after it. */
  readonly path: string;
}

/** An action on a recurring record. Each is a method of `RecurringRecords`. */
export interface RecurringAction {
  readonly name: 'pause' | 'resume' | 'run';
  readonly label: string;
  /** The words behind the name in the question. */
  readonly behind: string;
  readonly icon: IconName;
  readonly isFor: (recurring: RecurringRecord) => boolean;
  readonly explain: (recurring: RecurringRecord) => string;
  /** Fields of its form. Default: none. */
  readonly fields?: (field: Field, problem: string | undefined) => Child;
  /** @throws ConfigurationError that names the field, or says why it is not possible */
  readonly act: (records: RecurringRecords, context: ActContext) => Promise<Acted>;
}

interface ActContext {
  readonly name: string;
  readonly field: Field;
  readonly as: string;
}

const PAUSE_LABELS = {
  reason: 'Why, for other operators',
  until: 'Goes on by itself, such as 2h, 16:00Z or 2026-12-24T18:00:00Z (default: when it is resumed)',
};

export const RECURRING_ACTIONS: readonly RecurringAction[] = [
  {
    name: 'pause',
    label: 'Pause',
    behind: '',
    icon: 'paused',
    isFor: (recurring) => goesOn(recurring) && recurring.paused === undefined,
    explain: ({ origin }) =>
      `No occurrence is inserted until it is resumed, or until the time below. Those of that time are not made up for: a back-fill inserts them.${
        origin === 'template' ? ` Note: ${PAUSE_IN_CDK_APP}.` : ''
      }`,
    fields: (field, problem) => <PauseFields labels={PAUSE_LABELS} field={field} problem={problem} />,
    act: async (records, { name, field, as }) => {
      const [until, reason] = [field('until').trim(), field('reason').trim()];
      const { paused } = await records.pause(name, {
        by: as,
        ...(until === '' ? {} : { until: until as `${number}h` }),
        ...(reason === '' ? {} : { reason }),
      });
      const end =
        paused?.until === undefined ? '' : ` until ${paused.until.slice(0, 16).replace('T', ' ')} UTC`;
      return { result: `${name} is paused${end}.`, path: recurringLink(name) };
    },
  },
  {
    name: 'resume',
    label: 'Resume',
    behind: '',
    icon: 'run',
    isFor: (recurring) => goesOn(recurring) && recurring.paused !== undefined,
    explain: () =>
      'The next occurrence is the first one from now on. Those of the pause are not made up for: a back-fill inserts them.',
    act: async (records, { name }) => {
      await records.resume(name);
      return { result: `${name} is not paused now.`, path: recurringLink(name) };
    },
  },
  {
    name: 'run',
    label: 'Run now',
    behind: ' now',
    icon: 'run',
    isFor: goesOn,
    explain: ({ paused }) =>
      `Inserts a record for now, beside the schedule${paused ? ', which stays paused' : ''}. Its occurrences stay as they are.`,
    act: async (records, { name }) => {
      const { id, inserted } = await records.runNow(name);
      return { result: inserted ? `Inserted ${id}.` : `${id} is there already.`, path: recordLink(id) };
    },
  },
];
