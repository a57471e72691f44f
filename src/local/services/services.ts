import { type LocalServer, localApp, serveLocally } from '../local-server.js';
import type { SendMessage } from '../queues/queues.js';
import { type LambdaService, serveLambda } from './lambda-service.js';
import { serveSqs } from './sqs-service.js';

export interface ServiceParts {
  readonly lambda: LambdaService;
  readonly send: SendMessage;
}

/** What functions call of AWS beside DynamoDB, on a free port. */
export function startServices({ lambda, send }: ServiceParts): Promise<LocalServer> {
  const app = localApp();
  serveLambda(app, lambda);
  serveSqs(app, send);
  return serveLocally(app, 0);
}
