// The receiver of the webhooks: WEBHOOK_SECRET=whsec_... npx tsx examples/signed-webhooks/server.ts
import { createServer } from 'node:http';
import { receiver } from './receive.js';

const receive = receiver(process.env.WEBHOOK_SECRET ?? '', (id, payload) => {
  process.stdout.write(`verified ${id} ${JSON.stringify(payload)}\n`);
});

createServer(async (request, response) => {
  await receive(request, response);
  if (response.statusCode !== 204) process.stdout.write(`refused with ${response.statusCode}\n`);
}).listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
