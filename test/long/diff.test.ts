import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnOutput, CfnParameter, Duration, type Environment, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { describe, expect, it } from 'vitest';
import {
  Backlog,
  type BacklogProps,
  type QueueProps,
  type RecordEventsProps,
  type RecurringProps,
} from '../../cdk/index.js';
import type { Change } from '../../tools/src/cli/diff/change.js';
import { newStack, progressiveQueue, retryQueue } from '../cdk/support.js';
import { backlog } from '../cli/in-process.js';

type Define = (stack: Stack) => void;

const defined = (props: BacklogProps, id = 'Backlog'): Define => {
  return (stack) => void new Backlog(stack, id, props);
};
const queues = (of: Record<string, QueueProps>): Define => defined({ queues: of });

/** The command's answer about two stacks, by kind. */
async function diff(before: Define, after: Define, env?: Environment): Promise<Record<string, Change>> {
  const folder = await mkdtemp(join(tmpdir(), 'backlog-diff-'));
  const files = await Promise.all(
    [before, after].map(async (define, i) => {
      const stack = newStack(env);
      define(stack);
      const file = join(folder, `${i}.json`);
      await writeFile(file, JSON.stringify(Template.fromStack(stack).toJSON()));
      return file;
    }),
  );
  const [from = '', to = ''] = files;
  const { out, err, code } = await backlog('diff', '--from', from, '--to', to, '--json');
  expect(err).toBe('');
  const { changes, notes }: { changes: Change[]; notes: string[] } = JSON.parse(out);
  expect(notes).toEqual([]);
  expect(code).toBe(changes.every(({ severity }) => severity === 'safe') ? 0 : 3);
  return Object.fromEntries(changes.map((change) => [change.kind, change]));
}

/** The same of one queue that changes. */
const queueDiff = (before: QueueProps, after: QueueProps) =>
  diff(queues({ orders: before }), queues({ orders: after }));

const severities = (changes: Record<string, Change>) =>
  Object.fromEntries(Object.entries(changes).map(([kind, { severity }]) => [kind, severity]));

