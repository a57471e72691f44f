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

/**
 * A value as JSON in characters that SQS takes. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 *
 * @param json makes the JSON. Default: `JSON.stringify`
 */
export function asText(value: unknown, json: (value: unknown) => string = JSON.stringify): string {
  return json(value).replace(/[\ufffe\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16)}`);
}
