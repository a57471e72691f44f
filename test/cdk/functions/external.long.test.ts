import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps, type QueueProps } from '../../../cdk/index.js';
import { readIntakeSettings } from '../../../functions/intake/settings.js';
import { readSettings } from '../../../functions/settings.js';
import { METADATA_KEY } from '../../../src/template-metadata.js';
import {
  backlogWith,
  newStack,
  propertiesOf,
  retryQueue,
  rightsOf,
  rulesOf,
  WITHOUT_CODE,
} from '../support.js';

const entry = 'test/cdk/fixtures/handler.ts';
const retry = { type: 'fibonacci' } as const;
const external = { retry, worker: 'external' } as const satisfies QueueProps;
const queues = {
  orders: retryQueue,
  imports: { ...external, attemptTimeout: Duration.hours(2), concurrency: 3, breaker: true },
  yearly: { progressive: true, worker: 'external', shards: 2 },
} as const satisfies BacklogProps['queues'];

// biome-ignore lint/suspicious/noExplicitAny: CloudFormation's properties have no types here
const variablesOf = (template: Template): any[] =>
  propertiesOf(template, 'AWS::Lambda::Function').map(({ Environment }) => Environment.Variables);
const namesOf = (text: string) => Object.keys(JSON.parse(text));
const alarmNames = (backlog: Backlog) => backlog.alarms.map(({ node }) => node.id);

