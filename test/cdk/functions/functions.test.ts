import { CfnParameter, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { Backlog } from '../../../cdk/index.js';
import { readSettings } from '../../../functions/settings.js';
import {
  backlogWith,
  newStack,
  progressiveQueue,
  propertiesOf,
  retryQueue,
  rulesOf,
  URL,
} from '../support.js';

const ENTRY = 'test/cdk/fixtures/handler.ts';

describe('queues with built-in delivery', () => {
  it('share one function per retry mode, which knows only the queues of that mode', () => {
    const { template, backlog } = backlogWith({
      queues: { a: retryQueue, b: retryQueue, c: progressiveQueue, d: progressiveQueue },
      intake: false,
      metrics: 'off',
    });
    const queues = propertiesOf(template, 'AWS::Lambda::Function').map((lambda) =>
      Object.keys(JSON.parse(lambda.Environment.Variables.BACKLOG_QUEUES)),
    );
    expect(queues).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(backlog.functions.a).toBe(backlog.functions.b);
    expect(backlog.functions.a).not.toBe(backlog.functions.c);
  });

  it('do not make a function that no queue needs', () => {
    const { template } = backlogWith({ queues: { a: retryQueue }, intake: false, metrics: 'off' });
    template.resourceCountIs('AWS::Lambda::Function', 1);
  });

  it('without a policy have Fibonacci, polled every minute', () => {
    const { template } = backlogWith({
      queues: { orders: { deliverTo: URL } },
      intake: false,
      metrics: 'off',
    });
    const [lambda] = propertiesOf(template, 'AWS::Lambda::Function');
    const queues = JSON.parse(lambda.Environment.Variables.BACKLOG_QUEUES);
    expect(queues.orders).toMatchObject({ retryMode: 'perRecord', retry: { type: 'fibonacci' } });
    expect(rulesOf(template).map(({ schedule }) => schedule)).toEqual(['rate(1 minute)']);
  });

  it('carry their settings to the handler as it reads them', () => {
    const { template } = backlogWith({
      queues: {
        orders: {
          retry: { type: 'constant', interval: 60, maxAttempts: 9 },
          retryQueue: 'slow',
          deadOn: ['HttpError'],
          history: { bytes: 1000, stacks: true },
          deliverTo: URL,
          concurrency: 3,
          onInsertConcurrency: 7,
          attemptsPerSecond: 2.5,
          attemptTimeout: Duration.seconds(20),
          maxRecords: 100,
          retention: Duration.days(1),
        },
        slow: retryQueue,
      },
    });
    const [lambda] = propertiesOf(template, 'AWS::Lambda::Function');
    const variables = { ...lambda.Environment.Variables, BACKLOG_TABLE: 'r', BACKLOG_CONTROL_TABLE: 'c' };
    expect(readSettings(variables)).toMatchObject({
      functionTimeoutSeconds: 300,
      queues: {
        orders: {
          retryMode: 'perRecord',
          retry: { type: 'constant', interval: 60, maxAttempts: 9 },
          retryQueue: 'slow',
          deadOn: ['HttpError'],
          history: { bytes: 1000, stacks: true },
          deliverTo: URL,
          concurrency: 3,
          onInsertConcurrency: 7,
          attemptsPerSecond: 2.5,
          attemptTimeout: 20,
          maxRecords: 100,
          retention: 86_400,
        },
      },
    });
  });
});

describe('what a queue may not have', () => {
  it.each([
    [{ onInsertConcurrency: 0 }, 'onInsertConcurrency: expected number to be >=1, got 0'],
    [{ onInsertConcurrency: 2.5 }, 'onInsertConcurrency: expected int, got 2.5'],
    [{ onInsertConcurrency: '7' }, 'onInsertConcurrency: expected number, got "7"'],
    [{ maxRetryAfter: 15 }, 'maxRetryAfter: expected a Duration, got 15'],
  ])('is refused by its name: %j', (options, message) => {
    const queues = { orders: { ...retryQueue, ...(options as object) } };
    expect(() => backlogWith({ queues })).toThrow(`queues.orders.${message}`);
  });
});

describe('a delivery that says more than its URL', () => {
  it('carries it to the handler as that reads it', () => {
    const { template } = backlogWith({
      queues: {
        prices: {
          progressive: true,
          deliverTo: {
            url: URL,
            method: 'PATCH',
            headers: { 'x-tenant': 'blue' },
            answers: { success: [409], retry: ['4xx'] },
            requestTimeout: Duration.seconds(10),
            batch: { maxRecords: 50, maxWait: Duration.seconds(2), format: 'ndjson' },
            allowPrivateAddresses: ['10.1.0.0/16'],
          },
        },
      },
    });
    const [lambda] = propertiesOf(template, 'AWS::Lambda::Function');
    const variables = { ...lambda.Environment.Variables, BACKLOG_TABLE: 'r', BACKLOG_CONTROL_TABLE: 'c' };
    expect(readSettings(variables).queues.prices?.deliverTo).toEqual({
      url: URL,
      method: 'PATCH',
      headers: { 'x-tenant': 'blue' },
      answers: { success: [409], retry: ['4xx'] },
      requestTimeout: 10,
      batch: { maxRecords: 50, maxBytes: 900_000, maxWait: 2, format: 'ndjson' },
      allowPrivateAddresses: ['10.1.0.0/16'],
    });
  });

  it.each([
    [{}, '.url: expected string, got nothing'],
    [{ url: 'erp' }, '.url: expected a URL such as https://erp.example.com/orders, got "erp"'],
    [{ url: URL, verb: 'PUT' }, ': unknown option "verb"'],
    [{ url: URL, method: 'GET' }, '.method: expected "POST", "PUT" or "PATCH", got "GET"'],
    [
      { url: 'https://10.0.0.1/' },
      '.url: expected a public address, or one that "allowPrivateAddresses" allows, got "10.0.0.1"',
    ],
    [
      { url: URL, allowPrivateAddresses: ['10.0.0.0'.repeat(2)] },
      '.allowPrivateAddresses.0: expected a network such as "10.0.0.0/8"',
    ],
    [{ url: URL, requestTimeout: 10 }, '.requestTimeout: expected a Duration, got 10'],
    [
      { url: URL, requestTimeout: Duration.minutes(1) },
      ".requestTimeout: expected no more than the attempt's 30 s, got 60",
    ],
    [{ url: URL, batch: { maxWait: 2 } }, '.batch.maxWait: expected a Duration, got 2'],
    [
      { url: URL, batch: { maxWait: Duration.seconds(30) } },
      ".batch.maxWait: expected less than the attempt's 30 s, got 30",
    ],
    [{ url: URL, batch: { maxRecords: 0 } }, '.batch.maxRecords: expected '],
    [{ url: URL, batch: true }, '.batch: expected '],
    [{ url: URL, batch: { size: 5 } }, '.batch: unknown option "size"'],
    [
      { url: URL, headers: { authorization: 'Bearer s3cret' } },
      ".headers.authorization: expected a secret, as this is readable in the function's configuration",
    ],
  ])('%j is refused', (deliverTo, message) => {
    const queues = { orders: { retry: { type: 'none' as const }, deliverTo: deliverTo as never } };
    expect(() => backlogWith({ queues })).toThrow(`queues.orders.deliverTo${message}`);
  });

  it('may have a URL that is known at deployment only', () => {
    const stack = newStack();
    const url = new CfnParameter(stack, 'Url').valueAsString;
    const deliverTo = { url, method: 'PUT' } as const;
    new Backlog(stack, 'Backlog', {
      queues: { orders: { retry: { type: 'none' }, deliverTo } },
      intake: false,
    });
    const [lambda] = propertiesOf(Template.fromStack(stack), 'AWS::Lambda::Function');
    expect(lambda.Environment.Variables.BACKLOG_QUEUES).toEqual({
      'Fn::Join': [
        '',
        [
          '{"orders":{"retryMode":"perRecord","retry":{"type":"none"},"deliverTo":{"url":"',
          { Ref: 'Url' },
          '","method":"PUT"}}}',
        ],
      ],
    });
  });
});

describe.each([
  ['the built-in function', retryQueue],
  ['the function of an entry', { retry: { type: 'none' as const }, entry: ENTRY }],
])('%s', (_name, queue) => {
  const { template } = backlogWith({ queues: { imports: queue }, intake: false, metrics: 'off' });
  const [lambda] = propertiesOf(template, 'AWS::Lambda::Function');
  const [table, control] = tableIds(template);
  const [givenUp] = Object.keys(template.findResources('AWS::SQS::Queue'));

  it('runs on Node 24 and arm64 with 512 MiB for five minutes, and logs JSON', () => {
    expect(lambda).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      MemorySize: 512,
      Timeout: 300,
      LoggingConfig: { LogFormat: 'JSON' },
    });
    expect(lambda.ReservedConcurrentExecutions).toBeUndefined();
  });

  it('is invoked once per event, or its event is given up after a minute', () => {
    expect(propertiesOf(template, 'AWS::Lambda::EventInvokeConfig')).toMatchObject([
      {
        MaximumRetryAttempts: 0,
        MaximumEventAgeInSeconds: 60,
        DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [givenUp, 'Arn'] } } },
      },
    ]);
  });

  it('keeps its logs for their month also when the queue has another function', () => {
    const policies = (removalPolicy?: RemovalPolicy) => {
      const { template } = backlogWith({ queues: { orders: retryQueue }, removalPolicy });
      return new Set(
        Object.values(template.findResources('AWS::Logs::LogGroup')).map((group) => group.DeletionPolicy),
      );
    };
    expect(policies()).toEqual(new Set(['RetainExceptOnCreate']));
    expect(policies(RemovalPolicy.DESTROY)).toEqual(new Set(['Delete']));
  });

  it('has as many invocations at once as the Backlog reserves for each function that attempts records', () => {
    const { template, stack } = backlogWith({
      queues: { orders: retryQueue, bulk: progressiveQueue },
      reservedConcurrentExecutions: 5,
    });
    const reserved = propertiesOf(template, 'AWS::Lambda::Function').filter(
      (properties) => properties.ReservedConcurrentExecutions === 5,
    );
    expect(reserved.map(({ Description }) => Description)).toEqual([
      'Delivers by HTTP what is due in the backlog (fibonacci)',
      'Delivers by HTTP what is due in the backlog (progressive)',
    ]);
    const text = Match.stringLikeRegexp('Backlog.reservedConcurrentExecutions is 5, and up to 11 runs');
    expect(Annotations.fromStack(stack).findWarning('*', text)).toHaveLength(2);
  });

  it('keeps its logs for a month', () => {
    expect(propertiesOf(template, 'AWS::Logs::LogGroup')).toMatchObject([{ RetentionInDays: 30 }]);
  });

  it('may do exactly what a run does', () => {
    const access = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem'];
    const arn = (id: string | undefined) => ({ 'Fn::GetAtt': [id, 'Arn'] });
    const [policy, ...others] = propertiesOf(template, 'AWS::IAM::Policy');
    expect(others).toEqual([]);
    expect(policy.PolicyDocument.Statement).toEqual([
      {
        Effect: 'Allow',
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: { 'Fn::GetAtt': [expect.stringContaining('Logs'), 'Arn'] },
      },
      {
        Effect: 'Allow',
        Action: ['sqs:SendMessage', 'sqs:GetQueueAttributes', 'sqs:GetQueueUrl'],
        Resource: arn(givenUp),
      },
      { Effect: 'Allow', Action: [...access, 'dynamodb:PartiQLUpdate'], Resource: arn(table) },
      {
        Effect: 'Allow',
        Action: 'dynamodb:Query',
        Resource: { 'Fn::Join': ['', [arn(table), '/index/due']] },
      },
      { Effect: 'Allow', Action: access, Resource: arn(control) },
    ]);
    const [role] = propertiesOf(template, 'AWS::IAM::Role');
    expect(role.ManagedPolicyArns).toBeUndefined();
  });
});

