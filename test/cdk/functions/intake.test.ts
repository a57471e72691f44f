import { Duration, type Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { type ITable, StreamViewType, Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps } from '../../../cdk/index.js';
import { readSettings } from '../../../functions/settings.js';
import {
  backlogWith,
  newStack,
  progressiveQueue,
  propertiesOf,
  RECORDS_TABLE,
  retryQueue,
  rightsOf,
} from '../support.js';

const queues = { orders: { ...retryQueue, concurrency: 7 }, bulk: progressiveQueue };

describe('the intake', () => {
  const { template, backlog } = backlogWith({ queues });
  const [records] = Object.entries(template.findResources('AWS::DynamoDB::GlobalTable')).find(
    ([, { Properties }]) => Properties.KeySchema[0].AttributeName === 'id',
  ) ?? [''];
  const lambda = propertiesOf(template, 'AWS::Lambda::Function').find(({ Description }) =>
    /has? records attempted/i.test(Description),
  );

  it('and the queue’s function know which queues are fair between keys', () => {
    const fair = backlogWith({
      queues: { orders: { ...retryQueue, fairness: true }, bulk: progressiveQueue },
    });
    const known = propertiesOf(fair.template, 'AWS::Lambda::Function').flatMap(
      ({ Description, Environment }) => {
        const { BACKLOG_QUEUES: text } = Environment?.Variables ?? {};
        const orders = typeof text === 'string' ? JSON.parse(text).orders : undefined;
        return orders?.fairness ? [/records attempted/i.test(Description) ? 'intake' : 'other'] : [];
      },
    );
    expect(known).toContain('intake');
    expect(known).toContain('other');
  });

  it('reads the new images of the records, and not the control table', () => {
    const streams = propertiesOf(template, 'AWS::DynamoDB::GlobalTable').map(
      (table) => table.StreamSpecification,
    );
    expect(streams).toEqual([{ StreamViewType: 'NEW_IMAGE' }, undefined]);
  });

  it('gets what has no lane and has not succeeded, or a lane of its producer, whatever else is wrong with it, and short waits', () => {
    const [mapping] = propertiesOf(template, 'AWS::Lambda::EventSourceMapping');
    expect(mapping).toMatchObject({
      EventSourceArn: { 'Fn::GetAtt': [records, 'StreamArn'] },
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: 100,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
    // One poison item holds up the others of its batch for some tries, and all behind it for a quarter of a day.
    const [givenUp] = Object.keys(template.findResources('AWS::SQS::Queue')).filter((id) =>
      /EventDlq/.test(id),
    );
    expect(mapping).toMatchObject({
      BisectBatchOnFunctionError: true,
      MaximumRecordAgeInSeconds: 6 * 3600,
      DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [givenUp, 'Arn'] } } },
    });
    expect(mapping.MaximumRetryAttempts).toBeUndefined();
    const patterns = mapping.FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) =>
      JSON.parse(Pattern),
    );
    const eventName = ['INSERT', 'MODIFY'];
    const lane = { S: [{ exists: false }] };
    expect(patterns).toEqual([
      { eventName, dynamodb: { NewImage: { lane, status: { S: [{ 'anything-but': ['SUCCESS'] }] } } } },
      { eventName, dynamodb: { NewImage: { lane, status: { S: [{ exists: false }] } } } },
      {
        eventName,
        dynamodb: { NewImage: { lane: { S: [{ exists: true }] }, rev: { S: [{ exists: false }] } } },
      },
      {
        eventName: ['MODIFY'],
        dynamodb: { NewImage: { lane: { S: [{ exists: true }] }, exact: { BOOL: [{ exists: true }] } } },
      },
    ]);
  });

  it('runs as the other functions do, for a minute, and knows the queues by their names', () => {
    expect(lambda).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      MemorySize: 512,
      Timeout: 60,
      LoggingConfig: { LogFormat: 'JSON' },
    });
    const variables = { ...lambda.Environment.Variables, BACKLOG_TABLE: 'r', BACKLOG_CONTROL_TABLE: 'c' };
    expect(readSettings(variables).queues).toEqual({
      orders: { retryMode: 'perRecord' },
      bulk: { retryMode: 'progressive' },
    });
    expect(backlog.intake?.functionArn).toBeDefined();
  });

  it('may be asked by its own messages as often as they have to wait', () => {
    expect(lambda.RecursiveLoop).toBe('Allow');
  });

  it.each([
    ['us-gov-west-1', undefined, undefined],
    ['cn-north-1', undefined, undefined],
    ['eu-central-1', undefined, 'Allow'],
    ['eu-central-1', false, undefined],
    ['us-gov-west-1', true, 'Allow'],
  ])('in %s, with allowRecursiveLoop %s, has the property RecursiveLoop: %s', (region, allow, property) => {
    const stack = newStack({ region });
    new Backlog(stack, 'Backlog', {
      queues: { orders: retryQueue },
      intake: allow === undefined ? {} : { allowRecursiveLoop: allow },
    });
    const functions = propertiesOf(Template.fromStack(stack), 'AWS::Lambda::Function');
    const [intake] = functions.filter(({ Environment }) => Environment.Variables.BACKLOG_ARRIVAL_FUNCTIONS);
    expect(intake.RecursiveLoop).toBe(property);
  });

  it('gathers changes, and takes back so many records at once, as its settings say', () => {
    const stack = newStack();
    new Backlog(stack, 'Backlog', {
      queues: { orders: retryQueue },
      intake: { batchingWindow: Duration.seconds(5), redeliveryMaxConcurrency: 2 },
    });
    const sources = propertiesOf(Template.fromStack(stack), 'AWS::Lambda::EventSourceMapping');
    expect(sources).toHaveLength(2);
    for (const { BatchSize, MaximumBatchingWindowInSeconds, ScalingConfig } of sources) {
      const isStream = BatchSize === 100;
      expect(MaximumBatchingWindowInSeconds).toBe(isStream ? 5 : undefined);
      expect(ScalingConfig).toEqual(isStream ? undefined : { MaximumConcurrency: 2 });
    }
  });

  it.each([
    [{ batchingWindow: Duration.minutes(6) }, 'Backlog.intake.batchingWindow: expected at most 5 minutes'],
    [{ redeliveryMaxConcurrency: 1 }, 'Backlog.intake.redeliveryMaxConcurrency: '],
    [{ concurrency: 5 }, 'Backlog.intake: unknown option "concurrency"'],
    [
      'yes',
      'Backlog.intake: expected true, false or settings such as { redeliveryMaxConcurrency: 2 }, got "yes"',
    ],
  ])('refuses the settings %j', (intake, message) => {
    const props = { queues: { orders: retryQueue }, intake } as BacklogProps;
    expect(() => new Backlog(newStack(), 'Backlog', props)).toThrow(message);
  });

  it('is deployed after the functions that it starts, and after where their failed events go', () => {
    const settings = Object.keys(template.findResources('AWS::Lambda::EventInvokeConfig')).filter((id) =>
      id.includes('Delivery'),
    );
    expect(settings).toHaveLength(2);
    const [intake] = Object.values(template.findResources('AWS::Lambda::Function')).filter(
      ({ Properties }) => Properties.Environment.Variables.BACKLOG_ARRIVAL_FUNCTIONS !== undefined,
    );
    expect(intake?.DependsOn).toEqual(expect.arrayContaining(settings));
  });

  it('may look at records, change them, start their functions and send what comes back: nothing else', () => {
    expect(rightsOf(template, 'BacklogIntake')).toEqual([
      ['logs:CreateLogStream, logs:PutLogEvents', ['IntakeLogs.Arn']],
      [
        'dynamodb:GetItem, dynamodb:BatchGetItem, dynamodb:UpdateItem, dynamodb:PartiQLUpdate',
        ['Records.Arn'],
      ],
      ['dynamodb:GetItem, dynamodb:BatchGetItem, dynamodb:UpdateItem', ['Control.Arn']],
      ['sqs:SendMessage', ['EventDlq.Arn', 'Redelivery.Arn']],
      ['lambda:InvokeFunction', ['FibonacciDeliveryFunction.Arn', 'ProgressiveDeliveryFunction.Arn']],
      ['dynamodb:ListStreams', ['Records.StreamArn']],
      ['dynamodb:DescribeStream, dynamodb:GetRecords, dynamodb:GetShardIterator', ['Records.StreamArn']],
      [
        'sqs:ReceiveMessage, sqs:ChangeMessageVisibility, sqs:GetQueueUrl, sqs:DeleteMessage, sqs:GetQueueAttributes',
        ['Redelivery.Arn'],
      ],
    ]);
  });

  it('may start a function for short waits, or again after the death of a run, and no other', () => {
    const stack = newStack();
    const elsewhere = (id: string) => {
      const handler = new LambdaFunction(stack, id, {
        code: Code.fromInline('exports.handler = () => {}'),
        handler: 'index.handler',
        runtime: Runtime.NODEJS_22_X,
        timeout: Duration.minutes(5),
      });
      handler.configureAsyncInvoke({ retryAttempts: 2 });
      return handler;
    };
    new Backlog(stack, 'Backlog', {
      queues: {
        orders: { ...retryQueue, firstAttempt: 'scheduled' },
        bulk: { progressive: true, handler: elsewhere('Bulk') },
        other: { handler: elsewhere('Other') },
        off: {
          ...retryQueue,
          firstAttempt: 'scheduled',
          enabled: false,
          deliverTo: 'https://other.example.com',
        },
      },
    });
    const rights = rightsOf(Template.fromStack(stack), 'BacklogIntake');
    const [, started] = rights.find(([actions]) => actions === 'lambda:InvokeFunction') ?? [];
    expect(started).toEqual(['FibonacciDeliveryFunction.Arn', 'Other.Arn']);
  });

  it('may use the key of the records', () => {
    const stack = newStack({ region: 'eu-central-1' });
    new Backlog(stack, 'Backlog', { queues, encryptionKey: new Key(stack, 'Key') });
    const policies = propertiesOf(Template.fromStack(stack), 'AWS::IAM::Policy');
    const policy = policies.find(({ PolicyName }) => /Intake/.test(PolicyName));
    expect(JSON.stringify(policy)).toContain('kms:Decrypt');
  });

  it('can be left out, with its alarms', () => {
    const { template: without, backlog: plain } = backlogWith({ queues, intake: false });
    without.resourceCountIs('AWS::Lambda::EventSourceMapping', 0);
    expect(plain.intake).toBeUndefined();
    const alarms = propertiesOf(without, 'AWS::CloudWatch::Alarm').map(({ MetricName }) => MetricName);
    expect(alarms).not.toContain('IteratorAge');
  });
});

