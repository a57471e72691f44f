import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { queuesOf, recordTables } from '../../tools/src/local/app-queues.js';
import { readAssembly } from '../../tools/src/local/template/assembly.js';
import { readApp } from '../../tools/src/local/template/template.js';
import {
  functionResource,
  ruleResource,
  scheduleResource,
  tableResource,
  writeAssembly,
} from './assembly-fixture.js';

const read = async (changes: Record<string, unknown> = {}) => {
  const folder = await writeAssembly(changes);
  return { folder, app: readApp(await readAssembly(folder)) };
};
const withProperties = (resource: { Properties: object }, properties: object) => ({
  ...resource,
  Properties: { ...resource.Properties, ...properties },
});

const streamed = withProperties(tableResource, { StreamSpecification: { StreamViewType: 'NEW_IMAGE' } });
const mapping = (properties: object = {}) => ({
  Type: 'AWS::Lambda::EventSourceMapping',
  Properties: {
    EventSourceArn: { 'Fn::GetAtt': ['Records0A1B2C3D', 'StreamArn'] },
    FunctionName: { Ref: 'Intake33334444' },
    BatchSize: 7,
    FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT"]}' }, { Pattern: '{"n":[1]}' }] },
    ...properties,
  },
});

describe('the streams of a synthesized app', () => {
  const withMapping = (properties: object = {}) =>
    read({ Records0A1B2C3D: streamed, Intake33334444: functionResource, Map: mapping(properties) });

  it('are those that a function is handed, filtered by any of its patterns', async () => {
    const { app } = await withMapping();
    expect(app.streams).toMatchObject([
      { table: 'Records', functionName: 'Intake', batchSize: 7, viewType: 'NEW_IMAGE' },
    ]);
    expect(app.functions.map(({ name }) => name)).toContain('Intake');
    const [stream] = app.streams;
    expect(
      [{ eventName: 'INSERT' }, { n: 1 }, { eventName: 'MODIFY' }].map((event) => stream?.matches(event)),
    ).toEqual([true, true, false]);
  });

  it('are all changes, a hundred at a time, where the template says no more', async () => {
    const { app } = await withMapping({ BatchSize: undefined, FilterCriteria: undefined });
    expect(app.streams).toMatchObject([{ batchSize: 100 }]);
    expect(app.streams[0]?.matches({})).toBe(true);
  });

  it('may be of a function behind an alias', async () => {
    const { app } = await read({
      Records0A1B2C3D: streamed,
      Intake33334444: functionResource,
      Live: { Type: 'AWS::Lambda::Alias', Properties: { FunctionName: { Ref: 'Intake33334444' } } },
      Map: mapping({ FunctionName: { Ref: 'Live' } }),
    });
    expect(app.streams).toMatchObject([{ table: 'Records', functionName: 'Intake' }]);
  });

  it.each([
    [{ Enabled: false }],
    [{ EventSourceArn: { 'Fn::GetAtt': ['Jobs', 'Arn'] } }],
    [{ EventSourceArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/other/stream/2026' }],
  ])('are not %j', async (properties) => {
    const { app } = await withMapping(properties);
    expect(app.streams).toEqual([]);
    expect(app.functions.map(({ name }) => name)).not.toContain('Intake');
  });

  it('say which filter the local runtime does not know', async () => {
    const filters = { FilterCriteria: { Filters: [{ Pattern: '{"n":[{"numeric":[">",5]}]}' }] } };
    await expect(withMapping(filters)).rejects.toThrow(
      'Map.FilterCriteria.n: the local runtime filters by values',
    );
  });
});

describe('the queues of a synthesized app', () => {
  const queue = (properties: object = {}) => ({ Type: 'AWS::SQS::Queue', Properties: properties });
  const RedrivePolicy = {
    maxReceiveCount: 5,
    deadLetterTargetArn: { 'Fn::GetAtt': ['EventDlq55556666', 'Arn'] },
  };
  const reader = (properties: object = {}) => ({
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: {
      EventSourceArn: { 'Fn::GetAtt': ['Redelivery77778888', 'Arn'] },
      FunctionName: { Ref: 'Intake33334444' },
      ...properties,
    },
  });
  const withQueues = (changes: Record<string, unknown> = {}) =>
    read({
      EventDlq55556666: queue(),
      Redelivery77778888: queue({ RedrivePolicy }),
      Intake33334444: functionResource,
      Reader: reader(),
      ...changes,
    });

  it('are known with their dead letters', async () => {
    const { app } = await withQueues();
    expect(app.queues).toEqual([
      { name: 'EventDlq', maxReceives: Number.POSITIVE_INFINITY, deadLetterQueue: undefined },
      { name: 'Redelivery', maxReceives: 5, deadLetterQueue: 'EventDlq' },
    ]);
  });

  it('are read by the function that a mapping names, ten messages at a time where it says no more', async () => {
    const { app } = await withQueues();
    expect(app.queueReaders).toEqual([{ queue: 'Redelivery', functionName: 'Intake', batchSize: 10 }]);
    expect(app.functions.map(({ name }) => name)).toContain('Intake');
    const three = await withQueues({ Reader: reader({ BatchSize: 3 }) });
    expect(three.app.queueReaders).toMatchObject([{ batchSize: 3 }]);
  });

  it.each([
    [{ Enabled: false }],
    [{ EventSourceArn: 'arn:aws:sqs:eu-central-1:123456789012:elsewhere' }],
    [{ EventSourceArn: { 'Fn::GetAtt': ['Records0A1B2C3D', 'Arn'] } }],
    [{ EventSourceArn: { 'Fn::GetAtt': ['Nowhere', 'Arn'] } }],
  ])('are not %j', async (properties) => {
    const { app } = await withQueues({ Reader: reader(properties) });
    expect(app.queueReaders).toEqual([]);
    expect(app.functions.map(({ name }) => name)).not.toContain('Intake');
  });

  it('say which batch is invalid', async () => {
    await expect(withQueues({ Reader: reader({ BatchSize: 0 }) })).rejects.toThrow(/Reader.*BatchSize/);
  });

  it('are told to functions by their URL, by whose end they are found', async () => {
    const { Properties } = functionResource;
    const Environment = { Variables: { REDELIVERY_URL: { Ref: 'Redelivery77778888' } } };
    const intake = { ...functionResource, Properties: { ...Properties, Environment } };
    const { app } = await withQueues({ Intake33334444: intake });
    const { environment } = app.functions.find(({ name }) => name === 'Intake') ?? {};
    expect(environment?.REDELIVERY_URL).toBe('http://127.0.0.1/000000000000/Redelivery');
  });

  it.each([
    [
      { DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': ['Redelivery77778888', 'Arn'] } } } },
      'Redelivery',
    ],
    [{ DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': ['Topic', 'Arn'] } } } }, undefined],
    [{ MaximumRetryAttempts: 0 }, undefined],
  ])('take what a function fails on: %j goes to %s', async (properties, expected) => {
    const config = { FunctionName: { Ref: 'Worker11112222' }, Qualifier: '$LATEST', ...properties };
    const { app } = await withQueues({
      Config: { Type: 'AWS::Lambda::EventInvokeConfig', Properties: config },
    });
    expect(app.functions.find(({ name }) => name === 'Worker')?.failureQueue).toBe(expected);
    expect(app.functions.find(({ name }) => name === 'Intake')?.failureQueue).toBeUndefined();
  });
});

describe('the schedules of a synthesized app', () => {
  const target = scheduleResource.Properties.Target;
  const withSchedule = async (properties: object = {}) => {
    const { app } = await read({ PollAAAA0000: withProperties(scheduleResource, properties) });
    return app.rules;
  };

  it('are what its rules would be', async () => {
    const { app } = await read();
    const [rule] = app.rules;
    expect(await withSchedule()).toEqual([{ ...rule, timeZone: undefined, schedule: expect.anything() }]);
  });

  it('have their state, and the clock of their time zone', async () => {
    const [rule] = await withSchedule({
      State: 'DISABLED',
      ScheduleExpression: 'cron(0 0 * * ? *)',
      ScheduleExpressionTimezone: 'Asia/Tokyo',
      Target: { ...target, Input: '{"queue":"bulk","tier":{"number":4}}' },
    });
    expect(rule).toMatchObject({
      enabled: false,
      label: 'bulk tier 4, cron(0 0 * * ? *) Asia/Tokyo',
      timeZone: 'Asia/Tokyo',
    });
    expect(rule?.schedule.next(Date.parse('2026-01-01T00:00:00Z'), 0)).toBe(
      Date.parse('2026-01-01T15:00:00Z'),
    );
  });

  it('may be for one time, and keep within their dates', async () => {
    const dates = { StartDate: '2026-01-01T00:00:00.000Z', EndDate: '2026-01-01T00:01:00' };
    const [rule] = await withSchedule(dates);
    const start = Date.parse(dates.StartDate);
    const next = (after: number) => rule?.schedule.next(after, 0);
    expect([next(0), next(start), next(start + 60_000)]).toEqual([start, start + 60_000, undefined]);
    const [once] = await withSchedule({ ScheduleExpression: 'at(2026-01-01T00:00:00)' });
    expect(once?.schedule.next(0, 0)).toBe(start);
  });

  it('without an input get what EventBridge Scheduler sends', async () => {
    const [rule] = await withSchedule({ Target: { Arn: target.Arn } });
    expect(rule?.event).toEqual({ source: 'aws.scheduler', 'detail-type': 'Scheduled Event', detail: '{}' });
  });

  it.each([[{ Ref: 'Topic' }], ['arn:aws:scheduler:::aws-sdk:lambda:invoke']])(
    'for another target (%j) are left out',
    async (Arn) => {
      expect(await withSchedule({ Target: { ...target, Arn } })).toEqual([]);
    },
  );

  it.each([
    [{ ScheduleExpression: 'rate(1 week)' }, 'PollAAAA0000: schedule: expected a rate'],
    [
      { ScheduleExpressionTimezone: 'Mars/Base' },
      'PollAAAA0000: timeZone: expected a time zone such as Europe/Berlin',
    ],
    [{ State: 'PAUSED' }, 'PollAAAA0000.State: expected "ENABLED" or "DISABLED", got "PAUSED"'],
    [{ StartDate: 'soon' }, 'PollAAAA0000.StartDate: expected a date such as 2026-11-20T09:30:00Z'],
    [{ Target: { ...target, Input: '{' } }, 'PollAAAA0000: '],
    [
      { Target: { ...target, Input: '{"at":"<aws.scheduler.scheduled-time>"}' } },
      'PollAAAA0000: the local runtime gives targets a constant input, not <aws.scheduler.scheduled-time>',
    ],
  ])('are refused for %j, naming the resource', async (properties, problem) => {
    await expect(withSchedule(properties)).rejects.toThrow(problem);
  });
});

describe('a synthesized app', () => {
  it('gives its tables, with keys and indexes, under readable names', async () => {
    const { app } = await read();
    expect(app.tables).toEqual([
      {
        name: 'Records',
        logicalId: 'Records0A1B2C3D',
        keys: [{ name: 'id', type: 'HASH' }],
        attributes: [
          { name: 'id', type: 'S' },
          { name: 'lane', type: 'S' },
          { name: 'dueAt', type: 'S' },
        ],
        indexes: [
          {
            name: 'due',
            keys: [
              { name: 'lane', type: 'HASH' },
              { name: 'dueAt', type: 'RANGE' },
            ],
            projection: 'KEYS_ONLY',
            include: undefined,
          },
        ],
      },
    ]);
  });

  it('gives the table that its functions work on and that is made elsewhere, as records need it', async () => {
    const { app } = await read({
      Worker11112222: withProperties(functionResource, {
        Environment: { Variables: { BACKLOG_TABLE: 'OldRecords' } },
      }),
    });
    const [made, given, ...rest] = app.tables;
    expect(rest).toEqual([]);
    expect(given).toEqual({ ...made, name: 'OldRecords', logicalId: 'OldRecords' });
    expect(recordTables(app)).toEqual(['OldRecords']);
  });

  it('gives the functions behind its rules, with their code and their variables resolved', async () => {
    const { app, folder } = await read();
    expect(app.functions).toEqual([
      {
        name: 'Worker',
        handler: 'index.handler',
        codeKey: 'abc123.zip',
        folder: join(folder, 'asset.abc123'),
        timeoutSeconds: 300,
        memoryMb: 512,
        environment: { BACKLOG_TABLE: 'Records', LEVEL: 'INFO' },
      },
    ]);
  });

  it('gives its scheduled rules with their inputs', async () => {
    const { app } = await read();
    expect(app.rules).toMatchObject([
      {
        id: 'Poll',
        label: 'default, every minute',
        expression: 'rate(1 minute)',
        enabled: true,
        functionName: 'Worker',
        event: { queue: 'default' },
      },
    ]);
  });

  it('leaves out rules for events, targets that are no functions, and functions without a rule', async () => {
    const { app } = await read({
      OnEvent: { Type: 'AWS::Events::Rule', Properties: { EventPattern: { source: ['x'] }, Targets: [] } },
      ToTopic: withProperties(ruleResource, { Targets: [{ Arn: { Ref: 'Topic' }, Id: 'T' }] }),
      Python: withProperties(functionResource, { Runtime: 'python3.13' }),
    });
    expect(app.rules.map(({ id }) => id)).toEqual(['Poll']);
    expect(app.functions.map(({ name }) => name)).toEqual(['Worker']);
  });

  it('knows a disabled rule, a target behind an alias, and an input with references', async () => {
    const { app } = await read({
      Live: { Type: 'AWS::Lambda::Alias', Properties: { FunctionName: { Ref: 'Worker11112222' } } },
      PollAAAA0000: withProperties(ruleResource, {
        State: 'DISABLED',
        Targets: [
          {
            Arn: { Ref: 'Live' },
            Id: 'T',
            Input: { 'Fn::Join': ['', ['{"table":"', { Ref: 'Records0A1B2C3D' }, '"}']] },
          },
        ],
      }),
    });
    expect(app.rules).toMatchObject([
      { enabled: false, functionName: 'Worker', event: { table: 'Records' } },
    ]);
  });

  it('gives a stack what another one exports', async () => {
    const elsewhere = await writeAssembly({
      Worker11112222: withProperties(functionResource, {
        Environment: { Variables: { BACKLOG_TABLE: { 'Fn::ImportValue': 'Data:Records' } } },
      }),
    });
    const [shop] = await readAssembly(elsewhere);
    if (!shop) throw new Error('expected a stack');
    const template = {
      Resources: { Store: tableResource },
      Outputs: { Out: { Value: { Ref: 'Store' }, Export: { Name: 'Data:Records' } } },
    };
    const app = readApp([shop, { ...shop, name: 'Data', template }]);
    expect(recordTables(app)).toEqual(['Store']);
    expect(app.functions[0]?.environment).toMatchObject({ BACKLOG_TABLE: 'Store' });
  });

  it('gives two tables of the same name two names', async () => {
    const { app } = await read({ RecordsFFFF0000: tableResource });
    expect(app.tables.map(({ name }) => name)).toEqual(['Records', 'RecordsFFFF0000']);
  });

  it.each([
    [
      'inline code',
      { Worker11112222: withProperties(functionResource, { Code: { ZipFile: 'x' } }) },
      /Worker11112222: .*assets only/,
    ],
    [
      'another language',
      { Worker11112222: withProperties(functionResource, { Runtime: 'python3.13' }) },
      /Worker11112222: .*python3\.13/,
    ],
    [
      'an unknown asset',
      { Worker11112222: withProperties(functionResource, { Code: { S3Key: 'zzz.zip' } }) },
      /no asset "zzz\.zip"/,
    ],
    [
      'a variable nobody can resolve',
      {
        Worker11112222: withProperties(functionResource, {
          Environment: { Variables: { A: { 'Fn::ImportValue': 'x' } } },
        }),
      },
      /Worker11112222\.Environment\.A: .*no stack of the app exports/,
    ],
    [
      'a schedule nobody can read',
      { PollAAAA0000: withProperties(ruleResource, { ScheduleExpression: 'rate(1 week)' }) },
      /PollAAAA0000: schedule/,
    ],
    [
      'an input transformer',
      {
        PollAAAA0000: withProperties(ruleResource, {
          Targets: [{ ...ruleResource.Properties.Targets[0], InputTransformer: {} }],
        }),
      },
      /PollAAAA0000: .*constant input/,
    ],
    [
      'an input that is no JSON',
      {
        PollAAAA0000: withProperties(ruleResource, {
          Targets: [{ ...ruleResource.Properties.Targets[0], Input: '{' }],
        }),
      },
      /PollAAAA0000/,
    ],
    [
      'a local index',
      { Records0A1B2C3D: withProperties(tableResource, { LocalSecondaryIndexes: [{}] }) },
      /Records0A1B2C3D: .*local secondary indexes/,
    ],
  ])('is refused for %s, naming the resource', async (_what, changes, problem) => {
    await expect(read(changes)).rejects.toThrow(problem);
  });

  it('tells its queues and the table of records from the variables of its functions', async () => {
    const { app } = await read({
      Worker11112222: withProperties(functionResource, {
        Environment: {
          Variables: {
            BACKLOG_TABLE: { Ref: 'Records0A1B2C3D' },
            BACKLOG_QUEUES:
              '{"default":{"retryMode":"perRecord","deliverTo":"http://127.0.0.1:1/"},"bulk":{"retryMode":"progressive"}}',
          },
        },
      }),
      Control: withProperties(tableResource, { GlobalSecondaryIndexes: [] }),
    });
    expect(recordTables(app)).toEqual(['Records']);
    expect(queuesOf(app)).toMatchObject([
      {
        name: 'default',
        retryMode: 'perRecord',
        policy: 'fibonacci',
        table: 'Records',
        deliverTo: 'http://127.0.0.1:1/',
      },
      { name: 'bulk', retryMode: 'progressive', policy: 'progressive', table: 'Records' },
    ]);
  });
});

it('a folder that is no cloud assembly is an error', async () => {
  await expect(readAssembly('/nowhere')).rejects.toThrow(/cannot read the synthesized app/);
});
