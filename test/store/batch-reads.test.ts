import { describe, expect, it } from 'vitest';
import { createDynamoDbClient, DynamoDbStore, StoreThrottledError } from '../../src/store/index.js';
import { startHttp } from './http.js';
import { NOW } from './records.js';

interface BatchRequest {
  readonly RequestItems: Record<string, { readonly Keys: { readonly id: { readonly S: string } }[] }>;
}

/**
 * A store whose batch reads are answered by a function: which of these ids to give, the rest stays unprocessed.
 *
 * @param bytesOf the payload of a record; undefined: there is no such record
 */
async function storeGiving(
  give: (ids: string[]) => string[],
  bytesOf: (id: string) => number | undefined = () => 0,
) {
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
      Responses: {
        backlog: [...given].flatMap((id) => {
          const bytes = bytesOf(id);
          return bytes === undefined ? [] : [{ id: { S: id }, payload: { S: 'x'.repeat(bytes) } }];
        }),
      },
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

describe('a page of many records', () => {
  const MANY = Array.from({ length: 100 }, (_, i) => `r-${i}`);

  /** Reads pages until nothing is left. Returns how many records each has, and how many each request asked for. */
  async function readAll(bytesOf: (id: string) => number) {
    await using giving = await storeGiving((ids) => ids, bytesOf);
    const pages: number[] = [];
    for (let ids: readonly string[] = MANY; ids.length > 0; ) {
      const { records, unread = [] } = await giving.store.pages.read(ids, 'orders');
      expect([...records.map(({ id }) => id), ...unread]).toEqual(ids);
      pages.push(records.length);
      ids = unread;
    }
    return { pages, requests: giving.requests.map((ids) => ids.length) };
  }

  it('of 1 KB is read by two requests: the first one tells that all of them fit', async () => {
    expect(await readAll(() => 1_000)).toEqual({ pages: [100], requests: [25, 75] });
  });

  it('of 100 KB has as many as take 8 MB', async () => {
    expect(await readAll(() => 100_000)).toEqual({ pages: [83, 17], requests: [25, 58, 17] });
  });

  it('of 400 KB, the most that there is, has 25', async () => {
    expect(await readAll(() => 400_000)).toEqual({ pages: [25, 25, 25, 25], requests: [25, 25, 25, 25] });
  });

  it.each([
    [100, 20_000, false],
    [100, 30_000, true],
    [20, 30_000, false],
    [6, 400_000, true],
  ])('of %i with %i bytes each is large: %s', async (records, bytes, expected) => {
    await using giving = await storeGiving(
      (ids) => ids,
      () => bytes,
    );
    const { isLarge = false } = await giving.store.pages.read(MANY.slice(0, records), 'orders');
    expect(isLarge).toBe(expected);
  });

  it('is read in full where records are not there any more', async () => {
    await using giving = await storeGiving(
      (ids) => ids,
      (id) => (id === 'r-99' ? 1 : undefined),
    );
    const { records, unread } = await giving.store.pages.read(MANY, 'orders');
    expect(records.map(({ id }) => id)).toEqual(['r-99']);
    expect(unread).toEqual([]);
  });
});
