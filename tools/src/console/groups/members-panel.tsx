import type { Group } from 'dynamo-backlog';
import { count, counted } from 'dynamo-backlog/overview';
import { Count, Foreign, link, Panel, recordLink } from '../parts.js';
import { LISTED_STATES, type ListedState, type MembersPage } from './members.js';

const WORDS: Readonly<Record<ListedState, { readonly word: string; readonly none: string }>> = {
  waiting: { word: 'Waiting', none: 'No member waits.' },
  dead: { word: 'Dead', none: 'No member is dead.' },
  lost: { word: 'Lost', none: 'No member is lost.' },
  cancelled: { word: 'Cancelled', none: 'No member was cancelled.' },
  removed: { word: 'Removed', none: 'No member was removed.' },
  succeeded: { word: 'Succeeded', none: 'No member has succeeded.' },
};

const memberLink = (id: string, state: ListedState, from = 0) =>
  link('/groups/show', { id, state, from: from === 0 ? undefined : String(from) });

/** The members of a group in one state, with links to their records, a page of them. */
export function MembersPanel({ group, members }: { group: Group; members: MembersPage | undefined }) {
  if (members === undefined) {
    return (
      <Panel title="Members">
        <p class="pad sub">
          The members of a group that has ended are not kept: their records have its id in memberOf.
        </p>
      </Panel>
    );
  }
  const { state, ids, unreadable, next, from } = members;
  const { id } = group;
  return (
    <Panel title="Members" note="in the order of their insertion" live="members">
      <nav class="states" aria-label="State of members">
        {LISTED_STATES.filter((one) => one === state || one === 'waiting' || group[one] > 0).map((one) => (
          <a href={memberLink(id, one)} aria-current={one === state ? 'true' : undefined}>
            {WORDS[one].word} <Count of={group[one]} />
          </a>
        ))}
      </nav>
      {ids.length === 0 && unreadable === 0 ? (
        <p class="pad sub">{from === 0 ? WORDS[state].none : 'There are no more.'}</p>
      ) : (
        <ol class="memberids">
          {ids.map((member) => (
            <li data-key={member}>
              <a class="mono" href={recordLink(member)}>
                <Foreign text={member} most={120} />
              </a>
            </li>
          ))}
        </ol>
      )}
      {unreadable === 0 ? null : (
        <p class="amberline">The ids of {counted(unreadable, 'member')} are not there, or damaged.</p>
      )}
      {from === 0 && next === undefined ? null : (
        <div class="pager">
          <span>
            {count(ids.length)} of {count(group[state])} shown
          </span>
          <span class="buttons">
            {from === 0 ? null : (
              <a class="btn s" href={memberLink(id, state)}>
                First page
              </a>
            )}
            {next === undefined ? null : (
              <a class="btn s" href={memberLink(id, state, next)} rel="next">
                Next page
              </a>
            )}
          </span>
        </div>
      )}
    </Panel>
  );
}
