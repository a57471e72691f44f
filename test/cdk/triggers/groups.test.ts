import { marshall } from '@aws-sdk/util-dynamodb';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AttributeType, ProjectionType, StreamViewType, Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import type { Construct } from 'constructs';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps, type RecordEventsProps } from '../../../cdk/index.js';
import { METADATA_KEY } from '../../../src/template-metadata.js';
import { matcherOf } from '../../../tools/src/local/streams/event-pattern.js';
import { newStack, propertiesOf, retryQueue } from '../support.js';

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const bus = (scope: Construct) => new EventBus(scope, 'Bus');

/** A backlog with groups: its function, its event source mapping and its rights. */
function synthesized(
  props: Partial<BacklogProps> | ((stack: Stack) => Partial<BacklogProps>) = {},
  queues?: RecordEventsProps['queues'],
  hasEvents = false,
) {
  const stack = newStack({ account: '123456789012', region: 'eu-central-1' });
  const recordEvents =
    queues || hasEvents ? { to: bus(stack), queues, ...(hasEvents && { groups: true }) } : undefined;
  const backlog = new Backlog(stack, 'Backlog', {
    queues: { orders: retryQueue },
    groups: true,
    recordEvents,
    ...(typeof props === 'function' ? props(stack) : props),
  });
  const template = Template.fromStack(stack);
  const of = (type: string, part: string) =>
    Object.entries(template.findResources(type)).find(([id]) => id.includes(part))?.[1].Properties;
  const rightsOf = (part: string): Statement[] =>
    of('AWS::IAM::Policy', part)?.PolicyDocument.Statement ?? [];
  return {
    ...{ stack, backlog, template, rightsOf },
    lambda: of('AWS::Lambda::Function', 'RecordEvents'),
    sweep: of('AWS::Lambda::Function', 'Sweep'),
    filters: (of('AWS::Lambda::EventSourceMapping', 'RecordEvents')?.FilterCriteria.Filters ?? []).map(
      ({ Pattern }: { readonly Pattern: string }) => JSON.parse(Pattern),
    ) as object[],
  };
}

/** Tells whether one of the filters passes the change of a record. */
function passes(filters: readonly object[]) {
  const matchers = filters.map((filter) => matcherOf(filter, 'filter'));
  return (before: object | undefined, after: object | undefined) => {
    const eventName = after === undefined ? 'REMOVE' : before === undefined ? 'INSERT' : 'MODIFY';
    const dynamodb = {
      ...(before && { OldImage: marshall(before) }),
      ...(after && { NewImage: marshall(after) }),
    };
    return matchers.some((matches) => matches({ eventName, dynamodb }));
  };
}

const waiting = { id: 'a', memberOf: '0#g', status: 'NEW', queue: 'orders' };
const failed = { ...waiting, status: 'ERROR', rev: 'r' };
const succeeded = { ...waiting, status: 'SUCCESS', rev: 'r' };
const dead = { ...waiting, status: 'DEAD', rev: 'r' };
const other = { id: 'a', status: 'NEW', queue: 'orders' };

