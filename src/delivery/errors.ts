/** The destination answered with a status that is no success. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The error of a request without an answer: no address was found, the connection was refused or broke, or time was up. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  /** The system's code, such as `ECONNREFUSED`, where there is one. */
  readonly code: string | undefined;
  constructor(message: string, code?: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed before the answer',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name could not be resolved just now',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EPIPE: 'connection closed while sending',
  EPROTO: 'no TLS that both sides know',
  EPRIVATE: 'the name leads to a private address, which "allowPrivateAddresses" does not allow',
  HPE_HEADER_OVERFLOW: 'the headers of the answer are too long',
  CERT_HAS_EXPIRED: 'certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'self-signed certificate in the chain',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate could not be verified',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate is for another host',
};

/** Only the codes of errors and their causes are used: their messages may hold parts of what was sent or received. */
export function networkError(error: unknown, origin: string): NetworkError {
  const code = codeOf(error);
  const explanation = code === undefined ? undefined : explanationOf(code);
  const reason = explanation ? `${explanation} (${code})` : (code ?? 'the request failed');
  return new NetworkError(`no answer from ${origin}: ${reason}`, code, { cause: error });
}

function explanationOf(code: string): string | undefined {
  return EXPLANATIONS[code] ?? (code.startsWith('HPE_') ? 'the answer is no HTTP' : undefined);
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { cause, errors, code } = error as { cause?: unknown; errors?: unknown[]; code?: unknown };
  return codeOf(cause) ?? codeOf(errors?.[0]) ?? (typeof code === 'string' ? code : undefined);
}
