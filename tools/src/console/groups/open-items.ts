import { type BacklogOperatorOptions, ConfigurationError, RecordGroups } from 'dynamo-backlog';
import { openGroups, type StoreTypes, Tables } from 'dynamo-backlog/engine';
import type { ConsoleDeps } from '../deps.js';

/** The items of groups, with the read units that they have cost so far. */
export type GroupTables = ReturnType<typeof openGroups>;

/**
 * Opens the items of groups of a backlog.
 *
 * @throws ConfigurationError if its store has none
 */
export function openGroupItems(backlog: BacklogOperatorOptions): GroupTables {
  if (!backlog.store) return openGroups(backlog);
  const { groups } = backlog.store as { readonly groups?: StoreTypes.OperatorSharedItems };
  if (groups === undefined) throw new ConfigurationError('store: expected one with groups');
  return { groups, readUnits: () => 0 };
}

/** The groups of a backlog, for actions on them. */
export function recordGroups({ backlog, indexAtOnce = true }: ConsoleDeps): RecordGroups {
  const { table, controlTable, clock, random } = backlog;
  const { records } = new Tables(backlog).open().store;
  const store = { records, groups: openGroupItems(backlog).groups };
  return new RecordGroups({ table, controlTable, clock, random, store, indexAtOnce });
}
