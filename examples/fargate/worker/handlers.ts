import { backlogHandler } from 'dynamo-backlog/lambda';

const { SHOP_URL = 'https://shop.example.com' } = process.env;

/** Minutes to hours: no function of Lambda has the time for it. */
export const imports = backlogHandler({
  queue: 'imports',
  process: async ({ id, payload }, { signal, logger }) => {
    const { url } = payload as { readonly url: string };
    const file = await fetch(url, { signal });
    if (!file.ok || !file.body) throw new Error(`${file.status} from the supplier`);
    let lines = 0;
    for await (const line of linesOf(file.body)) {
      // The same line twice is one article: what was imported before an interruption is imported again.
      await send(`/articles/${encodeURIComponent(id)}/${lines}`, line, signal);
      lines += 1;
    }
    logger.info('imported', { id, lines });
  },
});

/** A second or two each, many at once. */
export const thumbnails = backlogHandler({
  queue: 'thumbnails',
  process: async ({ id, payload }, { signal }) => {
    await send(`/thumbnails/${encodeURIComponent(id)}`, JSON.stringify(payload), signal);
  },
});

async function send(path: string, body: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(`${SHOP_URL}${path}`, { method: 'PUT', body, signal });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the shop answered ${response.status}`);
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of body) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
