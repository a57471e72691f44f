import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';

/** Gives the status and the words with which a destination answers a payload. */
export type Answer = (payload: Record<string, unknown>) => { readonly status: number; readonly says: string };

const stops: (() => Promise<unknown>)[] = [];

/** Stops them at the end of each test. To be called by each file. */
export function stopsErps(): void {
  afterEach(async () => {
    await Promise.all(stops.splice(0).map((stop) => stop()));
  });
}

/** A destination at a loopback port, whose answers a test changes. */
export async function startErp(first: Answer) {
  const erp = { url: '', answer: first };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { status, says } = erp.answer(JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ says }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  erp.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return erp;
}