describe('the stream of a backlog with groups', () => {
  const isPassed = passes(synthesized().filters);

  it.each<[string, object | undefined, object | undefined]>([
    ['succeeds', failed, succeeded],
    ['dies', failed, dead],
    ['is inserted when it had ended', undefined, succeeded],
    ['has ended by another service, without the library’s fence', waiting, { ...waiting, status: 'DEAD' }],
    ['begins again', dead, waiting],
    ['is retried again', succeeded, failed],
    ['is deleted', failed, undefined],
    ['is replaced by a record that is none', waiting, other],
    ['is replaced by one that has ended', failed, { ...succeeded, memberOf: '1#h' }],
  ])('passes a member that %s', (_, before, after) => {
    expect(isPassed(before, after)).toBe(true);
  });

  it.each<[string, object | undefined, object | undefined]>([
    ['an insertion of a member', undefined, waiting],
    ['an attempt of a member that fails', waiting, failed],
    ['a deletion of a member that had ended', dead, undefined],
    ['the expiry of a member that had succeeded', succeeded, undefined],
    ['the end of another record', other, { ...other, status: 'SUCCESS', rev: 'r' }],
    ['another record that begins again', { ...other, status: 'DEAD' }, other],
    ['a deletion of another record', other, undefined],
    ['a record whose attribute is no text', undefined, { ...succeeded, memberOf: 7 }],
  ])('does not pass %s', (_, before, after) => {
    expect(isPassed(before, after)).toBe(false);
  });

  it('has new and old images, which say which member was deleted', () => {
    const streamOf = (groups: boolean) =>
      propertiesOf(synthesized({ groups }).template, 'AWS::DynamoDB::GlobalTable').map(
        ({ StreamSpecification }) => StreamSpecification?.StreamViewType,
      );
    expect(streamOf(true)).toEqual(['NEW_AND_OLD_IMAGES', undefined]);
    expect(streamOf(false)).toEqual(['NEW_IMAGE', undefined]);
  });

  it.each<[string, RecordEventsProps['queues'], readonly object[]]>([
    [
      'of some queues',
      { orders: { on: ['dead'] } },
      [
        { status: 'DEAD', queue: 'orders', rev: 'r' },
        { status: 'SUCCESS', rev: 'r', memberOf: '0#g' },
      ],
    ],
    [
      'of all ends, in more filters than Lambda takes',
      { orders: { on: ['succeeded', 'dead'] }, default: { on: ['succeeded'] } },
      [
        { status: 'DEAD', queue: 'orders', rev: 'r' },
        { status: 'SUCCESS', queue: 'orders', rev: 'r' },
        { status: 'SUCCESS', rev: 'r' },
        { status: 'DEAD', memberOf: '0#g' },
      ],
    ],
    [
      'of deaths alone, in more filters than Lambda takes',
      { orders: {}, default: {} },
      [
        { status: 'DEAD', queue: 'orders', rev: 'r' },
        { status: 'DEAD', rev: 'r' },
      ],
    ],
  ])('passes events of records as well, %s', (_, queues, passed) => {
    const { filters } = synthesized({}, queues);
    expect(filters.length).toBeLessThanOrEqual(5);
    const isPassedHere = passes(filters);
    expect(passed.map((after) => isPassedHere(waiting, after))).toEqual(passed.map(() => true));
    expect(isPassedHere(failed, undefined)).toBe(true);
    expect(isPassedHere(waiting, failed)).toBe(false);
    expect(isPassedHere(undefined, { status: 'DEAD', queue: 'orders' })).toBe(false);
    const namesSuccess = Object.values(queues ?? {}).some(({ on = [] }) => on.includes('succeeded'));
    expect(isPassedHere(undefined, { status: 'SUCCESS', queue: 'elsewhere', rev: 'r' })).toBe(
      namesSuccess && filters.length === 5,
    );
  });

  it('has the filters of events alone where there are no groups', () => {
    const queues: RecordEventsProps['queues'] = { orders: { on: ['succeeded', 'dead'] }, default: {} };
    const { filters, lambda, rightsOf } = synthesized({ groups: false }, queues);
    expect(filters).toHaveLength(3);
    expect(JSON.stringify([filters, lambda])).not.toMatch(/memberOf|GROUPS|groups/);
    expect(JSON.stringify(rightsOf('RecordEvents'))).not.toMatch(/Item/);
  });
});

describe('events of the ends of groups', () => {
  const held = { id: 'g', endOf: 'g', status: 'NEW', queue: 'mail', rev: 'r' };
  const ofMembers: [object, object | undefined][] = [
    [failed, succeeded],
    [dead, waiting],
    [failed, undefined],
    [failed, other],
  ];

  it('are sent by the same function, with one more filter', () => {
    const { lambda, filters, rightsOf } = synthesized({}, undefined, true);
    expect(lambda.Environment.Variables).toMatchObject({
      BACKLOG_GROUP_EVENTS: 'true',
      BACKLOG_RECORD_EVENTS: '{}',
    });
    expect(lambda.Description).toContain('ends of records and groups');
    expect(filters).toHaveLength(5);
    const isPassed = passes(filters);
    expect(ofMembers.map(([before, after]) => isPassed(before, after))).toEqual([true, true, true, true]);
    expect(isPassed(held, held)).toBe(true);
    expect(isPassed(held, { ...held, status: 'ERROR' })).toBe(true);
    expect(isPassed(undefined, held)).toBe(false);
    expect(isPassed({ ...held, status: 'ERROR' }, { ...held, status: 'SUCCESS' })).toBe(false);
    expect(isPassed(other, { ...other, status: 'SUCCESS', rev: 'r' })).toBe(false);
    expect(JSON.stringify(rightsOf('RecordEvents'))).toContain('events:PutEvents');
  });

  it('go with those of records, in five filters', () => {
    const { filters } = synthesized({}, { orders: { on: ['succeeded', 'dead'] }, default: {} }, true);
    expect(filters).toHaveLength(5);
    const isPassed = passes(filters);
    expect(ofMembers.map(([before, after]) => isPassed(before, after))).toEqual([true, true, true, true]);
    expect(isPassed(waiting, { ...waiting, status: 'DEAD' })).toBe(true);
    expect(isPassed(other, { ...other, status: 'SUCCESS', rev: 'r' })).toBe(true);
    expect(isPassed(held, held)).toBe(true);
    expect(isPassed(waiting, failed)).toBe(false);
    expect(isPassed(other, { ...other, status: 'ERROR', rev: 'r' })).toBe(false);
  });

  it('need groups, and an end of which to tell', () => {
    expect(() => synthesized({ groups: false }, undefined, true)).toThrow(
      'Backlog.recordEvents.groups: expected "groups: true" of the Backlog',
    );
    const withNothing = (stack: Stack) => ({ recordEvents: { to: bus(stack) } });
    expect(() => synthesized(withNothing)).toThrow(
      'Backlog.recordEvents.queues: expected at least one queue, or "groups: true" beside it',
    );
  });

  it('are in the description of the template, which has none of it where they are not asked for', () => {
    const described = (...args: Parameters<typeof synthesized>) =>
      JSON.stringify(synthesized(...args).template.toJSON());
    expect(described({}, undefined, true)).toContain('"groupEvents":true');
    expect(described({}, { orders: {} })).not.toMatch(/GROUP_EVENTS|groupEvents|endOf/);
  });
});

