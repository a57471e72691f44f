import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An error that the service answers. */
export class Refusal extends Error {
  constructor(
    override readonly name: string,
    message: string,
  ) {
    super(message);
  }
}

/** A service of AWS that speaks JSON: an answer for each action, or an empty one. */
export async function startService(
  prefix: string,
  answers: Readonly<Record<string, (body: never) => unknown>>,
) {
  const requests: string[] = [];
  const denied = new Set<string>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk;
    });
    request.on('end', () => {
      const [, action = ''] = String(request.headers['x-amz-target']).split('.');
      requests.push(action);
      response.setHeader('content-type', 'application/x-amz-json-1.0');
      try {
        if (denied.has(action))
          throw new Refusal('AccessDenied', `not authorized to perform: ${prefix}:${action}`);
        response.end(JSON.stringify(answers[action]?.(JSON.parse(body) as never) ?? {}));
      } catch (error) {
        const { name, message } = error as Error;
        response.statusCode = 400;
        response.end(JSON.stringify({ __type: name, message }));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    /** Actions that the caller has no right to. */
    denied,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
