import * as z from 'zod/mini';
import type { FinishDeps } from '../src/groups/finish.js';
import { DynamoDbOperatorRecords } from '../src/store/dynamodb/operator-records.js';
import { DynamoDbActiveRegion } from '../src/store/dynamodb/registry.js';
import { DynamoDbSharedItems } from '../src/store/dynamodb/shared-items.js';
import { tablesOf } from '../src/store/dynamodb/store.js';
import { createDynamoDbClient } from '../src/store/index.js';
import type { ActiveRegionStore } from '../src/store/store.js';
import type { Clock } from '../src/support/clock.js';
import { type Random, systemRandom } from '../src/support/random.js';
import { parseOptions } from '../src/support/validation.js';
import { clockOf } from './clock.js';
import { onDamaged } from './deps.js';
import { localClock, type Settings } from './settings.js';

/** The tables as groups need them. */
export interface GroupsTables extends Pick<FinishDeps, 'groups' | 'records'> {
  readonly activeRegion: ActiveRegionStore;
}

/** The store, the clock and the random numbers; tests hand in their own. */
export interface GroupsDeps {
  readonly store: GroupsTables;
  readonly clock: Clock;
  readonly random: Random;
}

/** Settings of a function that works on groups. */
export type GroupsSettings = Pick<Settings, 'tables' | 'clock' | 'region' | 'primaryRegion'>;

type Variables = Readonly<Record<string, string | undefined>>;

const text = z.string().check(z.minLength(1));
const environmentSchema = z.object({
  BACKLOG_TABLE: text,
  BACKLOG_CONTROL_TABLE: text,
  BACKLOG_PRIMARY_REGION: z.optional(text),
  AWS_REGION: z.optional(z.string()),
  BACKLOG_CLOCK: z.optional(z.string()),
});

/**
 * Makes what a function needs that works on groups, from its environment.
 *
 * @throws ConfigurationError naming the variable
 */
export function groupsDeps(env: Variables, given: Partial<GroupsDeps>) {
  const settings = readGroupsSettings(env);
  const { clock = clockOf(settings), random = systemRandom } = given;
  const { store = tablesFor(settings, clock, random) } = given;
  const indexesAll = env.BACKLOG_INDEX_AT_ONCE === 'true';
  return { settings, store, clock, random, indexesAtOnce: () => indexesAll };
}

function readGroupsSettings(env: Variables): GroupsSettings {
  const variables = parseOptions(environmentSchema, env, '');
  const { BACKLOG_CLOCK: clock } = variables;
  return {
    tables: { records: variables.BACKLOG_TABLE, control: variables.BACKLOG_CONTROL_TABLE },
    region: variables.AWS_REGION,
    primaryRegion: variables.BACKLOG_PRIMARY_REGION,
    ...(clock === undefined ? {} : { clock: localClock(clock, env) }),
  };
}

function tablesFor({ tables }: GroupsSettings, clock: Clock, random: Random): GroupsTables {
  const { records, control } = tablesOf({ client: createDynamoDbClient(), tables, clock, random });
  return {
    records: new DynamoDbOperatorRecords(records, clock),
    groups: new DynamoDbSharedItems(control),
    activeRegion: new DynamoDbActiveRegion(control, onDamaged),
  };
}
