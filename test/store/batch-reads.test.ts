import { describe, expect, it } from 'vitest';
import { createDynamoDbClient, DynamoDbStore, StoreThrottledError } from '../../src/store/index.js';
import { startHttp } from './http.js';
import { NOW } from './records.js';

interface BatchRequest {
  readonly RequestItems: Record<string, { readonly Keys: { readonly id: { readonly S: string } }[] }>;
}

/** A store whose batch reads are answered by a function: which of these ids to give, the rest stays unprocessed. */
async function storeGiving(give: (ids: string[]) => string[]) {
  const requests: string[][] = [];
  const sleeps: number[] = [];
  const answer = (target: string, body: string) => {
    if (!target.endsWith('BatchGetItem')) return {};
    const { RequestItems } = JSON.parse(body) as BatchRequest;
    const ids = (RequestItems.backlog?.Keys ?? []).map(({ id }) => id.S);
    requests.push(ids);
    const given = new Set(give(ids));
    const left = ids.filter((id) => !given.has(id)).map((id) => ({ id: { S: id } }));
    return {
      Responses: { backlog: [...given].map((id) => ({ id: { S: id } })) },
      UnprocessedKeys: left.length > 0 ? { backlog: { Keys: left, ConsistentRead: true } } : {},
    };
  };
  const http = await startHttp(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    response.end(JSON.stringify(answer(String(request.headers['x-amz-target']), body)));
  });
  const clock = {
    now: () => NOW,
    wall: () => NOW,
    sleep: async (milliseconds: number) => {
      sleeps.push(milliseconds);
    },
  };
  const client = createDynamoDbClient({ endpoint: http.url });
  const tables = { records: 'backlog', control: 'control' };
  const store = new DynamoDbStore({ client, tables, clock, random: () => 0 });
  return { store, requests, sleeps, [Symbol.asyncDispose]: http[Symbol.asyncDispose] };
}

const IDS = Array.from({ length: 5 }, (_, i) => `r-${i}`);

describe('a batch read', () => {
  it('asks again for what an answer left out, at once as long as it brings anything', async () => {
    await using giving = await storeGiving((ids) => ids.slice(0, 2));
    const { records } = await giving.store.pages.read(IDS, 'orders');
    expect(records.map(({ id }) => id)).toEqual(IDS);
    expect(giving.requests.map((ids) => ids.length)).toEqual([5, 3, 1]);
    expect(giving.sleeps).toEqual([]);
  });

  it('waits longer and longer while nothing comes', async () => {
    let round = 0;
    await using giving = await storeGiving((ids) => (round++ < 3 ? [] : ids));
    expect((await giving.store.pages.read(IDS, 'orders')).records).toHaveLength(5);
    expect(giving.sleeps).toEqual([50, 100, 200]);
  });

  it('gives up as throttled when nothing comes at all', async () => {
    await using giving = await storeGiving(() => []);
    await expect(giving.store.pages.read(IDS, 'orders')).rejects.toThrow(StoreThrottledError);
    expect(giving.requests).toHaveLength(6);
  });
});