/** Text and tokens as a deployment would give them. */
function deployed(stack: Stack, environment: Record<string, string>): Record<string, string> {
  const resolved: Record<string, unknown> = stack.resolve(environment);
  return Object.fromEntries(
    Object.entries(resolved).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

describe('a queue of a process', () => {
  const { template, backlog } = backlogWith({ queues });

  it('has no function, and no rule', () => {
    expect(Object.keys(backlog.functions)).toEqual(['orders']);
    expect(new Set(rulesOf(template).map(({ input }) => input.queue))).toEqual(new Set(['orders']));
    // Of deliveries, the intake, the sweep and the monitor.
    expect(variablesOf(template)).toHaveLength(4);
    expect(backlog.disabledQueues).toEqual([]);
  });

  it('has no schedule either', () => {
    const scheduled = backlogWith({ queues, trigger: 'scheduler' });
    const inputs = propertiesOf(scheduled.template, 'AWS::Scheduler::Schedule').map(
      ({ Target }) => Target.Input,
    );
    expect(inputs.filter((input) => /imports|yearly/.test(input))).toEqual([]);
    expect(inputs).toContain('{"queue":"orders"}');
  });

  it('is known to the intake, which starts nothing for it, to the sweep and to the monitor', () => {
    const intake = variablesOf(template).find((one) => one.BACKLOG_ARRIVAL_FUNCTIONS);
    const arrivals = JSON.stringify(intake.BACKLOG_ARRIVAL_FUNCTIONS);
    expect(arrivals).toContain('orders');
    expect(arrivals).not.toMatch(/imports|yearly/);
    const readers = variablesOf(template).filter((one) => namesOf(one.BACKLOG_QUEUES).length > 1);
    expect(readers).toHaveLength(3);
    for (const { BACKLOG_QUEUES } of readers) expect(namesOf(BACKLOG_QUEUES)).toEqual(Object.keys(queues));
  });

  it('needs no function in the whole Backlog', () => {
    const alone = backlogWith({ queues: { imports: external } });
    expect(alone.backlog.functions).toEqual({});
    expect(variablesOf(alone.template)).toHaveLength(3);
    const intake = variablesOf(alone.template).find((one) => one.BACKLOG_EVENT_DLQ_URL);
    const url = 'https://sqs.eu-central-1.amazonaws.com/1/q';
    const env = { ...intake, BACKLOG_TABLE: 't', BACKLOG_CONTROL_TABLE: 'c', BACKLOG_OWNER: 's' };
    const settings = readIntakeSettings({ ...env, BACKLOG_REDELIVERY_URL: url, BACKLOG_EVENT_DLQ_URL: url });
    expect(settings.arrivalFunctions.size).toBe(0);
  });

  it('has the alarms that a process can raise, and none of functions', () => {
    const all = alarmNames(backlog);
    expect(all.filter((name) => /imports$|yearly$/.test(name))).toEqual([
      'Lag-imports',
      'Failures-imports',
      'Dead-imports',
      'UnknownTask-imports',
      'Lag-yearly',
      'Failures-yearly',
      'Dead-yearly',
      'UnknownTask-yearly',
    ]);
    expect(all.filter((name) => /^Run/.test(name))).toEqual([
      'RunErrors-FibonacciDelivery',
      'Runs-FibonacciDelivery',
    ]);
  });

  it.each<[string, Partial<QueueProps>, number]>([
    ['attempts of 30 seconds', {}, 210],
    [
      'attempts of two hours: a worker that is down is noticed all the same',
      { attemptTimeout: Duration.hours(2) },
      480,
    ],
    ['a threshold of its own', { alarms: { lag: Duration.minutes(30) } }, 1800],
  ])('is late after its threshold, with %s', (_, props, seconds) => {
    const { template } = backlogWith({ queues: { imports: { ...external, ...props } } });
    const lag = propertiesOf(template, 'AWS::CloudWatch::Alarm').find(
      ({ MetricName }) => MetricName === 'OldestDueAge',
    );
    expect(lag.Threshold).toBe(seconds);
    expect(lag.AlarmDescription).toContain('No process works on it');
    expect(lag.AlarmDescription).not.toContain('rule');
  });

  it('counts for the alarms of all queues, with "minimal"', () => {
    const { backlog, stack } = backlogWith({ queues: { imports: external }, minimal: true });
    expect(alarmNames(backlog)).toEqual(expect.arrayContaining(['Lag', 'Failures', 'Dead', 'Monitor']));
    const variables = deployed(stack, backlog.workEnvironment());
    expect(variables).toMatchObject({ BACKLOG_TABLE_ALARMS: 'true', BACKLOG_METRICS: 'essential' });
  });

  it('has metrics', () => {
    expect(backlog.metricLag('imports').metricName).toBe('LagSeconds');
    expect(() => backlog.metricLag('import')).toThrow(
      'queue: expected one of "orders", "imports", "yearly", got "import"',
    );
  });

  it('is in the description of the template, for backlog diff', () => {
    const described = Object.values(template.toJSON().Metadata[METADATA_KEY])[0] as { queues: object };
    expect(described.queues).toMatchObject({
      imports: { work: 'external', firstAttempt: 'scheduled', enabled: true, timeout: 300 },
      yearly: { work: 'external', timeout: 300 },
    });
    expect(Object.keys(described.queues)).toEqual(Object.keys(queues));
  });

  it('may be named by the retryQueue of another one, and name one', () => {
    const both = {
      orders: { ...retryQueue, retryQueue: 'imports' },
      imports: { ...external, retryQueue: 'orders' },
    };
    expect(() => backlogWith({ queues: both })).not.toThrow();
  });

  it.each<[string, object, string]>([
    [
      'a first attempt on insertion',
      { firstAttempt: 'onInsert' },
      'queues.imports.firstAttempt: expected "scheduled" or nothing beside "worker": "external", as the intake starts no process',
    ],
    [
      'that it is not enabled',
      { enabled: false },
      'queues.imports.enabled: expected true or nothing beside "worker": "external", as no rule starts its process: stop the process',
    ],
    [
      'runs on insertion',
      { onInsertConcurrency: 2 },
      'queues.imports.onInsertConcurrency: expected nothing beside',
    ],
    [
      'a weight',
      { weight: 2 },
      'queues.imports.weight: expected nothing beside "worker": "external", as its process has an option for it',
    ],
    [
      'an entry',
      { entry },
      'queues.imports: expected one of "deliverTo", "entry", "handler" and "worker", got',
    ],
    ['memory', { memorySize: 512 }, 'queues.imports.memorySize: expected with "entry" only'],
    [
      'a limit of all attempts, which are long',
      { globalConcurrency: 3, attemptTimeout: Duration.hours(2) },
      'queues.imports.globalConcurrency: expected nothing beside an "attemptTimeout" of 7200 s, as only attempts of up to 60 s',
    ],
    [
      'a limit for each key, where attempts are long',
      { fairness: true, concurrencyPerKey: 3, attemptTimeout: Duration.hours(2) },
      'queues.imports.concurrencyPerKey: expected nothing beside an "attemptTimeout" of 7200 s, as only attempts of up to 60 s',
    ],
    ['an attempt of two days', { attemptTimeout: Duration.days(2) }, 'queues.imports.attemptTimeout: '],
    ['another spelling', { worker: 'External' }, 'or "external", got "External"'],
  ])('is refused with %s', (_, props, message) => {
    expect(() => backlogWith({ queues: { imports: { ...external, ...props } } })).toThrow(message);
  });

  it('leaves the name "external" to no worker', () => {
    const workers = { external: { entry } };
    expect(() => backlogWith({ queues: { imports: external }, workers })).toThrow(
      'workers: expected other names than "external", which says that a queue has no function of this Backlog',
    );
  });

  it('lets a function have attempts as long as it lives, and no longer', () => {
    const long = { retry, entry, attemptTimeout: Duration.hours(2) };
    expect(() => backlogWith({ queues: { long } })).toThrow(
      'queues.long.attemptTimeout: an attempt of 7200 s does not fit into its function, which ends after 300 s',
    );
  });

  it('has no tier that would start by a time zone', () => {
    const zoned = { trigger: 'scheduler', timeZone: 'Europe/Berlin' } as const;
    expect(() => backlogWith({ queues: { yearly: queues.yearly }, ...zoned })).toThrow(
      'Backlog.timeZone: expected',
    );
  });

  it('belongs to one stack of the app', () => {
    const app = new App({ context: WITHOUT_CODE });
    const shared = new Backlog(new Stack(app, 'Platform'), 'Backlog', { queues: { imports: external } });
    const again = { imports: retryQueue };
    expect(
      () => new Backlog(new Stack(app, 'Team'), 'Backlog', { queues: again, sharedBacklog: shared }),
    ).toThrow('queues: expected queues that no other stack has, got "imports"');
  });

  it('makes no resource but its alarms: 200 of them fit into a stack', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`queue-${i}`, external]));
    const { backlog, template } = backlogWith({ queues: many, alarms: 'essential' });
    expect(Object.keys(template.toJSON().Resources).length).toBeLessThan(60);
    const names = namesOf(backlog.workEnvironment().BACKLOG_QUEUES ?? '');
    expect(names).toHaveLength(200);
    // With an alarm of each kind for each queue, CloudFormation would have no room.
    expect(() => backlogWith({ queues: many })).toThrow(
      'CloudFormation takes 500 in a stack: set "alarms": "essential"',
    );
  });
});

