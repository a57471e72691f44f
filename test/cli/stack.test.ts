import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { failingText } from '../../src/record/index.js';
import { METADATA_KEY, TOKEN } from '../../src/template-metadata.js';
import { connect } from '../../tools/src/cli/connect.js';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { announcedRuntime } from './announced-runtime.js';
import { startCloudFormation } from './fake-cloudformation.js';
import { backlog } from './in-process.js';
import { oldTable } from './old-table.js';

const OWN = { records: { logicalId: 'Records' }, control: { logicalId: 'Control' } };

const QUEUE = {
  ...{ retryMode: 'perRecord', work: 'deliverTo', enabled: true },
  ...{ firstAttempt: 'scheduled', timeout: 60 },
};

function template(backlogs: Readonly<Record<string, object>>) {
  const described = Object.entries(backlogs).map(([path, tables]) => [
    path,
    { version: 1, trigger: 'rules', intake: true, sweep: true, queues: {}, ...tables },
  ]);
  return { Metadata: { [METADATA_KEY]: Object.fromEntries(described) }, Resources: { Records: {} } };
}

const STACKS = {
  Shop: { template: template({ Backlog: OWN }) },
  // A second Backlog on the tables of the first one.
  Shared: {
    template: template({ Backlog: OWN, Team: OWN }),
  },
  // A queue of it has never run, another one is no name of a queue.
  Fresh: {
    template: template({
      Backlog: {
        ...{ records: { name: 'Fresh-Records' }, control: { name: 'Fresh-Control' } },
        queues: { mails: QUEUE, bulk: { ...QUEUE, retryMode: 'progressive' }, 'a\u001b[2J': QUEUE },
      },
    }),
  },
  Several: {
    template: template({
      Backlog: OWN,
      Mails: { records: { logicalId: 'Mails' }, control: { logicalId: 'MailsControl' } },
    }),
  },
  Evil: {
    template: template({
      'a\u001b[2Jb': OWN,
      Other: { records: { name: 'x\u001b[2J' }, control: { name: 'y\u202e' } },
    }),
  },
  // A table that its own template names so.
  EvilName: { template: template({ Backlog: { records: { name: 'x\u001b[2J' }, control: { name: 'y' } } }) },
  Named: {
    template: template({
      Backlog: {
        ...{ records: { name: 'Shop-Records' }, control: { name: 'Shop-Control' } },
        runbookUrl: 'https://wiki.example.com/backlog',
        groups: true,
      },
    }),
  },
  OddRunbook: {
    template: template({
      Backlog: {
        ...{ records: { name: 'Shop-Records' }, control: { name: 'Shop-Control' } },
        runbookUrl: 'javascript:alert(1)',
      },
    }),
  },
  // Its tables have the names of those of the local runtime.
  Same: {
    template: template({ Backlog: { records: { name: 'Records1' }, control: { name: 'Control1' } } }),
  },
  Team: {
    template: template({ Backlog: { records: { name: `${TOKEN} a1` }, control: { name: `${TOKEN} b2` } } }),
  },
  Silent: { template: template({ Backlog: OWN }), tellsResources: false },
  Website: { template: { Resources: { Page: {} } } },
};

let dynamodb: EmbeddedDynamoDb;
let cloudFormation: Awaited<ReturnType<typeof startCloudFormation>>;
const tables: Awaited<ReturnType<typeof oldTable>>[] = [];
const dead = (id: string) => ({
  ...{ id, status: 'DEAD', payload: {}, queue: 'orders', rev: 'r' },
  ...{ insertedAt: '2026-01-01T00:00:00.000Z', lane: 'orders/dead', dueAt: '2026-01-02T00:00:00.000Z' },
});