it('an entry gets the environment of its queue beside the library its own', () => {
  const { template } = backlogWith({
    queues: { imports: { retry: { type: 'none' }, entry: ENTRY, environment: { ERP: 'blue' } } },
  });
  const [lambda] = propertiesOf(template, 'AWS::Lambda::Function');
  expect(lambda.Environment.Variables).toMatchObject({
    ERP: 'blue',
    BACKLOG_QUEUES: '{"imports":{"retryMode":"perRecord","retry":{"type":"none"}}}',
  });
});

describe("a function of the user's own", () => {
  const ownFunction = (timeout?: Duration) => {
    const stack = newStack();
    const handler = new LambdaFunction(stack, 'Own', {
      runtime: Runtime.NODEJS_22_X,
      handler: 'index.handler',
      code: Code.fromInline('exports.handler = 1'),
      ...(timeout ? { timeout } : {}),
    });
    return { stack, handler };
  };

  it('gets the environment, the rights and the settings for asynchronous invocation', () => {
    const { stack, handler } = ownFunction(Duration.minutes(2));
    new Backlog(stack, 'Backlog', { queues: { bulk: { progressive: true, handler } } });
    const template = Template.fromStack(stack);
    const [lambda] = propertiesOf(template, 'AWS::Lambda::Function');
    expect(lambda.Environment.Variables).toMatchObject({
      BACKLOG_FUNCTION_TIMEOUT_SECONDS: '120',
      BACKLOG_QUEUES: '{"bulk":{"retryMode":"progressive"}}',
    });
    expect(rulesOf(template)[1]?.input.tier.fromAge).toBe(86_400 + 120);
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 0 });
    expect(JSON.stringify(template.findResources('AWS::IAM::Policy'))).toContain('dynamodb:UpdateItem');
  });

  it('keeps the settings for asynchronous invocation that it has', () => {
    const { stack, handler } = ownFunction(Duration.minutes(2));
    handler.configureAsyncInvoke({ retryAttempts: 1 });
    new Backlog(stack, 'Backlog', { queues: { bulk: { progressive: true, handler } } });
    const [ofHandler] = propertiesOf(Template.fromStack(stack), 'AWS::Lambda::EventInvokeConfig');
    expect(ofHandler).toMatchObject({ MaximumRetryAttempts: 1 });
    expect(ofHandler.DestinationConfig).toBeUndefined();
  });

  it('is refused if its timeout leaves no room for an attempt', () => {
    const { stack, handler } = ownFunction();
    expect(() => new Backlog(stack, 'Backlog', { queues: { bulk: { progressive: true, handler } } })).toThrow(
      'queues.bulk.attemptTimeout: an attempt of 30 s does not fit into its function, which ends after 3 s (timeout)',
    );
  });

  it('is refused for a second queue', () => {
    const { stack, handler } = ownFunction(Duration.minutes(2));
    const queue = { progressive: true, handler } as const;
    expect(() => new Backlog(stack, 'Backlog', { queues: { a: queue, b: queue } })).toThrow(
      'queues.b.handler: expected a function of its own, got the one of the queue "a"',
    );
  });
});

