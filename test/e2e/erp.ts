import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Payload {
  /** One for each attempt, the last again and again. Default: 200. */
  readonly answers?: readonly number[];
  /** Answers 503 until the ERP opens. */
  readonly closed?: boolean;
  /** A link for a person. */
  readonly link?: string;
}

/** One of several records in a request. */
interface Entry {
  readonly id: string;
  readonly payload: Payload | null;
}

/** An ERP that answers as the payload asks. */
export async function startErp() {
  /** Times of attempts, by id. */
  const attempts = new Map<string, number[]>();
  const paths = new Map<string, Set<string>>();
  const links = new Map<string, string>();
  /** The numbers of records in requests with several. */
  const batches: number[] = [];
  let isOpen = false;
  const answer = (id: string, { answers = [200], closed }: Payload) => {
    const times = attempts.get(id) ?? [];
    attempts.set(id, [...times, Date.now()]);
    if (closed) return isOpen ? 200 : 503;
    return answers[Math.min(times.length, answers.length - 1)] ?? 200;
  };
  // A connection that it closes while a request is on its way is a failed attempt: rare, and no part of what is tested.
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const payload = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Payload | Entry[];
      if (Array.isArray(payload)) {
        batches.push(payload.length);
        const results = payload.map(({ id, payload: own }) => ({ id, status: answer(id, own ?? {}) }));
        response.end(JSON.stringify({ results }));
        return;
      }
      const id = String(request.headers['idempotency-key']);
      paths.set(id, (paths.get(id) ?? new Set()).add(request.url ?? ''));
      if (payload?.link !== undefined) links.set(id, payload.link);
      response.writeHead(answer(id, payload ?? {})).end('answer');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/orders`,
    attemptsOf: (id: string): readonly number[] => attempts.get(id) ?? [],
    batches,
    linkOf: (id: string): string => links.get(id) ?? '',
    /** Each path once. */
    pathsOf: (id: string): readonly string[] => [...(paths.get(id) ?? [])],
    open: () => {
      isOpen = true;
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
