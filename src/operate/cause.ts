import { type ErrorEntry, httpStatusOf } from '../record/index.js';
import { withoutTrailing } from '../support/trailing.js';

/** The cause of a failure: many queues, messages and records can share it. */
export interface Cause {
  /** The error's class. */
  readonly error: string;
  /** The HTTP status of the answer, from 300 to 599; undefined: the message has none. */
  readonly status?: number | undefined;
  /** The destination, such as `erp.example.com` or `127.0.0.1:8080`; undefined: the message has none. */
  readonly host?: string | undefined;
}

type Failure = Pick<ErrorEntry, 'name' | 'message'>;

const URL_HOST = /https?:\/\/(?:[^\s/@]*@)?(\[[0-9a-f:.]+\](?::\d{1,5})?|[a-z0-9.-]+(?::\d{1,5})?)/i;
/** Node.js names the host behind the code. An address is none: a name has many, which change. */
const NODE_HOST =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH) ([a-z][a-z0-9.-]*(?::\d{1,5})?)/i;
const MAX_HOST = 100;

/** The cause of a failure, as far as its class and its message tell. */
export function causeOf({ name, message }: Failure): Cause {
  const status = httpStatusOf(message);
  const host = (URL_HOST.exec(message) ?? NODE_HOST.exec(message))?.[1];
  return {
    error: name,
    ...(status !== undefined && { status }),
    ...(host !== undefined && { host: withoutTrailing(host.toLowerCase().slice(0, MAX_HOST), '.') }),
  };
}

/** `HttpError 503`: the cause without its host. */
export function errorText({ error, status }: Cause): string {
  return status === undefined ? error : `${error} ${status}`;
}

/** `HttpError 503 erp.example.com`, `WorkerLost no host`: the whole cause, as selections take it. */
export function causeText(cause: Cause): string {
  return `${errorText(cause)} ${cause.host ?? 'no host'}`;
}

/** Tells whether a failure has this cause: a class alone, a class and a status, or the text of a whole cause. */
export function hasCause(failure: Failure | undefined, text: string): boolean {
  if (failure === undefined) return false;
  if (failure.name === text) return true;
  if (!text.startsWith(`${failure.name} `)) return false;
  const cause = causeOf(failure);
  return text === errorText(cause) || text === causeText(cause);
}
