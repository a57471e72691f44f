// The chat, on this machine: shows what is posted to its webhook. npx tsx examples/approvals/chat.ts
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

createServer(async (request, response) => {
  const { text } = (await json(request)) as { text: string };
  process.stdout.write(`${text}\n`);
  response.writeHead(200).end();
}).listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
