import { randomUUID } from 'node:crypto';
import { type LocalServer, localApp, serveLocally } from '../local-server.js';
import type { SendMessage } from '../queues/queues.js';
import type { FindSecret } from '../secrets-file.js';
import { type LambdaService, serveLambda } from './lambda-service.js';
import { serveSecrets } from './secrets-service.js';
import { serveSqs } from './sqs-service.js';

export interface ServiceDeps {
  readonly lambda: LambdaService;
  readonly send: SendMessage;
  readonly findSecret: FindSecret;
}

export interface Services extends LocalServer {
  /** The URL of Secrets Manager and the Parameter Store. It cannot be guessed: a process that knows it can read the secrets. */
  readonly secretsUrl: string;
}

/** Serves the parts of AWS that functions call beside DynamoDB, on a free port. */
export async function startServices({ lambda, send, findSecret }: ServiceDeps): Promise<Services> {
  const app = localApp();
  const secretsPath = `/${randomUUID()}`;
  serveLambda(app, lambda);
  serveSecrets(app, secretsPath, findSecret);
  serveSqs(app, send);
  const server = await serveLocally(app, 0);
  return { ...server, secretsUrl: `${server.url}${secretsPath}` };
}
