import { request } from 'node:http';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Services, startServices } from '../../../tools/src/local/services/services.js';

const QUEUE = 'http://127.0.0.1/000000000000/Redelivery';

const started: { name: string; event: unknown }[] = [];
const sent: { queue: string; body: string; delaySeconds: number }[] = [];
let server: Services;
let lambda: LambdaClient;
let sqs: SQSClient;

beforeAll(async () => {
  server = await startServices({
    lambda: {
      has: (name) => name === 'Orders',
      start: (name, event) => void started.push({ name, event }),
    },
    send: (queue, body, delaySeconds) => {
      if (queue !== 'Redelivery') return false;
      sent.push({ queue, body, delaySeconds });
      return true;
    },
    findSecret: async (name) => (name.endsWith('shop/webhooks') ? 'whsec_local' : undefined),
  });
  const config = {
    endpoint: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
  lambda = new LambdaClient(config);
  sqs = new SQSClient({ ...config, useQueueUrlAsEndpoint: false });
});
afterAll(async () => {
  lambda.destroy();
  sqs.destroy();
  await server.stop();
});
beforeEach(() => {
  started.length = 0;
  sent.length = 0;
});

describe("Lambda's Invoke, by the SDK's client", () => {
  const invoke = (
    FunctionName: string,
    Payload?: string,
    InvocationType: 'Event' | 'RequestResponse' = 'Event',
  ) => lambda.send(new InvokeCommand({ FunctionName, InvocationType, ...(Payload ? { Payload } : {}) }));

  it('starts a function, and answers before it has ended', async () => {
    const { StatusCode } = await invoke('Orders', '{"queue":"orders","name":"Łódź"}');
    expect(StatusCode).toBe(202);
    expect(started).toEqual([{ name: 'Orders', event: { queue: 'orders', name: 'Łódź' } }]);
  });

  it('starts a function without an event', async () => {
    await invoke('Orders');
    expect(started).toEqual([{ name: 'Orders', event: {} }]);
  });

  it.each([
    ['a function that the app does not have', 'Ordres', '{}', 'Event', 'ResourceNotFoundException', 404],
    ['an event that is no JSON', 'Orders', '{', 'Event', 'InvalidRequestContentException', 400],
    [
      'an answer that somebody waits for',
      'Orders',
      '{}',
      'RequestResponse',
      'InvalidParameterValueException',
      400,
    ],
  ] as const)('refuses %s', async (_, name, payload, type, error, httpStatusCode) => {
    await expect(invoke(name, payload, type)).rejects.toMatchObject({
      name: error,
      $metadata: { httpStatusCode },
    });
    expect(started).toEqual([]);
  });
});

describe("SQS's SendMessage, by the SDK's client", () => {
  // The client itself compares the digest of what came with what it sent.
  const send = (MessageBody: string, rest: { DelaySeconds?: number; QueueUrl?: string } = {}) =>
    sqs.send(new SendMessageCommand({ QueueUrl: QUEUE, MessageBody, ...rest }));

  it('puts a message into a queue, at once or with a delay', async () => {
    const first = await send('{"notIndexed":["ä"]}');
    const second = await send('b', { DelaySeconds: 75 });
    expect(sent).toEqual([
      { queue: 'Redelivery', body: '{"notIndexed":["ä"]}', delaySeconds: 0 },
      { queue: 'Redelivery', body: 'b', delaySeconds: 75 },
    ]);
    expect(first.MessageId).not.toBe(second.MessageId);
  });

  it('puts up to ten messages into a queue by one request', async () => {
    const Entries = Array.from({ length: 10 }, (_, i) => ({
      Id: `m${i}`,
      MessageBody: `body ${i}`,
      ...(i === 9 ? { DelaySeconds: 900 } : {}),
    }));
    const { Successful, Failed } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: QUEUE, Entries }));
    expect(Successful?.map(({ Id }) => Id)).toEqual(Entries.map(({ Id }) => Id));
    expect(Failed ?? []).toEqual([]);
    expect(sent.map(({ body }) => body)).toEqual(Entries.map(({ MessageBody }) => MessageBody));
    expect(sent.at(-1)).toMatchObject({ delaySeconds: 900 });
  });

  it.each([
    ['a queue that the app does not have', 'a', { QueueUrl: `${QUEUE}x` }, 'QueueDoesNotExist'],
    ['a longer delay than SQS has', 'a', { DelaySeconds: 901 }, 'InvalidParameterValue'],
    ['a message that is too long', 'ä'.repeat(600_000), {}, 'InvalidParameterValue'],
  ])('refuses %s', async (_, body, rest, name) => {
    await expect(send(body, rest)).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 400 } });
    expect(sent).toEqual([]);
  });

  it('refuses a batch that two messages of one id are in', async () => {
    const Entries = ['a', 'b'].map((MessageBody) => ({ Id: 'same', MessageBody }));
    await expect(sqs.send(new SendMessageBatchCommand({ QueueUrl: QUEUE, Entries }))).rejects.toMatchObject({
      name: 'BatchEntryIdsNotDistinct',
    });
    expect(sent).toEqual([]);
  });

  it('says what else of SQS there is: nothing', async () => {
    const answer = await fetch(server.url, {
      method: 'POST',
      headers: { 'x-amz-target': 'AmazonSQS.DeleteQueue' },
      body: '{}',
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('takes SendMessage and SendMessageBatch only');
  });
});

describe('secrets, by the clients of Secrets Manager and SSM', () => {
  const config = (endpoint = server.secretsUrl) => ({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  const secret = (SecretId: string, VersionStage?: string, endpoint?: string) =>
    new SecretsManagerClient(config(endpoint)).send(
      new GetSecretValueCommand({ SecretId, ...(VersionStage ? { VersionStage } : {}) }),
    );
  const parameter = (Name: string) =>
    new SSMClient(config()).send(new GetParameterCommand({ Name, WithDecryption: true }));

  it('are handed out by their names', async () => {
    expect(await secret('shop/webhooks')).toMatchObject({ SecretString: 'whsec_local' });
    expect(await parameter('/shop/webhooks')).toMatchObject({ Parameter: { Value: 'whsec_local' } });
  });

  it('have no previous version, and others are not there', async () => {
    const name = 'ResourceNotFoundException';
    await expect(secret('shop/webhooks', 'AWSPREVIOUS')).rejects.toMatchObject({ name });
    const message = 'the local runtime has no secret shop/other: give it one by --secrets FILE';
    await expect(secret('shop/other')).rejects.toMatchObject({ name, message });
    await expect(parameter('/other')).rejects.toMatchObject({ name: 'ParameterNotFound' });
  });

  it('refuse a caller that only knows the port', async () => {
    await expect(secret('shop/webhooks', undefined, server.url)).rejects.toThrow();
    const headers = { 'x-amz-target': 'secretsmanager.GetSecretValue' };
    const body = '{"SecretId":"shop/webhooks"}';
    const answer = await fetch(server.url, { method: 'POST', headers, body });
    expect(answer.status).toBe(400);
    expect(await answer.text()).not.toContain('whsec');
  });
});

it('the services are for this machine alone', async () => {
  const { hostname, port } = new URL(server.url);
  expect(hostname).toBe('127.0.0.1');
  const status = await new Promise((resolve, reject) => {
    const path = '/2015-03-31/functions/Orders/invocations';
    const headers = { host: 'evil.example', 'x-amz-invocation-type': 'Event' };
    request({ hostname, port, path, method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end('{}');
  });
  expect(status).toBe(421);
  expect(started).toEqual([]);
});
