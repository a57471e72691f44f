import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** The deliveries of the last days: one may come twice. In a real receiver, a unique key in its database. */
const seen = new Set<string>();

/** Believes nothing before the signature is verified, over the body as it came: bytes, not parsed and written again. */
export function receiver(secret: string, take: (id: string, payload: unknown) => void) {
  const webhook = new Webhook(secret);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    try {
      const payload = webhook.verify(body, request.headers as Record<string, string>);
      const id = String(request.headers['webhook-id']);
      if (!seen.has(id)) take(id, payload);
      seen.add(id);
      response.writeHead(204).end();
    } catch (error) {
      // A signature that is wrong or older than 5 minutes is refused, and comes again; a failure of ours comes again, too.
      response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end();
    }
  };
}