beforeAll(async () => {
  dynamodb = await startEmbeddedDynamoDb();
  cloudFormation = await startCloudFormation(STACKS);
  const records = await oldTable(dynamodb.endpoint, 'Shop-Records');
  const control = await oldTable(dynamodb.endpoint, 'Shop-Control', { key: 'key', index: false });
  await control.put({ key: 'queue#orders', retryMode: 'perRecord', retryModeSince: 0 });
  tables.push(records, control);
  tables.push(await oldTable(dynamodb.endpoint, 'Shared-Records'));
  tables.push(await oldTable(dynamodb.endpoint, 'Silent-Records'));
  await records.put(dead('order-1'), dead('order-2'));
});
afterAll(async () => {
  for (const table of tables) table.close();
  await cloudFormation.stop();
  await dynamodb.stop();
});
beforeEach(async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', cloudFormation.endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', dynamodb.endpoint);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  vi.stubEnv('BACKLOG_RUNTIME_DIR', await mkdtemp(join(tmpdir(), 'backlog-stack-')));
});
afterEach(() => vi.unstubAllEnvs());

describe('--stack', () => {
  it('finds both tables of a stack, for a command that looks and for one that acts', async () => {
    const counted = await backlog('stats', '--stack', 'Shop', '--json');
    expect(counted.error).toBeUndefined();
    expect(JSON.parse(counted.out).queues).toMatchObject([{ queue: 'orders', dead: 2 }]);

    const redriven = await backlog('redrive', '--queue', 'orders', '--stack', 'Shop', '--yes');
    expect(redriven.err).toContain(`table Shop-Records at ${dynamodb.endpoint}, stack Shop`);
    const listed = await backlog('list', '--stack', 'Shop', '--json');
    expect(JSON.parse(listed.out)).toMatchObject([{ status: 'NEW' }, { status: 'NEW' }]);

    const file = join(await mkdtemp(join(tmpdir(), 'backlog-stack-')), 'more.ndjson');
    await writeFile(file, '{"id": "order-3", "payload": 1}\n');
    expect((await backlog('import', file, '--stack', 'Shop')).code).toBe(0);
    expect((await backlog('show', 'order-3', '--stack', 'Named')).out).toContain('order-3');
    // The stack has an intake, which has it attempted within seconds.
    const order = JSON.parse((await backlog('list', '--status', 'NEW', '--stack', 'Named', '--json')).out);
    expect(order.find(({ id }: { id: string }) => id === 'order-3')).not.toHaveProperty('lane');
  });

  it('shows queues of the stack that no run has served, with what waits in them', async () => {
    const records = await oldTable(dynamodb.endpoint, 'Fresh-Records');
    const control = await oldTable(dynamodb.endpoint, 'Fresh-Control', { key: 'key', index: false });
    tables.push(records, control);
    const waits = { ...dead('mail-1'), status: 'NEW', queue: 'mails', lane: 'mails' };
    await records.put(waits);
    // Another stack works on the same tables.
    const other = { owner: 'Other', function: 'arn', retryMode: 'perRecord', at: new Date().toISOString() };
    await control.put({ key: 'registry', rev: 'r', queues: { theirs: other } });
    for (const command of ['stats', 'top']) {
      const { out } = await backlog(command, '--json', '--stack', 'Fresh');
      const { queues } = JSON.parse(out) as { queues: { queue: string }[] };
      const named = [...queues].sort((one, two) => (one.queue < two.queue ? -1 : 1));
      expect(named).toMatchObject([
        { queue: 'bulk', waiting: 0 },
        { queue: 'mails', waiting: 1, condition: 'late' },
        { queue: 'theirs', waiting: 0 },
      ]);
      for (const queue of queues) expect(queue).not.toHaveProperty('unserved');
    }
    const checked = await backlog('stats', '--check', '--stack', 'Fresh');
    expect(checked.out).toMatch(/bulk +by age .*\nmails +per record /);
    expect(checked.code).toBe(3);
    expect(checked.err).toContain('late: 1 record due, no run has served it yet.');
    expect((await backlog('list', '--stack', 'Fresh')).err).not.toContain('no rule serves');
    expect((await backlog('pause', 'mails', '--stack', 'Fresh')).code).toBe(0);
  });

  it('links incidents to the runbook of the stack', async () => {
    const [, control] = tables;
    const now = Math.floor(Date.now() / 1000);
    const counts = { recentSuccesses: 0, recentFailures: 9, countedAt: now, error: 'HttpError 503' };
    const note = { group: '', since: now - 840, lastAt: now - 40, records: 9, evidence: 20, ...counts };
    const queue = { key: 'queue#orders', retryMode: 'perRecord', retryModeSince: 0 };
    await control?.put({ ...queue, failing: failingText({ notes: [note], past: [] }) });
    const page = 'https://wiki.example.com/backlog#failures';
    for (const command of ['stats', 'top']) {
      const { out } = await backlog(command, '--json', '--stack', 'Named');
      const { incidents } = JSON.parse(out) as { incidents: { state: string }[] };
      const failing = incidents.filter(({ state }) => state === 'failing');
      expect(failing).toMatchObject([{ queues: ['orders'], runbook: page }]);
    }
    expect((await backlog('top', '--once', '--stack', 'Named')).out).toContain(`Runbook: ${page}`);
    const odd = await backlog('top', '--json', '--stack', 'OddRunbook');
    expect(JSON.parse(odd.out).incidents[0]).not.toHaveProperty('runbook');
    await control?.put(queue);
    expect((await backlog('top', '--once', '--stack', 'Named')).out).not.toContain('Runbook');
  });

  it('tells that a function of the stack counts the members of groups', async () => {
    for (const [stack, countsGroups] of [
      ['Named', true],
      ['Shop', false],
    ] as const) {
      const { client, ...found } = await connect({ stack });
      client.destroy();
      expect(found).toMatchObject({ countsGroups });
    }
  });

  it('takes the deployed table, where the local runtime has one of the same name', async () => {
    const deployed = await oldTable(dynamodb.endpoint, 'Records1');
    await deployed.put(dead('deployed'));
    tables.push(deployed);
    const runtime = await announcedRuntime();
    const { records, control } = await runtime.renew();
    try {
      expect([records.name, control.name]).toEqual(['Records1', 'Control1']);
      await records.put(dead('local'));
      const byName = await backlog('list', '--table', 'Records1', '--json');
      expect(JSON.parse(byName.out)).toMatchObject([{ id: 'local' }]);
      const byStack = await backlog('list', '--stack', 'Same', '--json');
      expect(JSON.parse(byStack.out)).toMatchObject([{ id: 'deployed' }]);
    } finally {
      await runtime.stop();
    }
  });

  it('lets the doctor find that the control table of the stack is lost', async () => {
    const { out, code } = await backlog('doctor', '--stack', 'Shared', '--json', '--wait', '1s');
    expect(code).toBe(3);
    expect(out).toContain('control.lost.Shared-Control');
  });

  it.each([
    ['Shpo', 'cannot read the template of Shpo: Stack with id Shpo does not exist'],
    ['Website', 'the deployed stack Website describes no Backlog: name the tables with --table'],
    ['Team', "its tables are another stack's: name that stack, or name the tables with --table"],
    ['Silent', 'its names need the right to cloudformation:DescribeStackResource, or name the tables'],
    ['Several', '  Mails: --table Several-Mails --control-table Several-MailsControl'],
  ])('%s is refused with what to do', async (stack, expected) => {
    const { error, err, out } = await backlog('stats', '--stack', stack);
    expect(error).toMatchObject({ name: 'ConfigurationError' });
    expect(err).toContain(`--stack: `);
    expect(err).toContain(expected);
    expect(out).toBe('');
  });

  it.each([
    ['Evil', 'a [2Jb: --table'],
    ['EvilName', 'x [2J'],
  ])('%s plays no tricks on a terminal', async (stack, expected) => {
    const { error, err } = await backlog('show', 'a', '--stack', stack);
    expect(error).toBeDefined();
    expect(err).toContain(expected);
    for (const trick of ['\u001b', '\u202e']) expect(err).not.toContain(trick);
  });

  it.each([
    ['--table', 'Shop-Records'],
    ['--control-table', 'Shop-Control'],
  ])('is not given together with %s', async (flag, value) => {
    const { error, err } = await backlog('stats', '--stack', 'Shop', flag, value);
    expect(error).toMatchObject({ name: 'CommanderError', code: 'commander.conflictingOption' });
    expect(err).toContain(`option '--stack <name>' cannot be used with option '${flag} <name>'`);
  });
});
