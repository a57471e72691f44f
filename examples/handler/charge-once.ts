import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { Context } from 'aws-lambda';
import { type BacklogRecord, backlogHandler } from 'dynamo-backlog/lambda';

const PAYMENTS_URL = process.env.PAYMENTS_URL ?? 'https://payments.example.com';
const ATTEMPT_SECONDS = 30;

const config = new IdempotencyConfig({ eventKeyJmesPath: 'id', expiresAfterSeconds: 30 * 86_400 });
// An attempt that was lost counts as under way for no longer than it could have taken.
config.registerLambdaContext({ getRemainingTimeInMillis: () => ATTEMPT_SECONDS * 1000 } as Context);

/** Charges a card. The service knows no idempotency key: whatever it has answered once is not asked again. */
const chargeOnce = makeIdempotent(
  async ({ payload }: BacklogRecord) => {
    const response = await fetch(`${PAYMENTS_URL}/charges`, {
      method: 'POST',
      body: JSON.stringify(payload),
    });
    if (!response.ok) throw new Error(`the payment service answered ${response.status}`);
    return (await response.json()) as { charge: string };
  },
  {
    persistenceStore: new DynamoDBPersistenceLayer({ tableName: process.env.CHARGES_TABLE ?? 'Charges' }),
    config,
  },
);

export const handler = backlogHandler({
  queue: 'payments',
  attemptTimeout: ATTEMPT_SECONDS,
  process: async (record, { logger }) => {
    const { charge } = await chargeOnce(record);
    logger.info('charged', { id: record.id, charge });
  },
});
