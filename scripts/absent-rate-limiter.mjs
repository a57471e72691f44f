/**
 * Stands in the handlers' bundles for the rate limiter of the SDK's mode `adaptive` (`AWS_RETRY_MODE`), which is then
 * the mode `standard`: a run slows down by itself where DynamoDB throttles.
 */
export class DefaultRateLimiter {
  async getSendToken() {}

  updateClientSendingRate() {}
}
