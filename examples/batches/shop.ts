// The shop, on this machine. npx tsx examples/batches/shop.ts
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

interface Change {
  readonly id: string;
  readonly pieces?: number;
  readonly payload?: { readonly cents: number };
}

export const shop = createServer(async (request, response) => {
  const changes = (await json(request)) as readonly Change[];
  const say = (status: number, body: unknown) => {
    process.stdout.write(`${request.url}: ${changes.length} changes, ${status}\n`);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  // One change that it cannot read has it refuse them all, and it does not say which.
  if (changes.some(({ pieces = 0 }) => pieces < 0)) return say(400, { problem: 'pieces: not a number' });
  const results = changes.map(({ id }) =>
    id.endsWith('-13') ? { id, status: 404, problem: 'no such article' } : { id, status: 200 },
  );
  return say(200, request.url === '/prices' ? { results } : results);
});

if (import.meta.filename === process.argv[1]) shop.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
