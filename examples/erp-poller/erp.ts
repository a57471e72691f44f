// An ERP for this machine: every third answer is an error, and it does not sell yetis. npx tsx examples/erp-poller/erp.ts
import { createServer } from 'node:http';

const STATES = ['accepted', 'reserved', 'shipped'];
/** The number of requests for each order. */
const orders = new Map<string, number>();
let requests = 0;

createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const id = decodeURIComponent(request.url?.split('/')[2] ?? '');
  const [status, answer] = answerTo(String(request.method), id, body);
  process.stdout.write(`${status} ${request.method} ${id} ${answer}\n`);
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(answer);
}).listen(Number(process.env.PORT ?? 4000), '127.0.0.1');

function answerTo(method: string, id: string, body: string): [status: number, answer: string] {
  if (++requests % 3 === 0) return [503, '{}'];
  if (method === 'PUT') {
    if (body.includes('yeti')) return [422, '{}'];
    if (!orders.has(id)) orders.set(id, 0);
    return [200, '{}'];
  }
  const asked = orders.get(id);
  if (asked === undefined) return [404, '{}'];
  orders.set(id, asked + 1);
  return [200, JSON.stringify({ state: STATES[Math.min(asked, STATES.length - 1)] })];
}