describe('the function that counts the members of groups', () => {
  it('may read and change records, and the items of groups in the control table', () => {
    const { lambda, rightsOf } = synthesized();
    expect(lambda.Environment.Variables).toMatchObject({ BACKLOG_GROUPS: 'true' });
    expect(Object.keys(lambda.Environment.Variables).join()).not.toMatch(/RECORD_EVENTS|INDEX_AT_ONCE/);
    const rights = rightsOf('RecordEvents').filter(({ Action }) => /Item/.test(JSON.stringify(Action)));
    const isGroups = {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['group*'] },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    };
    expect(rights.map(({ Action, Condition }) => [[Action].flat().join(), Condition])).toEqual([
      ['dynamodb:GetItem,dynamodb:BatchGetItem,dynamodb:UpdateItem', undefined],
      ['dynamodb:PutItem', { StringEqualsIfExists: { 'dynamodb:ReturnValues': 'NONE' } }],
      ['dynamodb:BatchGetItem,dynamodb:UpdateItem,dynamodb:DeleteItem', isGroups],
    ]);
    expect(rights.map(({ Resource }) => /BacklogRecords/.test(JSON.stringify(Resource)))).toEqual([
      true,
      true,
      false,
    ]);
    expect(JSON.stringify(rightsOf('RecordEvents'))).not.toMatch(/events:|sns:/);
  });

  it('may look up the active region, of several', () => {
    const read = (rights: readonly Statement[]) =>
      rights.filter(({ Condition }) => JSON.stringify(Condition ?? '').includes('"region"'));
    expect(read(synthesized().rightsOf('RecordEvents'))).toEqual([]);
    const { rightsOf } = synthesized({
      primaryRegion: 'eu-central-1',
      replicas: [{ region: 'eu-west-1' }],
    });
    expect(read(rightsOf('RecordEvents'))).toMatchObject([{ Action: 'dynamodb:GetItem' }]);
  });

  it('indexes what it starts where there is no intake', () => {
    const { lambda, sweep } = synthesized({ intake: false });
    expect(lambda.Environment.Variables).toMatchObject({ BACKLOG_INDEX_AT_ONCE: 'true' });
    expect(sweep).toBeUndefined();
  });

  it('is the one that sends events', () => {
    const { template, lambda } = synthesized({}, { orders: {} });
    expect(lambda.Environment.Variables).toMatchObject({ BACKLOG_GROUPS: 'true' });
    expect(lambda.Environment.Variables).toHaveProperty('BACKLOG_RECORD_EVENTS');
    const handlers = propertiesOf(template, 'AWS::Lambda::Function').map(({ Handler }) => Handler);
    expect(handlers.filter((handler) => handler === 'record-events.handler')).toHaveLength(1);
  });

  it('is not there without the prop, nor anything else of it', () => {
    const stack = newStack();
    const backlog = new Backlog(stack, 'Backlog', { queues: { orders: retryQueue } });
    expect(backlog.recordEvents).toBeUndefined();
    expect(JSON.stringify(Template.fromStack(stack).toJSON())).not.toMatch(/group\*|BACKLOG_GROUPS|memberOf/);
  });

  it.each<[string, RecordEventsProps['queues'] | undefined, RegExp, RegExp]>([
    ['groups', undefined, /Groups end more than 5 minutes late/, /recordEvents does not take/],
    ['both', { orders: {} }, /recordEvents does not take.*Or groups end late/s, /not affected/],
  ])('has an alarm when it is late, with a text for %s', (_, queues, says, saysNot) => {
    const { template } = synthesized({}, queues);
    const descriptions = propertiesOf(template, 'AWS::CloudWatch::Alarm').map(
      ({ AlarmDescription }) => AlarmDescription as string,
    );
    const age = descriptions.filter((text) => text.includes('#recordeventsage'));
    expect(age).toHaveLength(1);
    expect(age[0]).toMatch(says);
    expect(age[0]).not.toMatch(saysNot);
    expect(descriptions.find((text) => text.includes('#intakestopped'))).toContain('and groups do not end');
  });

  it('is described in the template, for a comparison of two', () => {
    const metadata = (groups: boolean) =>
      synthesized({ groups }).template.toJSON().Metadata[METADATA_KEY].Backlog.groups;
    expect([metadata(true), metadata(false)]).toEqual([true, undefined]);
  });

  it('passes the rules of cdk-nag, with its role and that of an application', () => {
    const app = new App();
    const stack = new Stack(app, 'Nag', { env: { account: '123456789012', region: 'eu-central-1' } });
    new Backlog(stack, 'Backlog', { queues: { orders: retryQueue }, groups: true });
    for (const pack of [new AwsSolutionsChecks(app), new ServerlessChecks(app)])
      expect(pack.validateScope(stack).violations).toEqual([]);
  });
});