describe('backlog diff, of queues', () => {
  it('finds no change in the same app', async () => {
    expect(await diff(queues({ orders: retryQueue }), queues({ orders: retryQueue }))).toEqual({});
  });

  it('leaves records behind in a queue that is removed, and guesses one that is renamed', async () => {
    const bulk = { ...retryQueue, concurrency: 3 };
    const changes = await diff(
      queues({ orders: retryQueue, bulk, mails: progressiveQueue }),
      queues({ orders: retryQueue, imports: bulk, prices: { ...progressiveQueue, shards: 2 } }),
    );
    expect(severities(changes)).toEqual({
      'queue.renamed': 'leftBehind',
      'queue.removed': 'leftBehind',
      'queue.added': 'safe',
    });
    expect(changes['queue.renamed']).toMatchObject({
      queue: 'bulk',
      what: expect.stringContaining('renamed to imports'),
      command: 'npx backlog move --queue bulk --to imports',
    });
    expect(changes['queue.removed']?.queue).toBe('mails');
    expect(changes['queue.added']?.queue).toBe('prices');
  });

  it('does not guess where two queues could be meant', async () => {
    const changes = await diff(
      queues({ a: retryQueue, rest: progressiveQueue }),
      queues({ b: retryQueue, c: retryQueue, rest: progressiveQueue }),
    );
    expect(severities(changes)).toEqual({ 'queue.removed': 'leftBehind', 'queue.added': 'safe' });
  });

  it('tells a policy from its limits', async () => {
    const lower = await queueDiff(
      { ...retryQueue, retry: { type: 'fibonacci', maxAttempts: 20 } },
      { ...retryQueue, retry: { type: 'exponential', maxAttempts: 5, maxAge: '30d' } },
    );
    expect(severities(lower)).toEqual({
      'queue.policy': 'safe',
      'queue.maxAttempts': 'attention',
      'queue.maxAge': 'attention',
    });
    expect(lower['queue.maxAttempts']?.effect).toContain('failed 4 times or more');
    expect(lower['queue.maxAge']?.what).toBe('maxAge 360 d → 30 d');
    const twice = await queueDiff(
      { ...retryQueue, retry: { type: 'fibonacci', maxAttempts: 20 } },
      { ...retryQueue, retry: { type: 'fibonacci', maxAttempts: 2 } },
    );
    expect(twice['queue.maxAttempts']?.effect).toContain('failed once or more');
    const higher = await queueDiff(
      { ...retryQueue, retry: { type: 'fibonacci', maxAttempts: 5 } },
      { ...retryQueue, retry: { type: 'fibonacci' } },
    );
    expect(severities(higher)).toEqual({ 'queue.maxAttempts': 'safe' });
    expect(higher['queue.maxAttempts']?.what).toBe('maxAttempts 5 → no limit');
  });

  it('tells a change of the retry mode, and how long its first attempt waits', async () => {
    const { deliverTo = '' } = retryQueue;
    const changes = await queueDiff(retryQueue, { progressive: true, deliverTo });
    expect(severities(changes)).toEqual({ 'queue.retryMode': 'safe' });
    expect(changes['queue.retryMode']?.effect).toContain('one function timeout (5 min)');
    expect(severities(await queueDiff({ progressive: true, deliverTo }, retryQueue))).toEqual({
      'queue.retryMode': 'safe',
    });
  });

  it('tells other tiers, and a last one that ends earlier', async () => {
    const tier = (minutes: number, days: number) => ({
      every: Duration.minutes(minutes),
      untilAge: Duration.days(days),
    });
    const { deliverTo = '' } = progressiveQueue;
    const by = (...tiers: ReturnType<typeof tier>[]) => ({ deliverTo, progressive: { tiers } });
    expect(severities(await queueDiff(by(tier(5, 1), tier(60, 7)), by(tier(10, 1), tier(60, 7))))).toEqual({
      'queue.tiers': 'safe',
    });
    const shorter = await queueDiff(progressiveQueue, by(tier(5, 1), tier(60, 7)));
    expect(severities(shorter)).toEqual({ 'queue.tiers': 'safe', 'queue.maxAge': 'attention' });
    expect(shorter['queue.maxAge']?.effect).toContain('DEAD (expired)');
  });

  it('tells where deliveries go, and that another host may not know them', async () => {
    const to = (deliverTo: string) => ({ ...retryQueue, deliverTo });
    const path = await queueDiff(to('https://a.example.com/1?x=1'), to('https://a.example.com/2?x=2'));
    expect(severities(path)).toEqual({ 'queue.url': 'safe' });
    expect(path['queue.url']?.what).toBe('delivers to https://a.example.com/1 → https://a.example.com/2');
    const host = await queueDiff(to('https://a.example.com/1'), to('https://b.example.com/1'));
    expect(severities(host)).toEqual({ 'queue.host': 'attention' });
  });

  it('tells a URL that comes from elsewhere, deliveries that are not signed any more, and other headers', async () => {
    const from: Define = (stack) => {
      const secret = new Secret(stack, 'Signing');
      const url = `https://${new CfnParameter(stack, 'Host').valueAsString}/in`;
      queues({ orders: { ...retryQueue, deliverTo: { url, secret } } })(stack);
    };
    const to: Define = (stack) => {
      const url = `https://${new CfnParameter(stack, 'OtherHost').valueAsString}/in`;
      queues({ orders: { ...retryQueue, deliverTo: { url, headers: { 'x-tenant': '1' } } } })(stack);
    };
    expect(await diff(from, from)).toEqual({});
    expect(severities(await diff(from, to))).toEqual({
      'queue.host': 'attention',
      'queue.signature': 'attention',
      'queue.delivery': 'safe',
    });
  });

  it('tells a queue that is disabled, and one that is enabled', async () => {
    const disabled = { ...retryQueue, enabled: false };
    expect(severities(await queueDiff(retryQueue, disabled))).toEqual({ 'queue.enabled': 'attention' });
    expect(severities(await queueDiff(disabled, retryQueue))).toEqual({ 'queue.enabled': 'safe' });
  });

  it('tells the first attempt, and other code that does the work', async () => {
    const scheduled = { ...retryQueue, firstAttempt: 'scheduled' as const };
    expect(severities(await queueDiff(retryQueue, scheduled))).toEqual({ 'queue.firstAttempt': 'safe' });
    const entry = { retry: retryQueue.retry, entry: 'test/cdk/fixtures/handler.ts' } as QueueProps;
    expect(severities(await queueDiff(retryQueue, entry))).toEqual({ 'queue.work': 'attention' });
  });

  it('tells a queue that a process attempts from now on, and one that a function does again', async () => {
    const external = { retry: retryQueue.retry, worker: 'external' } as QueueProps;
    const away = await queueDiff(retryQueue, external);
    expect(severities(away)).toEqual({ 'queue.work': 'attention' });
    expect(away['queue.work']).toMatchObject({
      what: 'work done by deliverTo → external',
      effect: expect.stringContaining('They wait for a process: no function and no rule attempts them.'),
      todo: expect.stringContaining('"backlog work"'),
    });
    const back = await queueDiff(external, retryQueue);
    expect(severities(back)).toEqual({ 'queue.work': 'attention' });
    expect(back['queue.work']?.effect).toContain('The function attempts them at its next tick.');
    expect(await queueDiff(external, external)).toEqual({});
    const long = { ...external, attemptTimeout: Duration.hours(2) };
    expect(severities(await queueDiff(external, long))).toEqual({ 'queue.attemptTimeout': 'safe' });
  });

  it('tells a change of the retry mode that does not wait for runs as long as they may be', async () => {
    const of = (minutes: number, props: object) =>
      ({ ...props, entry: 'test/cdk/fixtures/handler.ts', timeout: Duration.minutes(minutes) }) as QueueProps;
    const { retry } = retryQueue;
    expect(severities(await queueDiff(of(5, { retry }), of(10, { progressive: true })))).toEqual({
      'queue.retryMode': 'safe',
    });
    const changes = await queueDiff(of(10, { retry }), of(5, { progressive: true }));
    expect(changes['queue.retryMode']).toMatchObject({
      severity: 'attention',
      effect: expect.stringContaining(
        'Runs from before may take 10 min: a record may be attempted twice at the same time.',
      ),
    });
  });

  it('tells fairness: lanes of busy keys are read hourly once it is false, and once a day if it is not given', async () => {
    const fair = (fairness?: boolean) => ({ ...retryQueue, ...(fairness !== undefined && { fairness }) });
    const outcome = async (...[from, to]: Parameters<typeof queueDiff>) =>
      (await queueDiff(from, to))['queue.fairness'];
    expect(await outcome(fair(), fair(true))).toMatchObject({
      severity: 'safe',
      what: 'fairness default → true',
    });
    expect((await outcome(fair(true), fair(false)))?.effect).toContain('once an hour');
    expect(await outcome(fair(true), fair())).toMatchObject({ severity: 'attention' });
  });

  it('tells order: what is in lanes gets its turn, and what waits in lines is found by the sweep', async () => {
    const ordered = (options: object = {}) => ({ ...retryQueue, order: 'key' as const, ...options });
    const added = await queueDiff(retryQueue, ordered());
    expect(added['queue.order']).toMatchObject({
      ...{ severity: 'attention', what: 'order default → key' },
      command: 'npx backlog run-now --queue orders',
    });
    const never = await queueDiff(retryQueue, ordered({ skipGapAfter: 'never' }));
    expect(severities(never)).toEqual({ 'queue.order': 'attention', 'queue.skipGapAfter': 'safe' });
    expect(await queueDiff(ordered({ onDeadHead: 'skip' }), retryQueue)).toMatchObject({
      'queue.order': { severity: 'attention', command: expect.stringMatching(/^npx backlog lines /) },
      'queue.onDeadHead': { severity: 'safe', what: 'onDeadHead skip → default' },
    });
  });

  it('tells what happens behind dead heads, and to numbers that are missing', async () => {
    const ordered = (options: object) => ({ ...retryQueue, order: 'key' as const, ...options });
    const head = async (onDeadHead: string) =>
      (
        await queueDiff(
          ordered({ onDeadHead: onDeadHead === 'hold' ? 'skip' : 'hold' }),
          ordered({ onDeadHead }),
        )
      )['queue.onDeadHead'];
    expect((await head('skip'))?.effect).toContain('are attempted without it');
    expect(await head('cancel')).toMatchObject({ severity: 'attention' });
    expect(await head('hold')).toMatchObject({ severity: 'safe' });
    const gap = await queueDiff(
      ordered({ skipGapAfter: Duration.hours(2) }),
      ordered({ skipGapAfter: 'never' }),
    );
    expect(gap['queue.skipGapAfter']).toMatchObject({
      severity: 'attention',
      what: 'skipGapAfter 2 h → never',
    });
    const less = await queueDiff(ordered({ skipGapAfter: 'never' }), ordered({}));
    expect(less['queue.skipGapAfter']).toMatchObject({
      severity: 'safe',
      what: 'skipGapAfter never → default',
    });
  });

  it('tells shards: fewer are read hourly, and none given once a day', async () => {
    const shards = (count?: number) => ({ ...retryQueue, ...(count && { shards: count }) });
    expect(severities(await queueDiff(shards(2), shards(8)))).toEqual({ 'queue.shards': 'safe' });
    const fewer = await queueDiff(shards(8), shards(1));
    expect(fewer['queue.shards']).toMatchObject({ severity: 'safe', what: 'shards 8 → 1' });
    expect(fewer['queue.shards']?.effect).toContain('once an hour');
    const absent = await queueDiff(shards(8), shards());
    expect(absent['queue.shards']).toMatchObject({ severity: 'attention' });
    expect(absent['queue.shards']?.effect).toContain('once a day');
  });

  it('tells every other setting', async () => {
    const changes = await queueDiff(
      { ...retryQueue, deadOn: ['A'], retention: Duration.days(7), attemptTimeout: Duration.minutes(1) },
      {
        ...retryQueue,
        ...{ deadOn: ['A', 'B'], retention: 'forever', concurrency: 3, globalConcurrency: 9 },
        ...{ attemptsPerSecond: 5, breaker: true, maxRecords: 10, history: { entries: 5 } },
      },
    );
    expect(severities(changes)).toEqual({
      'queue.deadOn': 'attention',
      'queue.attemptTimeout': 'attention',
      'queue.retention': 'safe',
      'queue.concurrency': 'safe',
      'queue.globalConcurrency': 'safe',
      'queue.attemptsPerSecond': 'safe',
      'queue.breaker': 'safe',
      'queue.maxRecords': 'safe',
      'queue.history': 'safe',
    });
    expect(changes['queue.retention']?.what).toBe('retention 7 d → forever');
    expect(changes['queue.attemptTimeout']?.what).toBe('attemptTimeout 1 min → default');
  });
});

