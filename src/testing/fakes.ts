import { RetryAfter } from '../record/index.js';
import type { Duration } from '../support/duration.js';
import { ConfigurationError } from '../support/errors.js';
import { show } from '../support/validation.js';

/**
 * Anything that is called with anything: a `process`, the `perform` of a task, or a function of a client that you fake.
 *
 * @inline
 */
type Fake<Result> = (...args: readonly unknown[]) => Promise<Result>;

/**
 * Fails so many times, and then does what `then` does.
 *
 * @param error what is thrown. Default: an Error that says which failure it is
 * @param then Default: nothing, which is success
 */
export function failTimes<Result = void>(
  times: number,
  error?: Error,
  then?: (...args: readonly unknown[]) => Result | Promise<Result>,
): Fake<Result> {
  if (!Number.isInteger(times) || times < 0)
    throw new ConfigurationError(`failTimes: expected a whole number of failures, got ${show(times)}`);
  let failures = 0;
  return async (...args) => {
    if (failures++ < times) throw error ?? new Error(`failure ${failures} of ${times}`);
    return (await then?.(...args)) as Result;
  };
}

/** Asks so many times to wait, as a service does with `Retry-After`, and then succeeds. Default: once. */
export function retryAfter(wait: Duration, times = 1): Fake<void> {
  return failTimes(times, new RetryAfter(wait));
}

/**
 * Does not end before its signal is aborted: a signal among the arguments, or of one of them, as an attempt's context
 * has it.
 *
 * @param options `ignoreSignal`: it never ends, as a handler that is broken
 */
export function hang({ ignoreSignal = false }: { readonly ignoreSignal?: boolean } = {}): Fake<never> {
  return (...args) =>
    new Promise<never>((_, reject) => {
      const signal = ignoreSignal ? undefined : signalIn(args);
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
}

/** An answer of `fakeFetch`: a status, a whole answer, an error, or `hang` for none at all. */
export type FakeAnswer =
  | number
  | Error
  | 'hang'
  | {
      /** The HTTP status. Default: 200. */
      readonly status?: number | undefined;
      /** The headers, such as `{ 'retry-after': '120' }`. Default: none. */
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** The body: text, or a value that is sent as JSON. Default: empty. */
      readonly body?: unknown;
    };

/** A request that `fakeFetch` got. */
export interface FakeRequest {
  /** The method, in capitals. */
  readonly method: string;
  /** The whole URL. */
  readonly url: string;
  /** The headers, by names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, as text. */
  readonly body: string;
}

/** A function in place of `fetch`, which keeps the requests that it got. */
export type FakeFetch = typeof fetch & {
  /** The requests, in order. */
  readonly requests: readonly FakeRequest[];
};

/**
 * A `fetch` with these answers, one after the other; the last one stays: `vi.stubGlobal('fetch', fakeFetch(503, 200))`.
 * It keeps to the signal of a request.
 */
export function fakeFetch(...answers: readonly FakeAnswer[]): FakeFetch {
  if (answers.length === 0) throw new ConfigurationError('fakeFetch: expected at least one answer, got none');
  const requests: FakeRequest[] = [];
  const fake = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { method, url, headers, signal } = request;
    const body = await request.text();
    const answer = answers[Math.min(requests.length, answers.length - 1)] as FakeAnswer;
    requests.push({ method, url, headers: Object.fromEntries(headers), body });
    signal.throwIfAborted();
    if (answer instanceof Error) throw answer;
    return answer === 'hang' ? hang()(signal) : responseOf(answer);
  };
  return Object.assign(fake as typeof fetch, { requests });
}

function responseOf(answer: Exclude<FakeAnswer, Error | 'hang'>): Response {
  const { status = 200, headers = {}, body } = typeof answer === 'number' ? { status: answer } : answer;
  const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
  return new Response(text, { status, headers });
}

function signalIn(args: readonly unknown[]): AbortSignal | undefined {
  for (const arg of args) {
    if (arg instanceof AbortSignal) return arg;
    const own = (arg as { readonly signal?: unknown } | null | undefined)?.signal;
    if (own instanceof AbortSignal) return own;
  }
  return undefined;
}
