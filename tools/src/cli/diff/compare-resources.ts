import type { Template, TemplateResource } from '../../local/template/assembly.js';
import type { Change } from './change.js';
import { compareTable, type TableRole } from './compare-table.js';

/** Stands for the Backlogs of a template that does not describe its Backlogs: an older version of this package made it. */
const UNDESCRIBED = 'tables';

/** Compares the tables alone, as they are among the resources: of a template that describes nothing. */
export function compareResources(from: Template, to: Template): Change[] {
  const after = tablesOf(to);
  return tablesOf(from).flatMap(({ id, role }) => {
    const kept = after.some((one) => one.id === id);
    const instead = after.find((one) => one.role === role && !tablesOf(from).some(({ id }) => id === one.id));
    const table = kept ? { logicalId: id } : instead ? { logicalId: instead.id } : {};
    const sides = [
      { template: from, table: { logicalId: id } },
      { template: to, table },
    ] as const;
    return compareTable(role, ...sides).map((difference) => ({ backlog: UNDESCRIBED, ...difference }));
  });
}

/** The tables that a Backlog makes, known by their index and by their key. */
export function tablesOf({ Resources = {} }: Template): { readonly id: string; readonly role: TableRole }[] {
  return Object.entries(Resources).flatMap(([id, resource]) => {
    const role = roleOf(resource);
    return role === undefined ? [] : [{ id, role }];
  });
}

interface TableProperties {
  readonly KeySchema?: readonly { readonly AttributeName?: unknown }[];
  readonly GlobalSecondaryIndexes?: readonly { readonly IndexName?: unknown }[];
}

function roleOf({ Type, Properties = {} }: TemplateResource): TableRole | undefined {
  if (Type !== 'AWS::DynamoDB::GlobalTable' && Type !== 'AWS::DynamoDB::Table') return undefined;
  const { KeySchema = [], GlobalSecondaryIndexes = [] } = Properties as TableProperties;
  const keys = KeySchema.map(({ AttributeName }) => AttributeName).join();
  if (keys === 'id' && GlobalSecondaryIndexes.some(({ IndexName }) => IndexName === 'due')) return 'records';
  return keys === 'key' && GlobalSecondaryIndexes.length === 0 ? 'control' : undefined;
}
