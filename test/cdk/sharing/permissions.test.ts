import { readFileSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { User } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Tracing } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { expect, it } from 'vitest';
import { Backlog } from '../../../cdk/index.js';
import { newStack, propertiesOf, resourceNames, retryQueue, URL } from '../support.js';

/** A right: its holder, its action and its resource. */
type Right = string;

const WHO: [RegExp, string][] = [
  [/^BacklogFibonacciDelivery|^BacklogProgressiveDelivery/, 'a function of a queue'],
  [/^BacklogQueuesrecurring/, 'the function of recurring records'],
  [/^BacklogIntake/, 'the intake'],
  [/^BacklogSweep/, 'the sweep'],
  [/^BacklogRecordEvents/, 'the function that counts groups'],
  [/^BacklogMonitor/, 'the monitor'],
  [/^BacklogWidgetActions/, 'the buttons of the overview'],
  [/^BacklogWidget/, 'the overview'],
  [/^Viewer/, 'a viewer of the dashboard'],
  [/^Helper/, 'a viewer with the right to use the buttons'],
  [/^Producer/, 'a producer'],
  [/^Reader/, 'a producer that looks records up'],
  [/^Canceller/, 'a producer that cancels records'],
  [/^Approver/, 'a service that completes records'],
  [/^Tenants/, 'an application with recurring records'],
  [/^Importer/, 'an application with groups'],
  [/^Shop/, 'an application that numbers records'],
  [/^Operator/, 'an operator'],
  [/^Process/, 'a process that attempts queues'],
];

const WHAT: [RegExp, string][] = [
  [/^Records\.Arn\/index\/due$/, 'the index `due`'],
  [/^Records\.Arn$/, 'the table of records'],
  [/^Records\.StreamArn$/, 'the stream of the table of records'],
  [/^Control\.Arn$/, 'the control table'],
  [/^Redelivery\.Arn$/, 'the redelivery queue'],
  [/^EventDlq\.Arn$/, 'the dead-letter queue for events'],
  [/^SchedulesDeadLetters\.Arn$/, 'the dead-letter queue of the schedules'],
  [/Logs\.Arn$/, 'its own log group'],
  [/^Key\.Arn$/, 'your key'],
  [/^Variables\.Arn$/, 'your key for environment variables'],
  [/^WebhookSecret$/, 'the secrets of its queues'],
  [/:parameter\/erp\/token$/, 'the parameters of its queues'],
  [/:key\/token$/, 'the keys of those parameters'],
  [/^SweepFunction\.Arn$/, 'the sweep'],
  [/^MonitorFunction\.Arn$/, 'the monitor'],
  [/^WidgetFunction\.Arn$/, 'the overview'],
  [/^WidgetActionsFunction\.Arn$/, 'the buttons of the overview'],
  [/:event-source-mapping:/, 'the event source mappings of the intake'],
  [/(?:Delivery|recurring)Function\.Arn$/, 'the functions of queues'],
  [/^Bus\.Arn$/, 'the event bus of `incidentBus`'],
  [/^\*$/, 'all resources'],
];

function named(names: readonly [RegExp, string][], text: string): string {
  const found = names.find(([pattern]) => pattern.test(text));
  if (!found) throw new Error(`docs/permissions.md has no name for ${text}`);
  return found[1];
}

function rights(who: string, actions: readonly string[], what: readonly string[]): Right[] {
  return actions.flatMap((action) => what.map((one) => `${who}: ${action} on ${one}`));
}

