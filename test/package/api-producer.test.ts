import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { startReceiver } from '../cli/process.js';
import { LocalBacklog } from './local-backlog.js';
import { mustRun } from './run.js';

const app = inject('examplesApp');

interface Template {
  // biome-ignore lint/suspicious/noExplicitAny: CloudFormation's properties have no types here
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties: any }>>;
}

interface Schema {
  readonly properties: Readonly<Record<string, { readonly type: string; readonly pattern?: string }>>;
}

describe('the example of an API as producer', () => {
  let template: Template;
  beforeAll(async () => {
    const tsx = 'node_modules/tsx/dist/cli.mjs';
    const env = { CDK_OUTDIR: 'out-api' };
    await mustRun(process.execPath, [tsx, 'examples/api-producer/app.ts'], { cwd: app, env });
    template = JSON.parse(await readFile(join(app, 'out-api/OrdersApi.template.json'), 'utf8'));
  });

  const all = (type: string) =>
    Object.values(template.Resources)
      .filter(({ Type }) => Type === type)
      .map(({ Properties }) => Properties);
  const post = () => all('AWS::ApiGateway::Method').find(({ HttpMethod }) => HttpMethod === 'POST');
  const model = () => all('AWS::ApiGateway::Model')[0];

  it('lets the API put into the table of records, and nothing else', () => {
    const roles = all('AWS::IAM::Role').filter(({ AssumeRolePolicyDocument }) =>
      JSON.stringify(AssumeRolePolicyDocument).includes('apigateway.amazonaws.com'),
    );
    expect(roles.map(({ Policies }) => Policies)).toEqual([
      [
        {
          PolicyName: 'Put',
          PolicyDocument: {
            Version: '2012-10-17',
            Statement: [
              {
                Effect: 'Allow',
                Action: 'dynamodb:PutItem',
                Resource: { 'Fn::GetAtt': [expect.stringMatching(/^BacklogRecords/), 'Arn'] },
              },
            ],
          },
        },
      ],
    ]);
  });

  it('takes signed requests with an order in them, and says of a duplicate that it is one', () => {
    expect(post()).toMatchObject({ AuthorizationType: 'AWS_IAM', RequestModels: expect.anything() });
    expect(all('AWS::ApiGateway::RequestValidator')).toMatchObject([{ ValidateRequestBody: true }]);
    expect(model().Schema).toMatchObject({ additionalProperties: false });
    expect(post().Integration.IntegrationResponses[1]).toMatchObject({
      SelectionPattern: '4\\d{2}',
      StatusCode: '400',
    });
  });

  it('puts an item that the backlog attempts', async () => {
    const request = render(post().Integration.RequestTemplates['application/json'], {
      id: 'order-1',
      article: 'mug',
      quantity: '2',
    });
    expect(request.TableName).toBe('BacklogRecords');
    const receiver = await startReceiver(() => 200);
    await using backlog = await LocalBacklog.start(app, [
      '--app',
      `npx tsx examples/api-producer/app.ts`,
      '--deliver-to',
      receiver.url,
      '--speed',
      '600',
    ]);
    const answer = await putItem(backlog.endpoint, request);
    expect(answer.status).toBe(200);
    const repeated = await putItem(backlog.endpoint, request);
    // What the mapping of the answer looks for.
    expect([repeated.status, await repeated.text()]).toEqual([
      400,
      expect.stringContaining('ConditionalCheckFailed'),
    ]);
    const records = await backlog.finished(1);
    expect(records.get('order-1')).toMatchObject({ status: 'SUCCESS', attempts: 1, queue: 'orders' });
    expect(receiver.deliveries.map(({ body }) => JSON.parse(body))).toEqual([
      { article: 'mug', quantity: 2 },
    ]);
    await receiver.stop();
  });

  it('has a schema that lets nothing through which would break out of the mapping template', () => {
    const { properties } = model().Schema as Schema;
    for (const { type, pattern } of Object.values(properties)) {
      if (type === 'integer') continue;
      expect(type).toBe('string');
      for (const text of ['"', '\\', 'a"b', "a'b", 'a\nb', ''])
        expect(text).not.toMatch(new RegExp(String(pattern)));
    }
  });
});

/** The mapping template as API Gateway renders it: references resolved, `$input.path('$.x')` replaced. */
function render(template: unknown, body: Readonly<Record<string, string>>) {
  const [, deps] = (template as { 'Fn::Join': [string, unknown[]] })['Fn::Join'];
  const text = deps.map((part) => (typeof part === 'string' ? part : 'BacklogRecords')).join('');
  const rendered = text.replaceAll(/\$input\.path\('\$\.(\w+)'\)/g, (_all, name: string) =>
    String(body[name]),
  );
  return JSON.parse(rendered) as Record<string, unknown>;
}

/** Puts an item as API Gateway does: DynamoDB's own JSON, no SDK. */
function putItem(endpoint: string, request: object): Promise<Response> {
  return fetch(endpoint, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Target': 'DynamoDB_20120810.PutItem',
      Authorization:
        'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=a',
      'X-Amz-Date': '20260101T000000Z',
    },
    body: JSON.stringify(request),
  });
}
