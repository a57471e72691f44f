import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as dynamoDb from '@aws-sdk/client-dynamodb';
import { type BuildOptions, build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUNDLING, handlerBundle } from '../../scripts/handlers.mjs';

/** Sends a request for each table name, which the server answers with the error of that name. */
const PROBE = `
  import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
  import { toItem } from './src/store/dynamodb/attribute-values.ts';
  const { endpoint, names } = JSON.parse(process.argv[2]);
  const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
  const errors = {};
  for (const name of names) {
    const error = await client.send(new GetItemCommand({ TableName: name, Key: {} })).catch((error) => error);
    const { $metadata: { httpStatusCode }, $fault, $retryable, message, Item, CancellationReasons } = error;
    const isError = error instanceof Error;
    const properties = { name: error.name, httpStatusCode, $fault, $retryable, message, Item, CancellationReasons };
    errors[name] = { isError, ...properties };
  }
  const { exact } = toItem({ exact: { N: '0.1234567890123456789' } });
  const number = { class: exact.constructor.name, text: exact.toString(), attribute: exact.toAttributeValue() };
  process.stdout.write(JSON.stringify({ errors, number }));
`;

const SDK_ERRORS = Object.entries(dynamoDb).flatMap(([name, value]) =>
  typeof value === 'function' && value.prototype instanceof dynamoDb.DynamoDBServiceException ? name : [],
);
/** The second is of AWS as a whole, and none of the client's own. */
const NAMES = [...SDK_ERRORS, 'ValidationException'];

describe("the SDK in a handler's bundle, of which parts are left out", () => {
  const userAgents: unknown[] = [];
  const server = createServer(async (request, response) => {
    userAgents.push(request.headers['user-agent']);
    const { TableName } = JSON.parse((await request.toArray()).join(''));
    response.writeHead(TableName === 'InternalServerError' ? 500 : 400, {
      'content-type': 'application/x-amz-json-1.0',
    });
    const body = {
      __type: `com.amazonaws.dynamodb.v20120810#${TableName}`,
      message: `of ${TableName}`,
      Item: { id: { S: 'a' } },
      CancellationReasons: [{ Code: 'None' }],
    };
    response.end(JSON.stringify(body));
  });
  let endpoint: string;
  beforeAll(async () => {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((closed) => server.close(closed)));

  const probe = async (options: BuildOptions) => {
    const file = join(await mkdtemp(join(tmpdir(), 'backlog-sdk-')), 'probe.mjs');
    await build({ ...options, stdin: { contents: PROBE, resolveDir: '.', loader: 'js' }, outfile: file });
    const env = { PATH: process.env.PATH, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' };
    const given = JSON.stringify({ endpoint, names: NAMES });
    const { stdout } = await promisify(execFile)(process.execPath, [file, given], { env });
    return { ...JSON.parse(stdout), userAgents: new Set(userAgents.splice(0)) };
  };

  it('throws the same errors, reads the same numbers and names itself the same', async () => {
    const { entryPoints: _, splitting: __, ...options } = handlerBundle(['fibonacci']);
    const lean = await probe(options);
    const whole = await probe(BUNDLING);
    expect(lean).toEqual(whole);
    expect(SDK_ERRORS.length).toBeGreaterThan(30);
    expect(whole.errors.ConditionalCheckFailedException).toMatchObject({
      name: 'ConditionalCheckFailedException',
      Item: { id: { S: 'a' } },
    });
    expect(whole.errors.ReplicatedWriteConflictException.$retryable).toEqual({});
    expect(whole.number).toEqual({
      class: 'NumberValue',
      text: '0.1234567890123456789',
      attribute: { N: '0.1234567890123456789' },
    });
  });
});
