import { validateHeaderName, validateHeaderValue } from 'node:http';
import { parseOptions } from 'dynamo-backlog/engine';
import * as z from 'zod';

/** Most bytes of a request and of an answer. */
export const MAX_BYTES = 6 * 1024 * 1024;

/** An HTTP response. */
export interface UrlAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

const answerSchema = z.object({
  statusCode: z.coerce.number().int().min(200).max(599),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullish(),
  cookies: z.array(z.string()).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/** Headers of the connection, which are the server's own. */
const OF_CONNECTION = [
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * Makes a response of what a function has returned, as Lambda does: an object with a `statusCode` describes it, and
 * anything else is sent as JSON.
 *
 * @throws Error if that cannot be sent
 */
export function answerOf(value: unknown): UrlAnswer {
  const answer =
    typeof value === 'object' && value !== null && 'statusCode' in value ? described(value) : inferred(value);
  if (answer.body.length > MAX_BYTES) {
    throw new Error(`body: expected at most ${MAX_BYTES} bytes, got ${answer.body.length}`);
  }
  return answer;
}

function inferred(value: unknown): UrlAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(value)),
  };
}

function described(value: object): UrlAnswer {
  const { statusCode, headers, cookies, body, isBase64Encoded } = parseOptions(answerSchema, value, '');
  const all = new Map<string, string[]>([['content-type', ['application/json']]]);
  for (const [name, content] of Object.entries(headers ?? {})) all.set(name.toLowerCase(), [String(content)]);
  if (cookies?.length) all.set('set-cookie', [...(all.get('set-cookie') ?? []), ...cookies]);
  for (const name of OF_CONNECTION) all.delete(name);
  for (const [name, contents] of all) {
    validateHeaderName(name);
    for (const content of contents) validateHeaderValue(name, content);
  }
  return {
    status: statusCode,
    headers: Object.fromEntries(all),
    body: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'),
  };
}
