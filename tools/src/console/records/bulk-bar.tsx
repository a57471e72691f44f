import type { Status } from 'dynamo-backlog';
import { ACTIONS } from '../actions/catalog.js';
import type { PageContext } from '../layout.js';
import { Icon, link } from '../parts.js';
import type { RecordFilter } from './filter.js';

const NAMES = ['run-now', 'redrive', 'snooze', 'move', 'discard'];

/** The actions on the ticked records, or on all that match. Stands in the form of the table. */
export function BulkBar({ context, filter }: { context: PageContext; filter: RecordFilter }) {
  const { access } = context.deps;
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
          All that match, 1,000 at a time:{' '}
          {actions.map(({ name, label }, i) => (
            <>
              {i > 0 ? ', ' : ''}
              <a href={link('/bulk', { do: name, ...filter.text })}>{label.toLowerCase()}</a>
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