/** Rights of the roles of a backlog. */
function rightsIn(trigger: 'rules' | 'scheduler', withKey: boolean): Right[] {
  const stack = newStack({ region: 'eu-central-1' });
  const secret = new Secret(stack, 'WebhookSecret');
  const authorization = StringParameter.fromSecureStringParameterAttributes(stack, 'Token', {
    parameterName: '/erp/token',
    encryptionKey: Key.fromKeyArn(stack, 'TokenKey', 'arn:aws:kms:eu-central-1:111111111111:key/token'),
  });
  const headers = { authorization };
  const backlog = new Backlog(stack, 'Backlog', {
    queues: {
      orders: { ...retryQueue, order: 'key' },
      bulk: { progressive: true, deliverTo: { url: URL, secret, headers } },
    },
    trigger,
    tracing: withKey ? Tracing.ACTIVE : Tracing.DISABLED,
    encryptionKey: withKey ? new Key(stack, 'Key') : undefined,
    widget: true,
    incidentBus: new EventBus(stack, 'Bus'),
    recurring: {},
    groups: true,
    vpc: withKey ? new Vpc(stack, 'Vpc', { restrictDefaultSecurityGroup: false }) : undefined,
    environmentEncryption: withKey ? new Key(stack, 'Variables') : undefined,
  });
  backlog.grantInsert(new User(stack, 'Producer'));
  backlog.grantRead(new User(stack, 'Reader'));
  backlog.grantCancel(new User(stack, 'Canceller'));
  backlog.grantComplete(new User(stack, 'Approver'));
  backlog.grantRecurring(new User(stack, 'Tenants'));
  backlog.grantGroups(new User(stack, 'Importer'));
  backlog.grantInsertInOrder(new User(stack, 'Shop'));
  backlog.grantOperate(new User(stack, 'Operator'));
  backlog.grantWork(new User(stack, 'Process'));
  backlog.grantViewWidget(new User(stack, 'Viewer'));
  backlog.grantUseWidget(new User(stack, 'Helper'));
  const template = Template.fromStack(stack);
  const roles: Role[] = propertiesOf(template, 'AWS::IAM::Role');
  expect(roles.flatMap(({ ManagedPolicyArns = [] }) => ManagedPolicyArns)).toEqual([]);
  const inline = roles.flatMap(({ Policies = [] }) => Policies.map(documentOf('the schedules')));
  const policies = propertiesOf(template, 'AWS::IAM::Policy').map((policy) =>
    documentOf(named(WHO, policy.PolicyName))(policy),
  );
  return [...inline, ...policies].flatMap(({ who, statements }) =>
    statements.flatMap(({ Effect, Action, Resource, Condition }) => {
      if (Effect === 'Deny') {
        expect(Object.keys(Condition?.ArnLike ?? {})).toEqual(['lambda:SourceFunctionArn']);
        return [];
      }
      const what = resourceNames(Resource).map((name) => named(WHAT, name));
      return rights(who, [Action].flat(), what);
    }),
  );
}

interface Role {
  readonly ManagedPolicyArns?: unknown[];
  readonly Policies?: Policy[];
}

interface Policy {
  readonly PolicyDocument: { readonly Statement: readonly Statement[] };
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: { readonly ArnLike?: object };
}

function documentOf(who: string) {
  return ({ PolicyDocument }: Policy) => ({
    who,
    statements: PolicyDocument.Statement,
  });
}

/** The functions that are made here, which the document calls "every function". */
const EVERY_FUNCTION = [
  'a function of a queue',
  'the function of recurring records',
  'the intake',
  'the sweep',
  'the monitor',
  'the function that counts groups',
  'the overview',
  'the buttons of the overview',
].join(', ');

/** The rights in the document, whose rows have holders, actions, resources and the reason. */
function rightsOnPaper(): Right[] {
  const lines = readFileSync('docs/permissions.md', 'utf8').split('\n');
  const rows = lines.map((line) => line.split('|').map((cell) => cell.trim()));
  return rows
    .filter(({ length, 2: may = '' }) => length === 6 && /^`[a-z0-9]+:/.test(may))
    .flatMap(([, who = '', may = '', on = '']) =>
      who
        .replace('every function', EVERY_FUNCTION)
        .split(', ')
        .flatMap((one) => rights(one, may.replaceAll('`', '').split(', '), on.split(', '))),
    );
}

it('docs/permissions.md lists the permissions that there are, and no others', () => {
  const real = new Set([...rightsIn('rules', false), ...rightsIn('scheduler', true)]);
  expect([...new Set(rightsOnPaper())].sort()).toEqual([...real].sort());
});
