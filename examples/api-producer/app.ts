import { App, Stack } from 'aws-cdk-lib';
import {
  AuthorizationType,
  AwsIntegration,
  JsonSchemaType,
  PassthroughBehavior,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Backlog } from 'dynamo-backlog/cdk';

const app = new App();
const stack = new Stack(app, 'OrdersApi');

const backlog = new Backlog(stack, 'Backlog', {
  queues: {
    orders: {
      retry: { type: 'fibonacci', maxAttempts: 20 },
      deliverTo: app.node.tryGetContext('deliverTo') ?? 'https://erp.example.com/orders',
    },
  },
});

/** A put, and no more: it cannot even look at what is there. */
const role = new Role(stack, 'ApiRole', {
  assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
  inlinePolicies: {
    Put: new PolicyDocument({
      statements: [
        new PolicyStatement({ actions: ['dynamodb:PutItem'], resources: [backlog.table.tableArn] }),
      ],
    }),
  },
});

const api = new RestApi(stack, 'Api', {
  description: 'Puts orders into the backlog, without code',
  cloudWatchRole: false,
  deployOptions: { throttlingRateLimit: 100, throttlingBurstLimit: 200 },
});

/** The template below puts these into JSON as they are: the patterns leave nothing that would need escaping. */
const order = api.addModel('Order', {
  schema: {
    type: JsonSchemaType.OBJECT,
    required: ['id', 'article', 'quantity'],
    additionalProperties: false,
    properties: {
      id: { type: JsonSchemaType.STRING, pattern: '^[A-Za-z0-9-]{1,64}$' },
      article: { type: JsonSchemaType.STRING, pattern: '^[A-Za-z0-9-]{1,64}$' },
      quantity: { type: JsonSchemaType.INTEGER, minimum: 1, maximum: 1000 },
    },
  },
});

const putItem = {
  TableName: backlog.table.tableName,
  ConditionExpression: 'attribute_not_exists(id)',
  Item: {
    id: { S: "$input.path('$.id')" },
    status: { S: 'NEW' },
    queue: { S: 'orders' },
    payload: {
      M: {
        article: { S: "$input.path('$.article')" },
        quantity: { N: "$input.path('$.quantity')" },
      },
    },
  },
};

/** The same order twice is no error: the first one is there, and will be delivered. */
const DUPLICATE = `#if($input.path('$.__type').toString().contains('ConditionalCheckFailed'))
#set($context.responseOverride.status = 202)
{"accepted":true,"duplicate":true}
#else
{"accepted":false}
#end`;

api.root.addResource('orders').addMethod(
  'POST',
  new AwsIntegration({
    service: 'dynamodb',
    action: 'PutItem',
    options: {
      credentialsRole: role,
      passthroughBehavior: PassthroughBehavior.NEVER,
      requestTemplates: { 'application/json': stack.toJsonString(putItem) },
      integrationResponses: [
        { statusCode: '202', responseTemplates: { 'application/json': '{"accepted":true}' } },
        {
          statusCode: '400',
          selectionPattern: '4\\d{2}',
          responseTemplates: { 'application/json': DUPLICATE },
        },
        {
          statusCode: '502',
          selectionPattern: '5\\d{2}',
          responseTemplates: { 'application/json': '{"accepted":false}' },
        },
      ],
    },
  }),
  {
    // Signed requests of IAM principals; take an authorizer of your own instead.
    authorizationType: AuthorizationType.IAM,
    requestModels: { 'application/json': order },
    requestValidator: api.addRequestValidator('Body', { validateRequestBody: true }),
    methodResponses: ['202', '400', '502'].map((statusCode) => ({ statusCode })),
  },
);
