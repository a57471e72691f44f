import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { CONSOLE_COOKIE } from '../../console/security.js';

/** A request to a function URL. */
export interface UrlRequest {
  readonly incoming: IncomingMessage;
  /** The path below the function's URL, such as `/` or `/a%20b`, as it was sent. */
  readonly path: string;
  /** The query without its question mark, as it was sent. */
  readonly query: string;
  readonly body: Buffer;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The event of payload format 2.0 that Lambda makes of a request. */
export function eventOf({ incoming, path, query, body, now }: UrlRequest): object {
  const { method, socket, headers } = incoming;
  const sourceIp = socket.remoteAddress ?? '127.0.0.1';
  const host = headers.host ?? '';
  const cookies = cookiesOf(headers.cookie);
  const parameters = new URLSearchParams(query);
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    ...(cookies.length > 0 ? { cookies } : {}),
    headers: {
      ...joined(incoming.headersDistinct),
      ...(cookies.length > 0 ? { cookie: cookies.join('; ') } : {}),
      'x-forwarded-for': sourceIp,
      'x-forwarded-port': String(socket.localPort),
      'x-forwarded-proto': 'http',
    },
    ...(parameters.size > 0 ? { queryStringParameters: parametersOf(parameters) } : {}),
    requestContext: {
      accountId: 'anonymous',
      apiId: 'local',
      domainName: host,
      domainPrefix: 'local',
      http: {
        method,
        path,
        protocol: `HTTP/${incoming.httpVersion}`,
        sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: timeText(now),
      timeEpoch: now,
    },
    ...bodyOf(body, headers['content-type']),
  };
}

/** Cookies have no port: those of a console on this machine come along, and are the key to it. */
function cookiesOf(header = ''): string[] {
  const all = header.split(';').map((cookie) => cookie.trim());
  return all.filter((cookie) => cookie !== '' && !cookie.startsWith(CONSOLE_COOKIE));
}

function joined({ cookie: _, ...headers }: NodeJS.Dict<string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, values = []]) => [name, values.join(',')]));
}

function parametersOf(parameters: URLSearchParams): Record<string, string> {
  const names = new Set(parameters.keys());
  return Object.fromEntries([...names].map((name) => [name, parameters.getAll(name).join(',')]));
}

/** Content that Lambda hands over as a text. A form is not among it. */
const TEXT = /^\s*(?:text\/|application\/(?:json|javascript|xml|[\w.+-]+\+(?:json|xml))\s*(?:;|$))/i;

function bodyOf(body: Buffer, type = '') {
  if (body.length === 0) return { isBase64Encoded: false };
  const text = TEXT.test(type) ? body.toString() : undefined;
  // Bytes that are no text would not come back.
  if (text !== undefined && Buffer.from(text).equals(body)) return { body: text, isBase64Encoded: false };
  return { body: body.toString('base64'), isBase64Encoded: true };
}

/** `12/Mar/2020:19:03:58 +0000` */
function timeText(now: number): string {
  const [, day, month, year, time] = new Date(now).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
