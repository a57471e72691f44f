import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';

/** An ERP for this machine: every third answer is an error, and it does not sell yetis. */
export function startErp(port: number, onAnswer: (line: string) => void): Server {
  let requests = 0;
  return createServer(async (request, response) => {
    const body = await text(request);
    requests += 1;
    const status = requests % 3 === 0 ? 503 : body.includes('yeti') ? 422 : 200;
    onAnswer(`${status} ${request.method} ${request.url} ${body}`);
    response.writeHead(status).end();
  }).listen(port, '127.0.0.1');
}
