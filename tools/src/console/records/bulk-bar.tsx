import type { Status } from 'dynamo-backlog';
import { count } from 'dynamo-backlog/overview';
import { ACTIONS, type ConsoleAction } from '../actions/catalog.js';
import type { PageContext } from '../layout.js';
import { Icon, link } from '../parts.js';
import type { RecordFilter } from './filter.js';
import type { StateCounts } from './state-counts.js';

const NAMES = ['run-now', 'redrive', 'snooze', 'move', 'discard'];

/** The actions on the ticked records, or on all that match. Stands in the form of the table. */
export function BulkBar(props: {
  context: PageContext;
  filter: RecordFilter;
  /** Undefined: the numbers of records that match are not known. */
  matching: StateCounts | undefined;
}) {
  const { context, filter, matching } = props;
  const { access, redact } = context.deps;
  const isHidden = redact !== undefined && filter.text.where !== '';
  /** `redrive 116`: the records that match, and that the action is for. */
  const wordsOf = ({ label, statuses }: ConsoleAction) => {
    const counts = matching?.(statuses.filter((status) => filter.statuses.includes(status)));
    const number = counts?.of === undefined ? '' : ` ${counts.sign ?? ''}${count(counts.of)}`;
    return `${label.toLowerCase()}${number}`;
  };
  const fits = (statuses: readonly Status[]) => statuses.some((status) => filter.statuses.includes(status));
  const actions = ACTIONS.filter(({ name, statuses }) => NAMES.includes(name) && fits(statuses));
  if (actions.length === 0) return null;
  return (
    <div class="actbar">
      <span class="sub">With the ticked ones:</span>
      <span class="buttons">
        {actions.map(({ name, label, icon, danger }) => (
          <button
            class={`btn s ${danger ? 'danger' : ''}`}
            type="submit"
            name="do"
            value={name}
            disabled={!access.write}
            aria-describedby={access.write ? undefined : 'read-only'}
          >
            {icon ? <Icon name={icon} /> : null}
            {label}…
          </button>
        ))}
      </span>
      {access.write ? (
        <span class="sm sub all">
          {isHidden ? 'No action takes all that match: parts of payloads are hidden.' : 'All that match: '}
          {isHidden
            ? null
            : actions.map((action, i) => (
                <>
                  {i > 0 ? ', ' : ''}
                  <a href={link('/bulk', { do: action.name, ...filter.text })}>{wordsOf(action)}</a>
                </>
              ))}
        </span>
      ) : (
        <span class="sm sub" id="read-only">
          {access.reason}
        </span>
      )}
    </div>
  );
}