describe('backlog diff, of a Backlog', () => {
  const orders = { orders: retryQueue };

  it('tells another trigger and time zone', async () => {
    const scheduler = { queues: { bulk: progressiveQueue }, trigger: 'scheduler' as const };
    const rules = { queues: { bulk: progressiveQueue } };
    expect(severities(await diff(defined(rules), defined(scheduler)))).toEqual({ 'backlog.trigger': 'safe' });
    expect(severities(await diff(defined(scheduler), defined(rules)))).toEqual({
      'backlog.trigger': 'attention',
    });
    const zoned = defined({ ...scheduler, timeZone: 'Europe/Berlin' });
    expect(severities(await diff(defined(scheduler), zoned))).toEqual({ 'backlog.timeZone': 'safe' });
  });

  it('tells a primary region that is added, another one, and one that is removed', async () => {
    const inRegion = (primaryRegion?: string) =>
      defined({ queues: orders, primaryRegion, replicas: [{ region: 'eu-west-1' }] });
    const within = (before?: string, after?: string) =>
      diff(inRegion(before), inRegion(after), { region: 'eu-central-1' });
    expect(await within('eu-central-1', 'eu-central-1')).toEqual({});
    expect(await within(undefined, 'eu-central-1')).toEqual({
      'backlog.primaryRegion': expect.objectContaining({
        severity: 'safe',
        what: 'primary region none → eu-central-1',
      }),
    });
    expect(await within('eu-central-1', undefined)).toEqual({
      'backlog.primaryRegion': expect.objectContaining({
        severity: 'attention',
        what: 'primary region eu-central-1 → none',
      }),
    });
    const given =
      (primaryRegion: string): Define =>
      (stack) =>
        defined({
          ...{ queues: orders, primaryRegion, intake: false },
          table: TableV2.fromTableName(stack, 'R', 'Records'),
          controlTable: TableV2.fromTableName(stack, 'C', 'Control'),
        })(stack);
    const other = await diff(given('eu-central-1'), given('eu-west-1'), { region: 'eu-central-1' });
    expect(other).toEqual({
      'backlog.primaryRegion': expect.objectContaining({
        severity: 'attention',
        effect: expect.stringContaining(
          'eu-west-1 becomes the active region, unless backlog failover has written',
        ),
      }),
    });
  });

  it('leaves records behind without the intake, and needs attention without the sweep', async () => {
    const with_ = defined({ queues: orders });
    expect(await diff(with_, defined({ queues: orders, intake: false }))).toMatchObject({
      'backlog.intake': { severity: 'leftBehind' },
      'queue.firstAttempt': { severity: 'safe' },
    });
    expect(severities(await diff(with_, defined({ queues: orders, sweep: false })))).toEqual({
      'backlog.sweep': 'attention',
    });
  });

  it('counts groups, which is safe, or does not any more, which needs attention', async () => {
    const counting = (groups: boolean) => defined({ queues: orders, groups });
    expect(await diff(counting(false), counting(true))).toMatchObject({
      'backlog.groups': { severity: 'safe', what: 'groups added' },
    });
    expect(await diff(counting(true), counting(false))).toMatchObject({
      'backlog.groups': { severity: 'attention', what: 'groups removed' },
    });
    expect(await diff(counting(true), counting(true))).toEqual({});
  });

  it('tells fewer services of the ends of records, which needs a look, or more', async () => {
    const telling =
      (on: RecordEventsProps['queues']): Define =>
      (stack) => {
        const recordEvents = { to: new EventBus(stack, 'Bus'), queues: on };
        new Backlog(stack, 'Backlog', { queues: orders, recordEvents });
      };
    const some = telling({ orders: { on: ['dead', 'succeeded'], include: ['payload'] } });
    expect(
      await diff(some, telling({ orders: { on: ['succeeded', 'dead'], include: ['payload'] } })),
    ).toEqual({});
    expect(await diff(some, telling({ orders: {} }))).toMatchObject({
      'backlog.recordEvents': {
        severity: 'attention',
        what: 'events of records of orders: dead, succeeded with payload → dead',
      },
    });
    expect(await diff(telling({ orders: {} }), some)).toMatchObject({
      'backlog.recordEvents': { severity: 'safe' },
    });
    expect(await diff(telling({ orders: {}, constructor: {} }), telling({ orders: {} }))).toMatchObject({
      'backlog.recordEvents': { what: 'events of records of constructor: dead → none' },
    });
    const ofGroups =
      (groups: boolean): Define =>
      (stack) => {
        const recordEvents = { to: new EventBus(stack, 'Bus'), queues: { orders: {} }, groups };
        new Backlog(stack, 'Backlog', { queues: orders, groups: true, recordEvents });
      };
    expect(await diff(ofGroups(true), ofGroups(false))).toMatchObject({
      'backlog.groupEvents': { severity: 'attention', what: 'events of groups removed' },
    });
    expect(await diff(ofGroups(false), ofGroups(true))).toMatchObject({
      'backlog.groupEvents': { severity: 'safe', what: 'events of groups added' },
    });
  });

  it('tells which recurring records are new, changed or gone', async () => {
    const recurring = (of: Record<string, RecurringProps> | undefined) =>
      defined({ queues: orders, recurring: of });
    const report: RecurringProps = { schedule: 'cron(0 3 * * ? *)', queue: 'orders', payload: { page: 1 } };
    const one = async (before?: Record<string, RecurringProps>, after?: Record<string, RecurringProps>) =>
      (await diff(recurring(before), recurring(after)))['backlog.recurring'];
    expect(await one({ report }, { report: { ...report } })).toBeUndefined();
    expect(await one({}, { report: { ...report, timeZone: 'Europe/Berlin' } })).toMatchObject({
      severity: 'safe',
      what: 'recurring record report: new, cron(0 3 * * ? *) Europe/Berlin, queue orders',
    });
    expect(await one({ report, constructor: report }, { report })).toMatchObject({
      severity: 'attention',
      what: 'recurring record constructor: gone',
      effect: 'Its schedule is cancelled at its next occurrence. Records that it has inserted stay.',
    });
    const changed: RecurringProps = {
      ...{ schedule: 'cron(0 4 * * ? *)', timeZone: 'Europe/Berlin', payload: { page: 2 } },
      missed: 'all',
      jitter: Duration.minutes(5),
    };
    expect(await one({ report }, { report: changed })).toMatchObject({
      severity: 'safe',
      what:
        'recurring record report: schedule cron(0 3 * * ? *) → cron(0 4 * * ? *), time zone UTC → Europe/Berlin, ' +
        'queue orders → default, missed default → all, jitter default → 5 min, another payload',
    });
    expect(await diff(recurring(undefined), recurring({ report }))).toMatchObject({
      'queue.added': { severity: 'safe', queue: 'recurring' },
      'backlog.recurring': { severity: 'safe' },
    });
    const removed = await diff(recurring({ report }), recurring(undefined));
    expect(Object.keys(removed)).toEqual(['queue.removed']);
    expect(removed['queue.removed']).toMatchObject({
      ...{ severity: 'leftBehind', queue: 'recurring', what: 'removed, with the prop "recurring"' },
      effect: 'Its schedules stay in the table, and insert no records any more.',
    });
  });

  it('begins with empty tables where the construct has another id, or its table another name', async () => {
    const renamed = await diff(defined({ queues: orders }), defined({ queues: orders }, 'Other'));
    expect(severities(renamed)).toEqual({
      'backlog.renamed': 'attention',
      'records.replaced': 'leftBehind',
    });
    const effect =
      'A guard makes the deployment fail, and nothing changes. With another backlogName: All records stay';
    expect(renamed['records.replaced']?.effect).toContain(effect);
    const meant = await diff(
      defined({ queues: orders }),
      defined({ queues: orders, backlogName: 'new' }, 'Other'),
    );
    expect(meant['records.replaced']?.effect).toMatch(/^All records stay in the old table/);
    const named = await diff(defined({ queues: orders }), defined({ queues: orders, tableName: 'Orders' }));
    expect(severities(named)).toEqual({ 'records.replaced': 'leftBehind' });
    const control = defined({ queues: orders, controlTableName: 'Orders-Control' });
    expect(severities(await diff(defined({ queues: orders }), control))).toEqual({
      'control.replaced': 'attention',
    });
  });

  it('says that records are deleted where the removal policy says so', async () => {
    const destroyed = { queues: orders, removalPolicy: RemovalPolicy.DESTROY };
    const renamed = await diff(defined(destroyed), defined(destroyed, 'Other'));
    expect(renamed['records.replaced']?.effect).toContain('DELETED');
    const named = await diff(defined(destroyed), defined({ ...destroyed, tableName: 'Orders' }));
    expect(named['records.replaced']?.effect).toContain('DELETED');
    const policy = await diff(defined({ queues: orders }), defined(destroyed));
    expect(severities(policy)).toEqual({
      'records.removalPolicy': 'attention',
      'control.removalPolicy': 'attention',
    });
    expect((await diff(defined(destroyed), other))['backlog.removed']?.effect).toContain('DELETED');
  });

  it('fails to make a second table of the same name', async () => {
    const named = { queues: orders, tableName: 'Orders' };
    expect(severities(await diff(defined(named), defined(named, 'Other')))).toMatchObject({
      'records.clash': 'attention',
      'control.replaced': 'attention',
    });
  });

  it('tells a table that is given from one that is made', async () => {
    const given =
      (name: string): Define =>
      (stack) =>
        defined({ queues: orders, intake: false, table: TableV2.fromTableName(stack, 'T', name) })(stack);
    const made = defined({ queues: orders, intake: false });
    const named = defined({ queues: orders, intake: false, tableName: 'Orders' });
    expect(await diff(given('Orders'), given('Orders'))).toEqual({});
    expect(severities(await diff(given('Orders'), given('Other')))).toEqual({
      'records.replaced': 'leftBehind',
    });
    expect(severities(await diff(given('Orders'), made))).toEqual({ 'records.replaced': 'leftBehind' });
    expect(severities(await diff(given('Orders'), named))).toEqual({ 'records.clash': 'attention' });
    expect(severities(await diff(named, given('Orders')))).toEqual({ 'records.released': 'attention' });
    const destroyed = { queues: orders, intake: false, tableName: 'Orders' };
    const deleted = await diff(
      defined({ ...destroyed, removalPolicy: RemovalPolicy.DESTROY }),
      given('Orders'),
    );
    expect(severities(deleted)).toMatchObject({ 'records.deleted': 'leftBehind' });
  });

  it('tells a Backlog that is removed, one that is added, and a queue that moves between two', async () => {
    const one = defined({ queues: orders }, 'One');
    const both: Define = (stack) => {
      one(stack);
      defined({ backlogName: 'two', queues: { bulk: retryQueue } }, 'Two')(stack);
    };
    expect(severities(await diff(both, one))).toEqual({ 'backlog.removed': 'leftBehind' });
    expect(severities(await diff(one, both))).toEqual({ 'backlog.added': 'safe' });
    const shared =
      (first: Record<string, QueueProps>, second: Record<string, QueueProps>): Define =>
      (stack) => {
        const sharedBacklog = new Backlog(stack, 'One', { queues: first });
        new Backlog(stack, 'Two', { queues: second, sharedBacklog });
      };
    const [a, b, c] = [retryQueue, progressiveQueue, { ...retryQueue, enabled: false }];
    const moved = await diff(shared({ a, b }, { c }), shared({ a }, { b, c }));
    expect(moved['queue.moved']).toMatchObject({ severity: 'safe', queue: 'b', backlog: 'One' });
  });
});

const other: Define = (stack) =>
  void new Backlog(stack, 'Unlike', { queues: { 'something-else': retryQueue } });

it('reads a synthesized app, by the name of the stack', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'backlog-out-'));
  const app = new App({ outdir: folder, context: { 'aws:cdk:disable-asset-staging': true } });
  for (const name of ['Shop', 'Billing']) {
    queues({ orders: retryQueue })(new Stack(app, name));
  }
  new CfnOutput(new Stack(app, 'Other'), 'Out', { value: 'nothing' });
  app.synth();
  const file = join(folder, 'Shop.template.json');
  expect((await backlog('diff', '--from', file, '--to', folder, '--stack', 'Shop')).code).toBe(0);
  const { err } = await backlog('diff', '--from', file, '--to', folder);
  expect(err).toContain('say which stack with --stack: Shop, Billing, Other');
  const unknown = await backlog('diff', '--from', file, '--to', folder, '--stack', 'Shpo');
  expect(unknown.err).toContain('expected a stack "Shpo", found Shop, Billing, Other');
});