/** Records, control. */
function tableIds(template: Template): string[] {
  const ids = Object.keys(template.findResources('AWS::DynamoDB::GlobalTable'));
  return ids.sort((a) => (a.includes('Records') ? -1 : 1));
}

it('an imported backlog grants what writes of groups need: whether its functions make them is not known', () => {
  const stack = newStack();
  const imported = Backlog.fromBacklogAttributes(stack, 'Imported', {
    tableName: 'orders',
    controlTableName: 'orders-control',
  });
  const role = new Role(stack, 'Operator', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
  for (const grant of [imported.grantOperate(role), imported.grantWork(role)]) {
    expect(JSON.stringify(grant.principalStatements)).toContain('PartiQLUpdate');
  }
});

it('without groups, each outcome has a request of its own, and no role the right to more', () => {
  const stack = newStack();
  const backlog = new Backlog(stack, 'Backlog', { groupWrites: false, queues: { a: retryQueue } });
  const role = new Role(stack, 'Operator', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
  for (const grant of [backlog.grantOperate(role), backlog.grantWork(role)]) expect(grant.success).toBe(true);
  const template = Template.fromStack(stack);
  expect(JSON.stringify(template.findResources('AWS::IAM::Policy'))).not.toContain('PartiQLUpdate');
  const variables = propertiesOf(template, 'AWS::Lambda::Function').map(
    (lambda) => lambda.Environment?.Variables ?? {},
  );
  const writers = variables.filter(({ BACKLOG_QUEUES: queues }) => queues !== undefined);
  expect(writers.length).toBeGreaterThanOrEqual(2);
  for (const writer of writers) expect(writer).toMatchObject({ BACKLOG_GROUP_WRITES: 'false' });
});
