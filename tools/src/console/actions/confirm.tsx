import type { BacklogRecord } from 'dynamo-backlog';
import { jsonOf } from 'dynamo-backlog/engine';
import { shortened } from 'dynamo-backlog/overview';
import type { Child } from 'hono/jsx';
import { diffLines, nearby } from '../../diff-lines.js';
import { SubmitButtons } from '../action-form.js';
import { ActionForm, type PageContext, page, Verdict } from '../layout.js';
import { Foreign, Icon, link, Panel, recordLink, StateBadge } from '../parts.js';
import { visibleJson } from '../visible-json.js';
import type { ConsoleAction, Field } from './catalog.js';
import type { OutsideEndAction } from './outside-ends.js';

/** An action on one record. */
export type RecordAction = ConsoleAction | OutsideEndAction;

interface ConfirmProps {
  readonly context: PageContext;
  readonly action: RecordAction;
  readonly record: BacklogRecord;
  /** Stands for the record as this page shows it. */
  readonly seen: string;
  readonly queues: readonly string[];
  /** The values that were filled in before. */
  readonly field: Field;
  /** The reason why the action was not done; undefined: it was not tried yet. */
  readonly problem?: string | undefined;
}

/** The page before an action: what it will do, and its fields. Nothing is changed by it. */
export function confirmPage(props: ConfirmProps) {
  const { context, action, record, seen, queues, field, problem } = props;
  const isEdit = action.name === 'edit';
  const target = isEdit ? '/record/preview' : '/record/act';
  return frame(
    props,
    <ActionForm context={context} action={link(target, { id: record.id, do: action.name })} class="blank">
      <RecordLine record={record} />
      <p>{action.explain}</p>
      {problem ? <Problem text={problem} /> : null}
      <input type="hidden" name="seen" value={seen} />
      <div class={isEdit ? 'rows wide' : 'rows'}>
        {isEdit ? <PayloadField record={record} field={field} /> : action.fields?.({ record, queues, field })}
      </div>
      <Fence />
      <Buttons
        action={action}
        record={record}
        label={isEdit ? 'Look at the change' : action.label}
        context={context}
      />
    </ActionForm>,
  );
}

/** The page between the form of an edit and the edit: what changes, line by line. */
export function previewPage(props: ConfirmProps & { readonly payload: unknown }) {
  const { context, action, record, seen, field, payload } = props;
  const [before, after] = [record.payload, payload].map((value) => visibleJson(jsonOf(value)));
  const lines = diffLines(before ?? '', after ?? '');
  const again = field('redrive') === 'on';
  const isSame = lines.every(({ kind }) => kind === 'same');
  return frame(
    props,
    <ActionForm context={context} action={link('/record/act', { id: record.id, do: 'edit' })} class="blank">
      <RecordLine record={record} />
      {isSame ? <p class="sub">The payload is the same as before.</p> : <Diff lines={nearby(lines)} />}
      <input type="hidden" name="seen" value={seen} />
      <input type="hidden" name="payload" value={field('payload')} />
      {again ? <input type="hidden" name="redrive" value="on" /> : null}
      <Fence />
      <Buttons
        action={action}
        record={record}
        label={again ? 'Save the payload and redrive' : 'Save the payload'}
        context={context}
      />
    </ActionForm>,
  );
}

function frame({ context, action, record }: ConfirmProps, content: Child) {
  return page({
    context,
    title: `${action.label}: ${shortened(record.id, 60)}`,
    view: 'Records',
    children: (
      <>
        <Verdict>
          {action.ask[0]}
          <Foreign text={record.id} most={120} />
          {action.ask[1]}?
        </Verdict>
        <Panel title={action.label} note="nothing is changed until you confirm">
          {content}
        </Panel>
      </>
    ),
  });
}

function RecordLine({ record }: { record: BacklogRecord }) {
  return (
    <p>
      <StateBadge state={record.status} />{' '}
      <a href={recordLink(record.id)}>
        <Foreign text={record.id} most={200} />
      </a>{' '}
      <span class="sub">
        of <Foreign text={record.queue} most={60} />,{' '}
        {record.attempts === 1 ? '1 attempt' : `${record.attempts} attempts`}
      </span>
    </p>
  );
}

function Fence() {
  return (
    <p class="sub sm">Refused if the record is changed meanwhile, by an attempt or by another operator.</p>
  );
}

/** @param id for the field that it describes */
export function Problem({ text, id }: { text: string; id?: string }) {
  return (
    <p class="error mark" role="alert" id={id}>
      <Icon name="fail" />
      <span class="lines">
        <bdi>{shortened(text, 600)}</bdi>
      </span>
    </p>
  );
}

function Buttons(props: {
  action: RecordAction;
  record: BacklogRecord;
  label: string;
  context: PageContext;
}) {
  const { action, record, label, context } = props;
  const { access } = context.deps;
  return (
    <SubmitButtons
      access={access}
      label={label}
      icon={action.icon}
      danger={action.danger}
      back={recordLink(record.id)}
    />
  );
}

function PayloadField({ record, field }: { record: BacklogRecord; field: Field }) {
  const text = field('payload') || visibleJson(jsonOf(record.payload));
  return (
    <>
      <label class="f">
        Payload, as JSON. Numbers keep all their digits.
        <textarea name="payload" rows={Math.min(28, text.split('\n').length + 2)} spellcheck={false}>
          {text}
        </textarea>
      </label>
      {record.status === 'DEAD' ? (
        <label class="choice">
          <input type="checkbox" name="redrive" checked={field('redrive') === 'on'} />
          Redrive it with the new payload, in the same write
        </label>
      ) : null}
    </>
  );
}

const SIGNS = { same: ' ', removed: '-', added: '+' } as const;

function Diff({ lines }: { lines: ReturnType<typeof nearby> }) {
  return (
    <pre class="diff">
      {lines.map((line) =>
        line === undefined ? (
          <span class="skipped">…</span>
        ) : (
          <span class={line.kind}>
            {SIGNS[line.kind]} <bdi>{shortened(line.text, 2_000)}</bdi>
          </span>
        ),
      )}
    </pre>
  );
}
