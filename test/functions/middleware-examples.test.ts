import { CreateTableCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { testBacklog } from '../../src/testing/index.js';
import { startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { listen } from '../delivery/support.js';

const AWS = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  vi.resetModules();
});

const stub = (variables: Record<string, string>) => {
  for (const [name, value] of Object.entries({ ...AWS, ...variables })) vi.stubEnv(name, value);
};

describe('the examples of middlewares', () => {
  it('traced.ts: the Tracer of Powertools has a segment around each run, and keeps its summary', async () => {
    await using erp = await listen((_request, response) => response.writeHead(200).end());
    // Otherwise it would watch all requests of this process.
    stub({ ERP_URL: erp.origin, POWERTOOLS_TRACER_CAPTURE_HTTPS_REQUESTS: 'false' });
    const { Tracer } = await import('@aws-lambda-powertools/tracer');
    const segment = { addNewSubsegment: vi.fn(), close: vi.fn(), addAnnotation() {}, flush() {} };
    const subsegment = { ...segment, name: '## index.handler', close: vi.fn(), isClosed: () => false };
    segment.addNewSubsegment.mockReturnValue(subsegment);
    vi.spyOn(Tracer.prototype, 'isTracingEnabled').mockReturnValue(true);
    vi.spyOn(Tracer.prototype, 'getSegment').mockReturnValue(segment as never);
    vi.spyOn(Tracer.prototype, 'setSegment').mockImplementation(() => {});
    const noted = [
      'annotateColdStart',
      'addServiceNameAnnotation',
      'addResponseAsMetadata',
      'addErrorAsMetadata',
    ] as const;
    const [, , succeeded, failed] = noted.map((name) =>
      vi.spyOn(Tracer.prototype, name).mockImplementation(() => {}),
    );
    const { handler } = await import('../../examples/handler/traced.js');
    const backlog = testBacklog({ queues: { orders: { handler } } });
    await backlog.client.insert({ id: 'order-7', queue: 'orders', payload: {} });
    await backlog.drain();
    expect(backlog.record('order-7').status).toBe('SUCCESS');
    expect(segment.addNewSubsegment).toHaveBeenCalledOnce();
    expect(subsegment.close).toHaveBeenCalledOnce();
    expect(succeeded).toHaveBeenCalledWith(expect.objectContaining({ succeeded: 1 }), undefined);
    expect(failed).not.toHaveBeenCalled();
  });

  it('with-secret.ts: the token is read before a run, and kept for the next ones; without it no record counts a failure', async () => {
    await using erp = await listen((_request, response) => response.writeHead(200).end());
    let isThere = false;
    await using secrets = await listen((_request, response) => {
      const answer = isThere
        ? { Name: 'shop/erp-token', SecretString: 'token-of-the-erp' }
        : { __type: 'ResourceNotFoundException', message: 'no such secret' };
      response
        .writeHead(isThere ? 200 : 400, { 'content-type': 'application/x-amz-json-1.1' })
        .end(JSON.stringify(answer));
    });
    stub({ ERP_URL: erp.origin, AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.origin });
    const { handler } = await import('../../examples/handler/with-secret.js');
    expect(secrets.received).toHaveLength(0);
    const backlog = testBacklog({ queues: { orders: { handler } } });
    await backlog.client.insert({ id: 'order-7', queue: 'orders', payload: { total: 12 } });
    await expect(backlog.drain()).rejects.toThrow('no such secret');
    expect(backlog.record('order-7')).toMatchObject({ status: 'NEW', attempts: 0, failures: 0 });
    isThere = true;
    await backlog.advance('2m');
    const asked = secrets.received.length;
    await backlog.client.insert({ id: 'order-8', queue: 'orders', payload: { total: 12 } });
    await backlog.drain();
    expect(backlog.records({ status: 'SUCCESS' })).toHaveLength(2);
    expect(erp.received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-of-the-erp',
      'Bearer token-of-the-erp',
    ]);
    expect(secrets.received).toHaveLength(asked);
  });

  it('charge-once.ts: a record that is attempted again, or fails after its charge, is charged once', async () => {
    const dynamoDb = await startEmbeddedDynamoDb();
    stub({ AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint });
    const client = new DynamoDBClient({ endpoint: dynamoDb.endpoint });
    try {
      await client.send(
        new CreateTableCommand({
          TableName: 'Charges',
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
          KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        }),
      );
      let charges = 0;
      await using payments = await listen((_request, response) =>
        charges++ === 0
          ? response.writeHead(503).end()
          : response.writeHead(200).end(JSON.stringify({ charge: `charge-${charges}` })),
      );
      vi.stubEnv('PAYMENTS_URL', payments.origin);
      const { handler } = await import('../../examples/handler/charge-once.js');
      const backlog = testBacklog({ queues: { payments: { handler } } });
      await backlog.client.insert({ id: 'payment-7', queue: 'payments', payload: { amount: 12 } });
      await backlog.runUntilSettled();
      // The service was down at first: that is a failure as any other, and its retry charges.
      expect(backlog.record('payment-7')).toMatchObject({ status: 'SUCCESS', failures: 1 });
      expect(payments.received).toHaveLength(2);
      await backlog.redeliver('payment-7');
      expect(backlog.record('payment-7')).toMatchObject({ status: 'SUCCESS' });
      expect(payments.received).toHaveLength(2);
      const charged = backlog.logs.filter(({ message }) => message === 'charged');
      expect(charged.map(({ extra }) => extra.charge)).toEqual(['charge-2', 'charge-2']);
      const { Items = [] } = await client.send(new ScanCommand({ TableName: 'Charges' }));
      expect(Items).toHaveLength(1);
    } finally {
      client.destroy();
      await dynamoDb.stop();
    }
  });
});
