import { count, counted, type RuleView, shortened } from 'dynamo-backlog/overview';
import { ActionForm, type PageContext } from '../layout.js';
import { Foreign, Mark, Panel, When } from '../parts.js';
import { runLink } from '../runtime/run-page.js';
import { RunResult } from './runs.js';

/** Most rules that are all shown in full. */
const FEW_RULES = 6;

/** The rules of a local runtime: those that are late or fail, and the others, which are folded where there are many. */
export function RulesPanel({ context, rules }: { context: PageContext; rules: readonly RuleView[] }) {
  const { access } = context.deps;
  const bad = rules.filter(isBad);
  const others = rules.filter((view) => !isBad(view));
  const isFew = rules.length <= FEW_RULES;
  const shown = isFew ? [...bad, ...others] : bad;
  return (
    <Panel title="Rules" note={noteOf(rules)}>
      {shown.length === 0 ? null : <RulesTable context={context} rules={shown} />}
      {isFew || others.length === 0 ? null : (
        <details class="fold" data-key="rules">
          <summary>
            <FoldedText context={context} rules={others} />
          </summary>
          <RulesTable context={context} rules={others} />
        </details>
      )}
      {access.write ? null : (
        <p class="pad sub sm" id="read-only">
          {access.reason}
        </p>
      )}
    </Panel>
  );
}

function isBad(view: RuleView): boolean {
  return view.missed || failedRunsOf(view) > 0;
}

function failedRunsOf({ rule }: RuleView): number {
  return rule.failedInARow ?? 0;
}

/** `50 rules, 1 missed, 2 fail` */
function noteOf(rules: readonly RuleView[]): string {
  const missed = rules.filter((rule) => rule.missed).length;
  const failing = rules.filter((view) => failedRunsOf(view) > 0).length;
  return [
    counted(rules.length, 'rule'),
    ...(missed > 0 ? [`${count(missed)} missed`] : []),
    ...(failing > 0 ? [`${count(failing)} ${failing === 1 ? 'fails' : 'fail'}`] : []),
  ].join(', ');
}

/** `49 rules on time`, `2 disabled; next 14:48:00`. Not known while the clock is paused or slowed. */
function FoldedText({ context: { deps, now }, rules }: { context: PageContext; rules: readonly RuleView[] }) {
  const { paused, askedSpeed } = deps.runtime?.status() ?? {};
  const isKnown = paused !== true && askedSpeed === undefined;
  const disabled = rules.filter(({ rule }) => !rule.enabled).length;
  const active = rules.length - disabled;
  const [next] = rules.flatMap(({ rule }) => (rule.enabled && rule.nextAt ? [rule.nextAt] : [])).sort();
  return (
    <>
      <Mark tone={isKnown && active > 0 ? 'ok' : 'grey'} icon={isKnown && active > 0 ? 'ok' : 'new'}>
        <b>
          {counted(active, 'rule')} {isKnown ? 'on time' : 'not known to be late'}
        </b>
      </Mark>{' '}
      <span class="sub sm">
        {disabled > 0 ? `${count(disabled)} disabled` : ''}
        {disabled > 0 && next ? '; ' : ''}
        {next ? (
          <>
            next <When at={next} now={now} expected />
          </>
        ) : null}
      </span>
    </>
  );
}

function RulesTable({ context, rules }: { context: PageContext; rules: readonly RuleView[] }) {
  return (
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">Rule</th>
          <th scope="col">Last run</th>
          <th scope="col" class="r">
            Next run
          </th>
          <th scope="col" class="r">
            <span class="vh">Action</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rules.map((view) => (
          <RuleRow context={context} view={view} />
        ))}
      </tbody>
    </table>
  );
}

function RuleRow({ context, view }: { context: PageContext; view: RuleView }) {
  const { deps, now } = context;
  const { rule, last, missed } = view;
  const failedRuns = failedRunsOf(view);
  return (
    <tr class={isBad(view) ? 'missed' : undefined} data-key={rule.id}>
      <td title={`${rule.expression} ${rule.timeZone ?? ''}`}>
        <Foreign text={rule.label} most={80} />
      </td>
      <td class="sm full">
        {last ? (
          <>
            <a class="bare" href={runLink(last)} title="What it wrote">
              <When at={last.at} now={now} />
            </a>{' '}
            <RunResult run={last} />
          </>
        ) : (
          <span class="q">not since the start</span>
        )}
        {failedRuns > 1 ? <b> the last {count(failedRuns)} failed</b> : null}
        {missed ? ' ' : ''}
        {missed ? (
          <Mark tone="amber" icon="warn">
            <b>missed</b>
          </Mark>
        ) : null}
      </td>
      <td class="r sm">
        {rule.enabled ? (
          rule.nextAt ? (
            <When at={rule.nextAt} now={now} expected={!missed} />
          ) : (
            'never'
          )
        ) : (
          'disabled'
        )}
      </td>
      <td class="r">
        <ActionForm context={context} action={`/runtime/run?rule=${encodeURIComponent(rule.id)}`}>
          <button
            class="btn s"
            type="submit"
            disabled={!deps.access.write}
            aria-describedby={deps.access.write ? undefined : 'read-only'}
          >
            Run now<span class="vh"> {shortened(rule.label, 80)}</span>
          </button>
        </ActionForm>
      </td>
    </tr>
  );
}
