import { CfnOutput } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { TableV2 as Table } from 'aws-cdk-lib/aws-dynamodb';
import { Rule } from 'aws-cdk-lib/aws-events';
import { ServicePrincipal, User } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { expect, it } from 'vitest';
import { Backlog } from '../../../cdk/index.js';
import { backlogWith, newStack, ownFunction, propertiesOf, retryQueue } from '../support.js';

const entry = 'test/cdk/fixtures/handler.ts';

it('what is created has its real type: tables, queues, functions and rules can be changed', () => {
  const stack = newStack();
  const backlog = new Backlog(stack, 'Backlog', {
    queues: {
      orders: retryQueue,
      imports: { retry: { type: 'none' }, entry },
      own: { retry: { type: 'none' }, handler: ownFunction(stack) },
    },
    widget: true,
  });
  const { createdTable, createdControlTable, eventDlq, redelivery, createdFunctions, rules, schedules } =
    backlog;
  const tables: (TableV2 | undefined)[] = [createdTable, createdControlTable];
  for (const table of tables) expect(table).toBeInstanceOf(Table);
  expect(createdTable).toBe(backlog.table);
  for (const queue of [eventDlq, redelivery]) expect(queue).toBeInstanceOf(Queue);
  const functions = [
    ...Object.values(createdFunctions),
    ...[backlog.intake, backlog.sweep, backlog.monitor, backlog.widget, backlog.widgetActions],
  ];
  for (const lambda of functions) expect(lambda).toBeInstanceOf(LambdaFunction);
  expect(Object.keys(createdFunctions)).toEqual(['orders', 'imports']);
  expect(rules.map((rule) => rule instanceof Rule)).toEqual(Array(5).fill(true));
  expect(schedules).toEqual([]);

  backlog.intake?.addEnvironment('TEAM', 'shop');
  createdFunctions.orders?.addEnvironment('TEAM', 'shop');
  new CfnOutput(stack, 'Stream', { value: createdControlTable?.tableId ?? '' });
  const changed = propertiesOf(Template.fromStack(stack), 'AWS::Lambda::Function').filter(
    ({ Environment }) => Environment.Variables.TEAM === 'shop',
  );
  expect(changed).toHaveLength(2);
});

it('with schedules, these are reachable, and there are no rules', () => {
  const { backlog, template } = backlogWith({ queues: { orders: retryQueue }, trigger: 'scheduler' });
  template.resourceCountIs('AWS::Scheduler::Schedule', backlog.schedules.length);
  expect(backlog.rules).toEqual([]);
  expect(backlog.scheduleDeadLetters).toBeInstanceOf(Queue);
});

it('a table that is given is not a created one', () => {
  const stack = newStack();
  const table = Table.fromTableName(stack, 'Theirs', 'theirs');
  const backlog = new Backlog(stack, 'Backlog', { table, intake: false, queues: { orders: retryQueue } });
  expect(backlog.createdTable).toBeUndefined();
  expect(backlog.redelivery).toBeUndefined();
});

it('every grant says whether it was given, with all of its statements', () => {
  const stack = newStack({ region: 'eu-central-1' });
  const backlog = new Backlog(stack, 'Backlog', {
    queues: { orders: retryQueue },
    widget: true,
    encryptionKey: new Key(stack, 'Key'),
  });
  const user = new User(stack, 'Operator');
  const grants = [
    backlog.grantInsert(user),
    backlog.grantOperate(user),
    backlog.grantViewWidget(user),
    backlog.grantUseWidget(user),
  ];
  for (const grant of grants) grant.assertSuccess();
  const actions = backlog
    .grantOperate(new User(stack, 'Other'))
    .principalStatements.flatMap((statement) => statement.actions);
  expect(actions).toEqual(expect.arrayContaining(['dynamodb:DeleteItem', 'dynamodb:Scan', 'dynamodb:Query']));
  const service = new ServicePrincipal('events.amazonaws.com');
  expect(backlog.grantOperate({ grantPrincipal: service }).success).toBe(false);
});
