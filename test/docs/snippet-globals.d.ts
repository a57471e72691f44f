// What the short blocks of the pages leave out: what they take for granted, by the names that they use. A block that
// declares or imports one of these names has its own.

import type * as cdk from 'aws-cdk-lib';
import type { Template as CdkTemplate } from 'aws-cdk-lib/assertions';
import type * as actions from 'aws-cdk-lib/aws-cloudwatch-actions';
import type * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as ecs from 'aws-cdk-lib/aws-ecs';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as nodejs from 'aws-cdk-lib/aws-lambda-nodejs';
import type { DatabaseInstance } from 'aws-cdk-lib/aws-rds';
import type * as secrets from 'aws-cdk-lib/aws-secretsmanager';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type * as lib from 'dynamo-backlog';
import type * as constructs from 'dynamo-backlog/cdk';
import type * as handlers from 'dynamo-backlog/lambda';
import type * as testing from 'dynamo-backlog/testing';

type Public<One> = Pick<One, keyof One>;

declare global {
  // A CDK app. `backlog` is the construct, a client, or the one of a test, by the page.
  const stack: cdk.Stack;
  const platform: cdk.Stack;
  const queues: Record<string, constructs.QueueProps>;
  const orders: dynamodb.TableV2;
  const orderService: lambda.Function;
  const vpc: ec2.Vpc;
  const container: ecs.ContainerDefinition;
  const url: string;
  const database: DatabaseInstance;
  const key: kms.Key;
  const erpSecret: secrets.Secret;
  const pager: Topic;
  const mailbox: Topic;
  const developers: iam.Role;
  const operators: iam.Role;
  const tableStreamArn: string;
  // Their public parts: what is private in two of them would make `never` of the three.
  const backlog: Public<constructs.Backlog> & Public<lib.BacklogClient> & Public<testing.TestBacklog>;
  class ShopStack extends cdk.Stack {}
  const App: typeof cdk.App;
  const CfnOutput: typeof cdk.CfnOutput;
  const Duration: typeof cdk.Duration;
  const Backlog: typeof constructs.Backlog;
  const Template: typeof CdkTemplate;
  const TableV2: typeof dynamodb.TableV2;
  const AttributeType: typeof dynamodb.AttributeType;
  const ProjectionType: typeof dynamodb.ProjectionType;
  const StreamViewType: typeof dynamodb.StreamViewType;
  type CfnGlobalTable = dynamodb.CfnGlobalTable;
  const AccountPrincipal: typeof iam.AccountPrincipal;
  const Key: typeof kms.Key;
  const Secret: typeof secrets.Secret;
  const SnsAction: typeof actions.SnsAction;
  const Architecture: typeof lambda.Architecture;
  const NodejsFunction: typeof nodejs.NodejsFunction;

  // Handlers and tests.
  const backlogHandler: typeof handlers.backlogHandler;
  const handler: handlers.BacklogLambdaHandler;
  const deliver: handlers.Process<{ url: string }>;
  const sendOrder: handlers.Process;
  const sendMail: handlers.Process;
  const testBacklog: typeof testing.testBacklog;
  const expect: typeof import('vitest').expect;
  const welcomeMail: typeof import('../../examples/tasks/mail.js').welcomeMail;
  const orderPlaced: typeof import('../../examples/producer/insert.js').orderPlaced;
  function signUp(user: { readonly email: string }, client: lib.BacklogClient): Promise<void>;

  // Producers and operators.
  const operator: lib.BacklogOperator;
  const documents: import('@aws-sdk/lib-dynamodb').DynamoDBDocumentClient;
  const request: import('node:http').IncomingMessage & {
    readonly headers: { readonly traceparent?: string };
  };
  const order: { readonly id: string; readonly total: number };
  const payload: { readonly id: string };
  const payloads: { readonly to: string }[];
  const onProgress: NonNullable<lib.InsertManyOptions['onProgress']>;
}
