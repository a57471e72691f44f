import { DynamoDbOperatorStore } from 'dynamo-backlog/engine';
import { type OperateTargetFlags, tablesAt } from '../operate/target.js';

/** The tables that the flags name, and what reads them. */
export async function storeAt(flags: OperateTargetFlags) {
  const { target, controlTable } = await tablesAt(flags);
  const { client, table, clock } = target;
  const store = new DynamoDbOperatorStore({
    client,
    tables: { records: table, control: controlTable },
    clock,
  });
  return { target, store };
}