describe('the sweep of a backlog with groups', () => {
  const actionsOf = ({ rightsOf }: ReturnType<typeof synthesized>) =>
    rightsOf('Sweep').flatMap(({ Action, Condition }) =>
      [Action]
        .flat()
        .map(
          (action) =>
            `${action}${Condition && /group\*/.test(JSON.stringify(Condition)) ? ' of groups' : ''}`,
        ),
    );

  it('may list groups, read their members, and change the items of groups', () => {
    const made = synthesized();
    expect(made.sweep.Environment.Variables).toMatchObject({ BACKLOG_GROUPS: 'true' });
    const before = actionsOf(synthesized({ groups: false }));
    const added = [...actionsOf(made)];
    for (const action of before) added.splice(added.indexOf(action), 1);
    expect(added.sort()).toEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:BatchGetItem of groups',
      'dynamodb:DeleteItem of groups',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:Scan',
      'dynamodb:UpdateItem',
      'dynamodb:UpdateItem of groups',
    ]);
  });

  it('has none of it without the prop', () => {
    expect(JSON.stringify(synthesized({ groups: false }).sweep)).not.toContain('BACKLOG_GROUPS');
  });
});

describe('groups are refused', () => {
  const given = (viewType?: StreamViewType) => (stack: Stack) => ({
    intake: false,
    table: new TableV2(stack, 'Given', {
      partitionKey: { name: 'id', type: AttributeType.STRING },
      timeToLiveAttribute: 'expiresAt',
      ...(viewType && { dynamoStream: viewType }),
      globalSecondaryIndexes: [
        {
          indexName: 'due',
          partitionKey: { name: 'lane', type: AttributeType.STRING },
          sortKey: { name: 'dueAt', type: AttributeType.STRING },
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
    }),
  });
  const message = 'Backlog.groups: expected a table with a stream of new and old images';

  it.each([StreamViewType.NEW_IMAGE, StreamViewType.OLD_IMAGE, undefined])(
    'on a table of yours with a stream of %s',
    (viewType) => {
      expect(() => synthesized(given(viewType))).toThrow(message);
    },
  );

  it('on an imported table without a stream, and not on one with one', () => {
    const imported = (attributes: object) => (stack: Stack) => ({
      intake: false,
      table: Table.fromTableAttributes(stack, 'Given', {
        tableName: 'given',
        globalIndexes: ['due'],
        ...attributes,
      }),
    });
    expect(() => synthesized(imported({}))).toThrow(message);
    const tableStreamArn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/given/stream/1';
    expect(synthesized(imported({ tableStreamArn })).lambda).toBeDefined();
    expect(synthesized(given(StreamViewType.NEW_AND_OLD_IMAGES)).lambda).toBeDefined();
  });

  it('beside a shared backlog, and as anything but true or false', () => {
    const stack = newStack();
    const sharedBacklog = new Backlog(stack, 'Tables', { queues: { orders: retryQueue } });
    const make = (id: string, props: object) => () =>
      new Backlog(stack, id, { queues: { bulk: retryQueue }, ...props });
    expect(make('A', { sharedBacklog, groups: true })).toThrow(
      'Backlog.groups: expected nothing beside "sharedBacklog"',
    );
    expect(make('B', { groups: 'yes' })).toThrow('Backlog.groups');
  });
});
