import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';

/** Decides whether a request is kept back until the gate is opened. */
export type IsHeld = (operation: string, count: number) => boolean;

/** An embedded DynamoDB behind a gate, so that a test can stop a command in the middle of its work. */
export async function startGatedDynamoDb() {
  const dynamodb = await startEmbeddedDynamoDb();
  let isHeld: IsHeld = () => false;
  let isRefused = false;
  let held: (() => void)[] = [];
  const counts = new Map<string, number>();
  const server = createServer(async (from: IncomingMessage, to: ServerResponse) => {
    const body = await text(from);
    if (isRefused) return void to.destroy();
    const operation = String(from.headers['x-amz-target']).replace(/.*\./, '');
    const count = (counts.get(operation) ?? 0) + 1;
    counts.set(operation, count);
    if (isHeld(operation, count)) await new Promise<void>((resolve) => held.push(resolve));
    // The database answers only requests that name its own host.
    const headers = { ...from.headers, host: new URL(dynamodb.endpoint).host };
    const passed = request(dynamodb.endpoint, { method: 'POST', headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(to);
    });
    passed.on('error', () => to.destroy());
    passed.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    /** The endpoint of the database itself. */
    direct: dynamodb.endpoint,
    gated: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Holds these requests from now on, and counts requests from 0 again. */
    hold(which: IsHeld): void {
      counts.clear();
      isHeld = which;
    },
    held: () => held.length,
    /** Ends each connection without an answer. */
    refuse(): void {
      isRefused = true;
    },
    open(): void {
      isHeld = () => false;
      isRefused = false;
      const waiting = held;
      held = [];
      for (const release of waiting) release();
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await dynamodb.stop();
    },
  };
}
