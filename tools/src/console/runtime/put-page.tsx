import { LoggedAs } from '../action-form.js';
import { Problem } from '../actions/confirm.js';
import { ActionForm, type PageContext, page, Verdict } from '../layout.js';
import { Panel } from '../parts.js';

const SAMPLE = '{\n  "order": 7,\n  "sku": "MUG-BLUE"\n}';

/** The form that puts a record, and the same as a command for another program. */
export function putPage(props: {
  context: PageContext;
  queues: readonly string[];
  field: (name: string) => string;
  problem?: string;
}) {
  const { context, queues, field, problem } = props;
  const { deps } = context;
  const payload = field('payload') || SAMPLE;
  return page({
    context,
    title: 'Put a record',
    children: (
      <>
        <Verdict>Put a record into {deps.backlog.table}</Verdict>
        <Panel title="Record" note="it is attempted within a second or two, as in the cloud">
          <ActionForm context={context} action="/runtime/put" class="blank">
            {problem ? <Problem text={problem} /> : null}
            <div class="rows">
              <label class="f">
                Queue
                <input name="queue" list="queues" value={field('queue') || queues[0] || 'default'} required />
                <datalist id="queues">
                  {queues.map((name) => (
                    <option value={name} />
                  ))}
                </datalist>
              </label>
              <label class="f">
                Id, also its idempotency key (default: a random one)
                <input class="mono" name="id" value={field('id')} />
              </label>
              <label class="f">
                Payload, as JSON
                <textarea name="payload" rows={8} spellcheck={false} required>
                  {payload}
                </textarea>
              </label>
            </div>
            <p class="buttons">
              <button class="btn pri" type="submit" disabled={!deps.access.write}>
                Put
              </button>
              <LoggedAs access={deps.access} />
            </p>
          </ActionForm>
        </Panel>
        <Panel title="The same from a terminal">
          <div class="blank">
            <pre class="cmd">{commandLine(context, queues[0] ?? 'default')}</pre>
            <p class="sub sm">Any AWS SDK and any credentials will do: the endpoint is this machine's.</p>
          </div>
        </Panel>
      </>
    ),
  });
}

function commandLine({ deps, now }: PageContext, queue: string): string {
  const endpoint = deps.runtime?.status().endpoint ?? '';
  const item = {
    id: { S: 'order-7' },
    status: { S: 'NEW' },
    queue: { S: queue },
    insertedAt: { S: new Date(now).toISOString() },
    payload: { M: { order: { N: '7' }, sku: { S: 'MUG-BLUE' } } },
  };
  return [
    'AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local AWS_REGION=us-east-1 \\',
    `aws dynamodb put-item --endpoint-url ${endpoint} --table-name ${deps.backlog.table} \\`,
    `  --item '${JSON.stringify(item)}'`,
  ].join('\n');
}
