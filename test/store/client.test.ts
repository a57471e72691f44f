import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { createDynamoDbClient } from '../../src/store/index.js';
import { startHttp } from './http.js';

const ANSWERS = [
  ['a success', 200, {}],
  ['a failure', 400, { __type: 'com.amazonaws.dynamodb.v20120810#ValidationException', message: 'no' }],
] as const;

describe('a client of DynamoDB', () => {
  it.each(ANSWERS)('reads no value of a request again for a log, after %s', async (_, status, body) => {
    let answered = false;
    const reads = { before: 0, after: 0 };
    const value = {
      get S() {
        reads[answered ? 'after' : 'before']++;
        return 'large';
      },
    };
    await using server = await startHttp((request, response) => {
      request.resume().on('end', () => {
        answered = true;
        response
          .writeHead(status, { 'content-type': 'application/x-amz-json-1.0' })
          .end(JSON.stringify(body));
      });
    });
    const client = createDynamoDbClient({ endpoint: server.url });
    const put = client.send(new PutItemCommand({ TableName: 'records', Item: { id: value } }));
    await (status === 200 ? put : expect(put).rejects.toThrow('no'));
    client.destroy();
    expect(reads.before).toBeGreaterThan(0);
    expect(reads.after).toBe(0);
  });
});