describe('the variables of a process', () => {
  it('are those of the queues of processes, and the handlers read them', () => {
    const { stack, backlog } = backlogWith({ queues, logLevel: 'WARN' });
    const variables = deployed(stack, backlog.workEnvironment());
    const { BACKLOG_TABLE, BACKLOG_CONTROL_TABLE, BACKLOG_QUEUES, AWS_REGION, ...others } = variables;
    expect(others).toEqual({
      BACKLOG_FUNCTION_TIMEOUT_SECONDS: '300',
      BACKLOG_OWNER: 'Test',
      POWERTOOLS_LOG_LEVEL: 'WARN',
    });
    expect([BACKLOG_TABLE, BACKLOG_CONTROL_TABLE, AWS_REGION]).toEqual([
      expect.stringContaining('BacklogRecords'),
      expect.stringContaining('BacklogControl'),
      '{"Ref":"AWS::Region"}',
    ]);
    expect(JSON.parse(BACKLOG_QUEUES ?? '')).toEqual({
      imports: {
        retryMode: 'perRecord',
        retry,
        attemptTimeout: 7200,
        concurrency: 3,
        breaker: true,
        external: true,
      },
      yearly: { retryMode: 'progressive', shards: 2, external: true },
    });
    expect(readSettings(variables)).toMatchObject({
      functionTimeoutSeconds: 300,
      metrics: 'full',
      owner: 'Test',
    });
  });

  it('are, for a queue that has a function, what that function has', () => {
    const orders = { retry, entry, globalConcurrency: 4, deadOn: ['TypeError'], history: { bytes: 1024 } };
    const { template, stack, backlog } = backlogWith({ queues: { orders, imports: external } });
    const lambda = variablesOf(template).find(({ BACKLOG_QUEUES }) =>
      BACKLOG_QUEUES.includes('globalConcurrency'),
    );
    const { AWS_REGION: _, ...process } = stack.resolve(backlog.workEnvironment({ queues: ['orders'] }));
    expect(process).toEqual(lambda);
  });

  it('say in which region and in whose name, in other stacks and regions too', () => {
    const app = new App({ context: WITHOUT_CODE });
    const platform = new Stack(app, 'Platform', { env: { region: 'eu-central-1' } });
    const shared = new Backlog(platform, 'Backlog', { queues: { orders: retryQueue } });
    const team = new Stack(app, 'Team', { env: { region: 'eu-central-1' } });
    const own = new Backlog(team, 'Backlog', {
      queues: { imports: external, mails: { retry, entry } },
      sharedBacklog: shared,
    });
    const variables = deployed(team, own.workEnvironment({ queues: ['imports', 'mails'] }));
    expect(variables).toMatchObject({ BACKLOG_OWNER: 'Team', AWS_REGION: 'eu-central-1' });
    // The intake would start the process as it starts the function.
    expect(variables.BACKLOG_QUEUES).not.toContain('onArrival');
  });

  it.each<[string, (backlog: Backlog) => unknown, string]>([
    [
      'a queue that is not there',
      (backlog) => backlog.workEnvironment({ queues: ['import'] }),
      'workEnvironment.queues: expected queues of this Backlog ("orders", "imports", "yearly"), got "import"; did you mean "imports"?',
    ],
    [
      'a queue that a function delivers',
      (backlog) => backlog.workEnvironment({ queues: ['orders'] }),
      'workEnvironment.queues: expected queues without "deliverTo", whose function delivers them, got "orders"',
    ],
    [
      'no queue',
      (backlog) => backlog.workEnvironment({ queues: [] }),
      'workEnvironment.queues: expected at least one queue',
    ],
    [
      'another option',
      (backlog) => backlog.workEnvironment({ queue: 'imports' } as object),
      'workEnvironment: unknown option "queue"',
    ],
  ])('are refused for %s', (_, act, message) => {
    const { backlog } = backlogWith({ queues });
    expect(() => act(backlog)).toThrow(message);
  });

  it('are refused where no queue is of a process, or more than a task definition takes', () => {
    const { backlog } = backlogWith({ queues: { orders: retryQueue } });
    expect(() => backlog.workEnvironment()).toThrow(
      'workEnvironment: expected a queue with "worker": "external", or the names of "queues", got neither',
    );
    const large = { ...external, deadOn: Array.from({ length: 40 }, (_, i) => `Error${i}`) };
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`queue-${i}`, large]));
    const overloaded = backlogWith({ queues: many, alarms: 'essential' });
    expect(() => overloaded.backlog.workEnvironment()).toThrow(
      /^workEnvironment: expected at most 32768 bytes of settings, as ECS takes 65536 of a whole task definition, got \d+ of 200 queues: give/,
    );
    const some = Array.from({ length: 50 }, (_, i) => `queue-${i}`);
    expect(namesOf(overloaded.backlog.workEnvironment({ queues: some }).BACKLOG_QUEUES ?? '')).toEqual(some);
  });
});

