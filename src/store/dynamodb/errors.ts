import { StoreAccessError, StoreError, StoreThrottledError, StoreUnavailableError } from '../errors.js';

/** The properties that tell errors of the AWS client, of Node's network and of anything else apart. */
interface Failure {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly $fault?: 'client' | 'server';
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $retryable?: { readonly throttling?: boolean };
}

const THROTTLED = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'Throttling',
  'RequestLimitExceeded',
  'TooManyRequestsException',
  'SlowDown',
]);

const DENIED = 'access denied: grant the role the DynamoDB actions on the table and its index';
const UNKNOWN = 'the AWS credentials are not known: check them and the region';
const SIGNED_WRONGLY = 'the request was signed wrongly: check the credentials and the clock of this machine';
const EXPIRED = 'the AWS credentials have expired: sign in again';

/** Causes of refused access, and what to do about them, by the error's name. */
const ACCESS: Readonly<Record<string, string>> = {
  ResourceNotFoundException:
    'the table or its index does not exist: check its name, the region and the endpoint',
  AccessDeniedException: DENIED,
  AccessDenied: DENIED,
  NotAuthorized: DENIED,
  UnrecognizedClientException: UNKNOWN,
  InvalidClientTokenId: UNKNOWN,
  MissingAuthenticationTokenException: 'AWS credentials are missing: set them in the environment',
  CredentialsProviderError: 'AWS credentials are missing: set them in the environment, or give an endpoint',
  TokenProviderError: 'AWS credentials are missing or have expired: sign in again',
  ExpiredTokenException: EXPIRED,
  ExpiredToken: EXPIRED,
  InvalidSignatureException: SIGNED_WRONGLY,
  IncompleteSignatureException: SIGNED_WRONGLY,
  OptInRequired: 'the AWS account has no access to DynamoDB',
};

const UNAVAILABLE = new Set([
  'TimeoutError',
  'AbortError',
  'NetworkingError',
  'InternalServerError',
  'InternalFailure',
  'ServiceUnavailable',
  'ServiceUnavailableException',
  'RequestTimeout',
  'ReplicatedWriteConflictException',
]);

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  'EPROTO',
]);

/** Runs one request. Its errors become the library's own, with the original as cause. */
export async function translated<Answer>(
  doing: string,
  table: string,
  request: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await request();
  } catch (error) {
    throw error instanceof StoreError ? error : translateError(error, doing, table);
  }
}

export function translateError(error: unknown, doing: string, table: string): StoreError {
  const failure: Failure = typeof error === 'object' && error !== null ? error : { message: String(error) };
  const where = `${doing} (table ${table})`;
  const options = { cause: error };
  if (THROTTLED.has(failure.name ?? '') || failure.$retryable?.throttling) {
    return new StoreThrottledError(
      `${where}: DynamoDB throttles; back off, or raise the limits of the table`,
      options,
    );
  }
  const access = accessProblem(failure);
  if (access) return new StoreAccessError(`${where}: ${access}`, options);
  if (isUnavailable(failure)) {
    const reason = [failure.name, failure.code].filter(Boolean).join(' ');
    return new StoreUnavailableError(
      `${where}: no answer from DynamoDB (${reason}); check the network and the endpoint, or try again`,
      options,
    );
  }
  return new StoreError(`${where}: ${failure.name ?? 'error'}: ${failure.message ?? ''}`, options);
}

export function isConditionFailed(error: unknown): boolean {
  return hasName(error, 'ConditionalCheckFailedException');
}

/** Tells whether DynamoDB refuses the request as invalid: a value of a wrong type or size, or a path that is not there. */
export function isValidationError(error: unknown): boolean {
  return hasName(error, 'ValidationException') || hasName(error, 'ItemCollectionSizeLimitExceededException');
}

/** Tells whether the table, or its name in this form, is not known. */
export function isNotFound(error: unknown): boolean {
  return hasName(error, 'ResourceNotFoundException');
}

/** Tells whether the item is too large. DynamoDB has no error of its own for it. */
export function isItemTooLarge(error: unknown): boolean {
  return isValidationError(error) && /item size/i.test((error as Error).message);
}

/** Tells whether the role may not make this request. It may be allowed to make others. */
export function isAccessDenied(error: unknown): boolean {
  return ['AccessDeniedException', 'AccessDenied', 'NotAuthorized'].some((name) => hasName(error, name));
}

/** Tells whether the error is that of an emulator that does not know the request. */
export function isUnknownOperation(error: unknown): boolean {
  const names = [
    'UnknownOperationException',
    'UnknownOperation',
    'NotImplementedException',
    'NotImplemented',
  ];
  const status = (error as Failure | undefined)?.$metadata?.httpStatusCode;
  return status === 501 || names.some((name) => hasName(error, name));
}

function hasName(error: unknown, name: string): boolean {
  return typeof error === 'object' && error !== null && (error as Failure).name === name;
}

function accessProblem(failure: Failure): string | undefined {
  const known = ACCESS[failure.name ?? ''];
  if (known) return known;
  if (failure.name === 'ValidationException' && /specified index/i.test(failure.message ?? '')) {
    return 'the table has no index "due": create it as the CDK construct does';
  }
  if (/^Region is missing/i.test(failure.message ?? '')) return 'no AWS region is set: set AWS_REGION';
  return undefined;
}

function isUnavailable(failure: Failure): boolean {
  return (
    UNAVAILABLE.has(failure.name ?? '') ||
    NETWORK_CODES.has(failure.code ?? '') ||
    NETWORK_CODES.has(failure.name ?? '') ||
    failure.$fault === 'server' ||
    (failure.$metadata?.httpStatusCode ?? 0) >= 500
  );
}
