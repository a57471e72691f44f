import {
  type DynamoDBClient,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { translated } from './errors.js';

/** Settings of a table that no restore brings back, and that any table takes at any time. Each throws a StoreError. */
export const turnOn = {
  expiry: (client: DynamoDBClient, table: string) =>
    translated('UpdateTimeToLive', table, () =>
      client.send(
        new UpdateTimeToLiveCommand({
          TableName: table,
          TimeToLiveSpecification: { Enabled: true, AttributeName: 'expiresAt' },
        }),
      ),
    ),
  backups: (client: DynamoDBClient, table: string) =>
    translated('UpdateContinuousBackups', table, () =>
      client.send(
        new UpdateContinuousBackupsCommand({
          TableName: table,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        }),
      ),
    ),
  protection: (client: DynamoDBClient, table: string) =>
    translated('UpdateTable', table, () =>
      client.send(new UpdateTableCommand({ TableName: table, DeletionProtectionEnabled: true })),
    ),
};