describe('the intake of a table that is there already', () => {
  const imported = (attributes: object) => {
    const stack = newStack();
    const tableArn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/orders';
    const table = Table.fromTableAttributes(stack, 'Existing', { tableArn, ...attributes });
    new Backlog(stack, 'Backlog', { queues, table: table as never });
    return stack;
  };

  it('reads its stream', () => {
    const tableStreamArn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/orders/stream/2026';
    const stack = imported({ tableStreamArn });
    const [stream] = propertiesOf(Template.fromStack(stack), 'AWS::Lambda::EventSourceMapping');
    expect(stream).toMatchObject({ EventSourceArn: tableStreamArn });
    Annotations.fromStack(stack).hasNoWarning('*', Match.stringLikeRegexp('stream'));
  });

  it('is missing where no stream is known, and a warning says what that means', () => {
    const stack = imported({});
    Template.fromStack(stack).resourceCountIs('AWS::Lambda::EventSourceMapping', 0);
    const [warning] = Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('stream'));
    expect(String(warning?.entry.data)).toContain(
      'records that are put without "lane" and "dueAt" will never be attempted',
    );
  });
});

describe('the intake of a table of the same app', () => {
  const withTable = (make: (stack: Stack) => unknown) => {
    const stack = newStack();
    new Backlog(stack, 'Backlog', { queues, table: make(stack) as ITable });
    return stack;
  };

  it.each([
    ['new images', (stack: Stack) => newTable(stack, StreamViewType.NEW_IMAGE)],
    ['new and old images', (stack: Stack) => newTable(stack, StreamViewType.NEW_AND_OLD_IMAGES)],
    [
      "new images, made by CDK's older class",
      (stack: Stack) => {
        const { partitionKey, timeToLiveAttribute = '', globalSecondaryIndexes = [] } = RECORDS_TABLE;
        const stream = StreamViewType.NEW_IMAGE;
        const table = new Table(stack, 'Own', { partitionKey, timeToLiveAttribute, stream });
        for (const index of globalSecondaryIndexes) table.addGlobalSecondaryIndex(index as never);
        return table;
      },
    ],
  ])('reads a stream of %s', (_name, make) => {
    const stack = withTable(make);
    const [stream] = propertiesOf(Template.fromStack(stack), 'AWS::Lambda::EventSourceMapping');
    expect(stream).toMatchObject({
      EventSourceArn: { 'Fn::GetAtt': [expect.stringMatching(/^Own/), 'StreamArn'] },
    });
    Annotations.fromStack(stack).hasNoWarning('*', Match.stringLikeRegexp('stream'));
  });

  // The first of them names the ARN of a stream all the same: the mapping would fail at deployment.
  it.each([
    ['no stream', (stack: Stack) => newTable(stack)],
    ['keys only', (stack: Stack) => newTable(stack, StreamViewType.KEYS_ONLY)],
    ['old images', (stack: Stack) => newTable(stack, StreamViewType.OLD_IMAGE)],
  ])('is missing, with a warning, where there is %s', (_name, make) => {
    const stack = withTable(make);
    Template.fromStack(stack).resourceCountIs('AWS::Lambda::EventSourceMapping', 0);
    Annotations.fromStack(stack).hasWarning(
      '/Test/Backlog',
      Match.stringLikeRegexp('no stream of new images'),
    );
  });

  function newTable(stack: Stack, dynamoStream?: StreamViewType): TableV2 {
    return new TableV2(stack, 'Own', { ...RECORDS_TABLE, ...(dynamoStream ? { dynamoStream } : {}) });
  }
});
