import { isUnknownOperation } from '../../../../src/store/dynamodb/errors.js';
import {
  describeExpiry,
  hasPointInTimeRecovery,
  type TableFacts,
} from '../../../../src/store/dynamodb/inspect.js';
import { turnOn } from '../../../../src/store/dynamodb/table-settings.js';
import type { Target } from '../connect.js';
import { hasNewImages } from '../doctor/table-checks.js';

/** A setting that AWS leaves out of a restored table. */
export interface Setting {
  readonly name:
    | 'TTL on expiresAt'
    | 'point-in-time recovery'
    | 'deletion protection'
    | 'stream of new images';
  /**
   * `on`: it was so already. `turnedOn`: by this command, or in a dry run `wouldTurnOn`. `yours`: the operator has to turn
   * it on. `unsupported`: an emulator has no such setting.
   */
  readonly state: 'on' | 'turnedOn' | 'wouldTurnOn' | 'yours' | 'unsupported';
  /** Advice, or the reason why it could not be turned on. */
  readonly todo?: string | undefined;
}

/** Turns on what a restored table lacks, as far as a command may; without `apply` says what it would do. */
export async function settle(
  { client, table, local }: Target,
  facts: TableFacts,
  apply: boolean,
): Promise<Setting[]> {
  // The embedded DynamoDB has none of them.
  if (local) return [];
  const set = async (
    name: Setting['name'],
    isOn: boolean | undefined,
    change: () => Promise<unknown>,
  ): Promise<Setting> => {
    if (isOn) return { name, state: 'on' };
    if (!apply) return { name, state: 'wouldTurnOn' };
    try {
      await change();
      return { name, state: 'turnedOn' };
    } catch (error) {
      const { cause, message } = error as Error;
      if (isUnknownOperation(cause)) return { name, state: 'unsupported' };
      return { name, state: 'yours', todo: message };
    }
  };
  const [expiresBy, backups] = await Promise.all([
    describeExpiry(client, table),
    hasPointInTimeRecovery(client, table),
  ]);
  return [
    typeof expiresBy === 'string' && expiresBy !== 'expiresAt'
      ? {
          name: 'TTL on expiresAt',
          state: 'yours',
          todo: `its items expire by "${expiresBy}": turn that off first`,
        }
      : await set('TTL on expiresAt', expiresBy === 'expiresAt', () => turnOn.expiry(client, table)),
    await set('point-in-time recovery', backups, () => turnOn.backups(client, table)),
    facts.deletionProtection === undefined
      ? { name: 'deletion protection', state: 'unsupported' }
      : await set('deletion protection', facts.deletionProtection, () => turnOn.protection(client, table)),
    hasNewImages(facts) ? { name: 'stream of new images', state: 'on' } : STREAM(table),
  ];
}

const STREAM = (table: string): Setting => ({
  name: 'stream of new images',
  state: 'yours',
  todo: `the deployment needs it, and names its ARN to the construct (a new stream has a new ARN): aws dynamodb update-table --table-name ${table} --stream-specification StreamEnabled=true,StreamViewType=NEW_IMAGE`,
});
