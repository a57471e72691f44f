import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { translated, translateError } from '../../src/store/dynamodb/errors.js';
import {
  createDynamoDbClient,
  DynamoDbStore,
  StoreAccessError,
  StoreError,
  StoreThrottledError,
  StoreUnavailableError,
} from '../../src/store/index.js';
import { clock } from './dynamodb-under-test.js';
import { startHttp } from './http.js';

const awsError = (name: string, more: Record<string, unknown> = {}) =>
  Object.assign(new Error(`${name} from AWS`), { name, ...more });

describe('errors of AWS become the library’s own', () => {
  it.each([
    ['ProvisionedThroughputExceededException', {}, StoreThrottledError, /back off/],
    ['ThrottlingException', {}, StoreThrottledError, /back off/],
    ['RequestLimitExceeded', {}, StoreThrottledError, /back off/],
    ['NewKindOfThrottling', { $retryable: { throttling: true } }, StoreThrottledError, /back off/],
    ['ResourceNotFoundException', {}, StoreAccessError, /does not exist.*region/],
    ['AccessDeniedException', {}, StoreAccessError, /grant/],
    ['UnrecognizedClientException', {}, StoreAccessError, /credentials/],
    ['CredentialsProviderError', {}, StoreAccessError, /credentials are missing/],
    ['ExpiredTokenException', {}, StoreAccessError, /sign in/],
    ['InvalidSignatureException', {}, StoreAccessError, /clock/],
    [
      'ValidationException',
      { message: 'The table does not have the specified index: due' },
      StoreAccessError,
      /no index/,
    ],
    ['Error', { message: 'Region is missing' }, StoreAccessError, /AWS_REGION/],
    ['TimeoutError', {}, StoreUnavailableError, /no answer/],
    ['AbortError', {}, StoreUnavailableError, /no answer/],
    ['InternalServerError', { $fault: 'server' }, StoreUnavailableError, /no answer/],
    ['UnknownError', { $metadata: { httpStatusCode: 502 } }, StoreUnavailableError, /no answer/],
    ['Error', { code: 'ECONNRESET' }, StoreUnavailableError, /ECONNRESET/],
    ['Error', { code: 'ENOTFOUND' }, StoreUnavailableError, /ENOTFOUND/],
    ['ValidationException', { $metadata: { httpStatusCode: 400 } }, StoreError, /ValidationException/],
    ['TypeError', {}, StoreError, /TypeError/],
  ])('%s %j', (name, more, expected, message) => {
    const cause = awsError(name, more);
    const error = translateError(cause, 'Query', 'backlog');
    expect(error.constructor).toBe(expected);
    expect(error.message).toMatch(/^Query \(table backlog\): /);
    expect(error.message).toMatch(message);
    expect(error.cause).toBe(cause);
  });

  it('passes the library’s own errors on as they are', async () => {
    const own = new StoreThrottledError('own');
    await expect(translated('Query', 'backlog', () => Promise.reject(own))).rejects.toBe(own);
  });
});

describe('a store that cannot do its work', () => {
  const storeAt = (endpoint: string) =>
    new DynamoDbStore({
      client: createDynamoDbClient({ endpoint }),
      tables: { records: 'backlog', control: 'control' },
      clock,
    });

  it('says that the server fails', async () => {
    await using http = await startHttp((_, response) => {
      response.writeHead(500, { 'content-type': 'application/x-amz-json-1.0' });
      response.end('{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"oops"}');
    });
    await expect(storeAt(http.url).records.get('x')).rejects.toThrow(StoreUnavailableError);
  });

  it('says that it is throttled', async () => {
    await using http = await startHttp((_, response) => {
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
      response.end('{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"}');
    });
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const client = new DynamoDBClient({
      endpoint: http.url,
      region: 'us-east-1',
      credentials,
      maxAttempts: 1,
    });
    const store = new DynamoDbStore({ client, tables: { records: 'backlog', control: 'control' }, clock });
    await expect(store.records.get('x')).rejects.toThrow(StoreThrottledError);
  });

  it('has tried five times before', async () => {
    let requests = 0;
    await using http = await startHttp((request) => {
      requests++;
      request.socket.destroy();
    });
    await expect(storeAt(http.url).records.get('x')).rejects.toThrow(StoreUnavailableError);
    expect(requests).toBe(5);
  });

  it('does not hang when a server never answers', async () => {
    await using http = await startHttp(() => {});
    const client = createDynamoDbClient({ endpoint: http.url, requestTimeoutMs: 50 });
    const store = new DynamoDbStore({ client, tables: { records: 'backlog', control: 'control' }, clock });
    const error = await store.records.get('x').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect((error as Error).message).toMatch(/TimeoutError/);
  });
});
