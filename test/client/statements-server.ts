import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startHttp } from '../store/http.js';

type Attributes = Record<string, { S?: string }>;
interface Statement {
  readonly Statement: string;
  readonly Parameters: Attributes[string][];
}
/** The outcome of one statement: `ok`, or an error by its code. `late` is executed, and answered with an error. */
export type Verdict = 'ok' | 'late' | (string & {});

export interface Behaviour {
  /** The outcome of each statement. */
  readonly verdict?: (id: string, request: number) => Verdict;
  /** The name of an error that answers a request. `lost`: the request is executed, and its first answer is lost. */
  readonly refuse?: (operation: string, request: number) => string | undefined;
  readonly latencyMs?: number;
}

/** A server that knows PartiQL's INSERT, PutItem and GetItem, and fails as it is told to. */
export async function startStatementsServer({ verdict = () => 'ok', refuse, latencyMs = 0 }: Behaviour = {}) {
  const items = new Map<string, Attributes>();
  const requests: { operation: string; statements: number; bytes: number }[] = [];
  let underWay = 0;
  let mostUnderWay = 0;

  const itemOf = ({ Statement: text, Parameters }: Statement) => {
    const names = [...text.matchAll(/'((?:[^']|'')*)': \?/g)].map(([, name = '']) =>
      name.replaceAll("''", "'"),
    );
    return Object.fromEntries(names.map((name, i) => [name, Parameters[i] ?? {}]));
  };
  const insert = (statement: Statement) => {
    const item = itemOf(statement);
    const id = String(item.id?.S);
    const fate = verdict(id, requests.length);
    if (fate !== 'ok' && fate !== 'late') return { Error: { Code: fate, Message: 'as told' } };
    if (items.has(id)) return { Error: { Code: 'DuplicateItem', Message: 'there already' } };
    items.set(id, item);
    return fate === 'late'
      ? { Error: { Code: 'InternalServerError', Message: 'as told' } }
      : { TableName: 't' };
  };
  const answer = (operation: string, body: Record<string, never>): [number, unknown] => {
    const {
      Statements = [],
      Item = {},
      Key = {},
    } = body as Record<string, never> & {
      Statements?: Statement[];
      Item?: Attributes;
      Key?: Attributes;
    };
    switch (operation) {
      case 'BatchExecuteStatement': {
        const ids = Statements.map((statement) => itemOf(statement).id?.S);
        if (new Set(ids).size < ids.length || ids.length > 25)
          return [400, { __type: 'ValidationException' }];
        return [200, { Responses: Statements.map(insert) }];
      }
      case 'PutItem': {
        const id = String(Item.id?.S);
        if (items.has(id)) return [400, { __type: 'ConditionalCheckFailedException' }];
        items.set(id, Item);
        return [200, {}];
      }
      case 'GetItem':
        return [200, { Item: items.get(String(Key.id?.S)) }];
      default:
        return [400, { __type: 'UnknownOperationException' }];
    }
  };

  const lost = new Set<string>();
  const server = await startHttp(async (request, response) => {
    mostUnderWay = Math.max(mostUnderWay, ++underWay);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const body = JSON.parse(text);
    requests.push({ operation, statements: body.Statements?.length ?? 1, bytes: text.length });
    const refused = refuse?.(operation, requests.length);
    const [status, result] =
      refused && refused !== 'lost'
        ? [400, { __type: refused, message: 'as told' }]
        : answer(operation, body);
    if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
    underWay--;
    if (refused === 'lost' && !lost.has(text)) {
      lost.add(text);
      request.socket.destroy();
      return;
    }
    response.writeHead(status as number, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(result));
  });
  const client = new DynamoDBClient({
    endpoint: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 2,
  });
  return {
    client,
    items,
    requests,
    most: () => mostUnderWay,
    count: (operation: string) => requests.filter((request) => request.operation === operation).length,
    async [Symbol.asyncDispose]() {
      client.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}