describe('the rights of a process', () => {
  const granted = (props: Partial<BacklogProps> = {}) => {
    const stack = newStack({ region: 'eu-central-1' });
    const key = props.encryptionKey && new Key(stack, 'Key');
    const backlog = new Backlog(stack, 'Backlog', {
      queues: { orders: { retry, entry } },
      ...props,
      encryptionKey: key,
    });
    const role = new Role(stack, 'Worker', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
    const grant = backlog.grantWork(role);
    return { template: Template.fromStack(stack), grant };
  };
  const isOfTables = ([, resources]: [string, string[]]) =>
    resources.some((one) => /^(Records|Control|Key)\./.test(one));

  it.each([
    ['without a key', {}],
    ['with a key', { encryptionKey: true }],
  ])('are those of a function on the tables, %s', (_, props) => {
    const { template, grant } = granted(props as object);
    expect(grant.success).toBe(true);
    const process = rightsOf(template, 'Worker');
    // A function may read its own variables as well.
    const ofFunction = rightsOf(template, 'BacklogQueuesordersRole').filter(
      ([right]) => right !== 'kms:Decrypt',
    );
    expect(new Set(process)).toEqual(new Set(ofFunction.filter(isOfTables)));
    expect(process.length).toBe(Object.keys(props).length > 0 ? 4 : 3);
  });

  it('are granted by a backlog of another stack as well', () => {
    const stack = newStack();
    const imported = Backlog.fromBacklogAttributes(stack, 'Shared', {
      tableName: 't',
      controlTableName: 'c',
    });
    const role = new Role(stack, 'Worker', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
    expect(imported.grantWork(role).success).toBe(true);
    const actions = rightsOf(Template.fromStack(stack), 'Worker').map(([action]) => action);
    expect(actions.join(' ')).toBe(
      'dynamodb:GetItem, dynamodb:BatchGetItem, dynamodb:UpdateItem, dynamodb:PartiQLUpdate dynamodb:Query dynamodb:GetItem, dynamodb:BatchGetItem, dynamodb:UpdateItem',
    );
  });
});
