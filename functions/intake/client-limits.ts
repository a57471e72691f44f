/** Limits for the clients of other services than DynamoDB: a batch has other things to do than to wait. */
export const CLIENT_LIMITS = {
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: 1_000,
    requestTimeout: 5_000,
    socketTimeout: 5_000,
    throwOnRequestTimeout: true,
  },
};
