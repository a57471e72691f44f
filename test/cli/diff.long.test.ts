import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { METADATA_KEY } from '../../src/template-metadata.js';
import { startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { startCloudFormation } from './fake-cloudformation.js';
import { backlog } from './in-process.js';
import { oldTable } from './old-table.js';

const folder = () => mkdtemp(join(tmpdir(), 'backlog-diff-'));

async function fileOf(content: unknown): Promise<string> {
  const file = join(await folder(), 'template.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const queue = {
  retryMode: 'perRecord',
  retry: { type: 'fibonacci' },
  work: 'deliverTo',
  deliverTo: { url: 'https://erp.example.com/orders' },
  enabled: true,
  firstAttempt: 'onInsert',
  timeout: 300,
};

const table = (keys: string, index?: string) => ({
  Type: 'AWS::DynamoDB::GlobalTable',
  Properties: {
    KeySchema: [{ AttributeName: keys, KeyType: 'HASH' }],
    ...(index && { GlobalSecondaryIndexes: [{ IndexName: index }] }),
  },
  UpdateReplacePolicy: 'Retain',
  DeletionPolicy: 'Retain',
});

const RESOURCES = { Records: table('id', 'due'), Control: table('key'), Others: table('id') };

function template(queues: object, { version = 1, path = 'Backlog' } = {}) {
  const described = {
    ...{ version, trigger: 'rules', intake: true, sweep: true, queues },
    ...{ records: { logicalId: 'Records' }, control: { logicalId: 'Control' } },
  };
  return { Metadata: { [METADATA_KEY]: { [path]: described } }, Resources: RESOURCES };
}

describe('backlog diff, with bad input', () => {
  it.each([
    ['a file that does not exist', '/nowhere/template.json', 'there is no "/nowhere/template.json"'],
    ['YAML', 'Resources:\n  Table: {}\n', 'expected a template in JSON'],
    ['JSON that is no template', '[1]', 'expected a CloudFormation template'],
    ['an object that is no template', { Rules: [] }, 'expected a CloudFormation template'],
  ])('refuses %s', async (_what, content, expected) => {
    const from = typeof content === 'string' && content.startsWith('/') ? content : await fileOf(content);
    const { err, error } = await backlog('diff', '--from', from, '--to', await fileOf(template({})));
    expect(err).toContain(expected);
    expect(error).toMatchObject({ name: 'ConfigurationError' });
  });

  it('refuses a description by a newer version, and one that is damaged', async () => {
    const good = await fileOf(template({ orders: queue }));
    const newer = await fileOf(template({ orders: queue }, { version: 2 }));
    expect((await backlog('diff', '--from', good, '--to', newer)).err).toContain('a newer version of');
    const damaged = await fileOf(template({ orders: { ...queue, retryMode: 'often' } }));
    expect((await backlog('diff', '--from', damaged, '--to', good)).err).toContain(
      'something else at "queues.orders.retryMode"',
    );
  });

  it('says what to name, where nothing is named, and where no app was synthesized', async () => {
    expect((await backlog('diff')).err).toContain('--stack NAME, or a template with --from FILE');
    const cwd = process.cwd();
    process.chdir(await folder());
    try {
      const { err } = await backlog('diff', '--from', await fileOf(template({})));
      expect(err).toContain('--to: there is no "cdk.out": run "npx cdk synth" first');
    } finally {
      process.chdir(cwd);
    }
  });

  it('refuses templates without any Backlog', async () => {
    const none = await fileOf({ Resources: {} });
    const { err } = await backlog('diff', '--from', none, '--to', none);
    expect(err).toContain('there is no Backlog in');
  });

  it('compares the tables alone of a template that describes nothing, and says so', async () => {
    const old = await fileOf({ Resources: RESOURCES });
    const same = await backlog('diff', '--from', old, '--to', await fileOf(template({ orders: queue })));
    expect(same.code).toBe(3);
    expect(same.err).toContain('does not describe the queues: only tables are compared');
    expect(same.out).toBe('');
    const replaced = {
      ...template({}),
      Resources: { Records2: RESOURCES.Records, Control: RESOURCES.Control },
    };
    const { out } = await backlog('diff', '--from', old, '--to', await fileOf(replaced), '--json');
    expect(JSON.parse(out).changes).toMatchObject([{ kind: 'records.replaced', severity: 'leftBehind' }]);
  });
});

describe('what backlog diff writes', () => {
  it('is grouped by severity, and no line is longer than 80 columns', async () => {
    const from = await fileOf(
      template({ orders: queue, 'price-list': { ...queue, settings: { shards: 4 } }, mails: queue }),
    );
    const to = await fileOf(
      template({
        orders: { ...queue, retry: { type: 'fibonacci', maxAttempts: 5 }, settings: { concurrency: 3 } },
        mails: { ...queue, enabled: false },
      }),
    );
    const { out, err, code } = await backlog('diff', '--from', from, '--to', to);
    expect(code).toBe(3);
    expect(out).toBe(`LEAVES RECORDS BEHIND
  price-list: removed
    Those that wait stay in the table, and no run attempts them.
    -> Keep the old queue until it is empty, or move them into another one:
       npx backlog move --queue price-list --to OTHER

NEEDS ATTENTION
  orders: maxAttempts no limit → 5
    A record that has failed 4 times or more is DEAD after its next failure.
  mails: disabled
    They wait. No run attempts them, and no alarm fires.

SAFE
  orders: concurrency default → 3. Applies from the next run on.`);
    expect(err).toContain(': 1 leaves records behind, 2 need attention, 1 safe');
  });

  it('names the Backlog where there are several', async () => {
    const two = { ...template({ orders: queue }).Metadata[METADATA_KEY] };
    const both = (queues: object) => ({
      Metadata: {
        [METADATA_KEY]: {
          ...template({ orders: queue }).Metadata[METADATA_KEY],
          Other: { ...two.Backlog, queues },
        },
      },
      Resources: RESOURCES,
    });
    const disabled = { bulk: { ...queue, enabled: false } };
    const { out } = await backlog(
      ...['diff', '--from', await fileOf(both({ bulk: queue, x: queue }))],
      ...['--to', await fileOf(both(disabled))],
    );
    expect(out).toContain('\n  Other/bulk: disabled');
  });

  it('cannot play tricks on a terminal', async () => {
    const from = await fileOf(template({ orders: queue }));
    const evil = { ...queue, deliverTo: { url: 'https://a.example/\u001b[2J' } };
    const { out } = await backlog('diff', '--from', from, '--to', await fileOf(template({ orders: evil })));
    expect(out).not.toContain('\u001b[2J');
  });
});

describe('backlog diff --stack', () => {
  const deployed = template({ orders: queue, bulk: queue });
  let cloudFormation: Awaited<ReturnType<typeof startCloudFormation>>;
  beforeAll(async () => {
    cloudFormation = await startCloudFormation({ Shop: { template: deployed } });
  });
  afterAll(() => cloudFormation.stop());

  it('counts the records that wait in the queues and tables that change, and in no other', async () => {
    const dynamodb = await startEmbeddedDynamoDb();
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', cloudFormation.endpoint);
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', dynamodb.endpoint);
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
    vi.stubEnv('BACKLOG_RUNTIME_DIR', await folder());
    const records = await oldTable(dynamodb.endpoint, 'Shop-Records');
    const control = await oldTable(dynamodb.endpoint, 'Shop-Control', { key: 'key', index: false });
    try {
      const dueAt = '2026-11-20T12:00:00.000Z';
      const lanes = ['orders', 'bulk', 'bulk', 'bulk#3'];
      await records.put(
        ...lanes.map((lane, i) => ({ id: `r${i}`, status: 'NEW', queue: lane.split('#')[0], lane, dueAt })),
      );
      const to = await fileOf(template({ orders: queue }));
      const removed = await backlog('diff', '--stack', 'Shop', '--to', to);
      expect(removed.out).toContain('bulk: removed (3 records wait)');
      const elsewhere = { ...template({ orders: queue, bulk: queue }), Resources: {} };
      elsewhere.Metadata[METADATA_KEY].Backlog = {
        ...elsewhere.Metadata[METADATA_KEY].Backlog,
        ...{ records: { logicalId: 'Records2' }, control: { logicalId: 'Control2' } },
      } as never;
      const all = await backlog('diff', '--stack', 'Shop', '--to', await fileOf(elsewhere));
      expect(all.out).toContain('in place of\n      Shop-Records (4 records wait)');
      const from = await fileOf(deployed);
      const named = ['--table', 'Shop-Records', '--control-table', 'Shop-Control', '--json'];
      const byName = await backlog('diff', '--from', from, '--to', to, ...named);
      expect(JSON.parse(byName.out).changes).toMatchObject([{ queue: 'bulk', waiting: 3 }]);
      const absent = ['--table', 'Absent', '--control-table', 'Shop-Control', '--json'];
      const uncounted = await backlog('diff', '--from', from, '--to', to, ...absent);
      expect(uncounted.err).toContain('records are not counted: ');
      expect(JSON.parse(uncounted.out).changes[0]).not.toHaveProperty('waiting');
    } finally {
      vi.unstubAllEnvs();
      records.close();
      control.close();
      await dynamodb.stop();
    }
  });

  it('reads the template that was deployed from CloudFormation', async () => {
    const to = await fileOf(template({ orders: queue }));
    const { out, err, code } = await backlog(
      ...[
        'diff',
        '--stack',
        'Shop',
        '--to',
        to,
        '--endpoint',
        cloudFormation.endpoint,
        '--no-count',
        '--json',
      ],
    );
    expect(err).toBe('');
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      from: 'deployed stack Shop',
      changes: [{ kind: 'queue.removed', queue: 'bulk', severity: 'leftBehind' }],
    });
    expect(cloudFormation.requests[0]?.get('TemplateStage')).toBe('Original');
  });

  it('says what CloudFormation says of a stack that it cannot read', async () => {
    const to = await fileOf(template({}));
    const { err } = await backlog(
      'diff',
      '--stack',
      'Shpo',
      '--to',
      to,
      '--endpoint',
      cloudFormation.endpoint,
    );
    expect(err).toContain(
      '--stack: cannot read the template of Shpo: Stack with id Shpo does not exist. A stack that was renamed is a new one',
    );
  });
});
