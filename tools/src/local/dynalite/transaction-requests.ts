import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DynaliteError, Transactions } from './transactions.js';

const MAX_REQUEST_BYTES = 16 * 1024 * 1024;
const OPERATIONS = { TransactWriteItems: 'write', TransactGetItems: 'get' } as const;

/** Answers a request that is a transaction. False: it is none. */
export function answerTransaction(
  request: IncomingMessage,
  response: ServerResponse,
  transactions: Transactions,
): boolean {
  const name = String(request.headers['x-amz-target']).split('.')[1] ?? '';
  if (request.method !== 'POST' || !Object.hasOwn(OPERATIONS, name)) return false;
  const operation = OPERATIONS[name as keyof typeof OPERATIONS];
  void answer(request, response, (body) => transactions[operation](body));
  return true;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  act: (body: Record<string, unknown>) => Promise<object>,
): Promise<void> {
  const send = (status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
  };
  const text = await bodyOf(request);
  if (text === undefined) return void response.writeHead(413).end();
  try {
    send(200, await act(parsed(text)));
  } catch (error) {
    const { statusCode, body } = error as Partial<DynaliteError>;
    if (statusCode !== undefined && body !== undefined) return send(statusCode, body);
    const message = 'the embedded DynamoDB cannot make this transaction';
    send(500, { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message });
  }
}

/** Reads the body of a request; undefined if it is longer than DynamoDB takes. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_REQUEST_BYTES) return undefined;
      chunks.push(chunk);
    }
  } catch {
    // Its client is gone.
  }
  return Buffer.concat(chunks).toString();
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Answered below.
  }
  throw Object.assign(new Error('no JSON'), {
    statusCode: 400,
    body: { __type: 'com.amazon.coral.service#SerializationException' },
  });
}
