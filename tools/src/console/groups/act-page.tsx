import { SubmitButtons } from '../action-form.js';
import { Problem } from '../actions/confirm.js';
import { ActionForm, type PageContext, page, Verdict } from '../layout.js';
import { Foreign, Panel } from '../parts.js';
import type { ListedGroup } from './all-groups.js';
import { MembersBar } from './bar.js';
import type { GroupAction } from './catalog.js';
import { GroupBadge, groupActLink, groupLink } from './looks.js';

/** The page before an action on a group: its effects and its cost. @param problem the reason why it was not done */
export function groupActPage(props: {
  context: PageContext;
  group: ListedGroup;
  action: GroupAction;
  problem?: string | undefined;
}) {
  const { context, group, action, problem } = props;
  const { access } = context.deps;
  const { id } = group;
  const { label, icon, danger } = action;
  return page({
    context,
    title: `${label}: ${id}`,
    view: 'Groups',
    children: (
      <>
        <Verdict>
          {label} <Foreign text={id} most={128} />?
        </Verdict>
        <Panel title={label} note="nothing is changed until you confirm">
          <ActionForm context={context} action={groupActLink(id, action.name)} class="blank">
            <p>
              <GroupBadge group={group} />{' '}
              <a href={groupLink(id)}>
                <Foreign text={id} most={128} />
              </a>
            </p>
            <MembersBar group={group} />
            {action.explain(group).map((text) => (
              <p>{text}</p>
            ))}
            {problem === undefined ? null : <Problem text={problem} />}
            <SubmitButtons access={access} label={label} icon={icon} danger={danger} back={groupLink(id)} />
          </ActionForm>
        </Panel>
      </>
    ),
  });
}
