// A destination on this machine: refuses every record once, then takes it. npx tsx examples/receiver.ts
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const seen = new Set<string>();

createServer(async (request, response) => {
  const id = String(request.headers['idempotency-key']);
  const body = await text(request);
  const status = seen.has(id) ? 200 : 503;
  seen.add(id);
  process.stdout.write(`${status} ${id} ${body}\n`);
  response.writeHead(status).end();
}).listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
