import { isDeepStrictEqual } from 'node:util';
import { type TableDescription, TOKEN } from 'dynamo-backlog/engine';
import type { Template } from '../../local/template/assembly.js';
import type { Difference } from './change.js';
import { guarded } from './table-guard.js';

/** A table of a Backlog, in one of two templates. */
export interface TableSide {
  readonly template: Template;
  readonly table: TableDescription;
  /** Name of the table, where the deployed stack says it. */
  readonly physicalName?: string | undefined;
}

/** Use of a table. It decides what an empty table in its place means. */
export type TableRole = 'records' | 'control';

const NAMES = { records: 'the table of records', control: 'the control table' };
const CONTROL_LOST =
  'Pauses, open breakers and rate limits are lost. Attempts in flight, and those of the next five minutes, may overlap.';

/** Compares a table before and after. A deployment leaves it as it is, changes it, or takes another one. */
export function compareTable(role: TableRole, from: TableSide, to: TableSide): Difference[] {
  return differences(role, from, to).map((one) =>
    one.kind.endsWith('.replaced') ? guarded(role, one, from.template, to.template) : one,
  );
}

function differences(role: TableRole, from: TableSide, to: TableSide): Difference[] {
  const { logicalId: before } = from.table;
  const { logicalId: after } = to.table;
  if (before !== undefined && before === after) return compareResource(role, before, from, to);
  const oldName = from.physicalName ?? nameOf(from);
  const newName = nameOf(to);
  const sameName = oldName !== undefined && newName !== undefined && oldName === newName;
  if (after !== undefined)
    return sameName ? [clash(role, newName)] : [replacement(role, from, oldName, 'new')];
  // From here on the new table is given, so it exists.
  if (sameName) return before === undefined ? [] : released(role, before, from);
  const unknown = [oldName, newName].some((name) => name?.startsWith(TOKEN));
  if (unknown && before === undefined) return [maybeOther(role)];
  return [replacement(role, from, oldName, newName ?? 'another')];
}

/** A name that is the same in both templates for the same table, where it is known. */
function nameOf({ table, template }: TableSide): string | undefined {
  if (table.name !== undefined) return table.name;
  const given = table.logicalId === undefined ? undefined : propertiesOf(template, table.logicalId).TableName;
  return typeof given === 'string' ? given : undefined;
}

function compareResource(role: TableRole, id: string, from: TableSide, to: TableSide): Difference[] {
  const before = propertiesOf(from.template, id);
  const after = propertiesOf(to.template, id);
  for (const property of ['TableName', 'KeySchema']) {
    if (isDeepStrictEqual(before[property], after[property])) continue;
    const what = property === 'TableName' ? 'has another name' : 'has another key';
    const policies = { ...to, table: from.table, attribute: 'UpdateReplacePolicy' } as const;
    return [replacement(role, policies, from.physicalName ?? nameOf(from), 'new', what)];
  }
  const differences: Difference[] = [];
  if (role === 'records' && !isDeepStrictEqual(dueIndex(before), dueIndex(after))) {
    differences.push({
      kind: 'records.index',
      severity: 'attention',
      what: `${NAMES.records} has another index due`,
      effect: 'While DynamoDB builds it, runs do not find the records that wait. None is lost.',
    });
  }
  if (deletes(from.template, id) !== deletes(to.template, id)) {
    const willDelete = deletes(to.template, id);
    differences.push({
      kind: `${role}.removalPolicy`,
      severity: willDelete ? 'attention' : 'safe',
      what: `removal policy of ${NAMES[role]}: ${willDelete ? 'retain → delete' : 'delete → retain'}`,
      effect: willDelete
        ? 'A later deployment that removes or replaces the table deletes it.'
        : 'A later deployment that removes the table leaves it where it is.',
    });
  }
  return differences;
}

function replacement(
  role: TableRole,
  from: TableSide & { readonly attribute?: PolicyAttribute },
  oldName: string | undefined,
  newName: string,
  why = 'is replaced',
): Difference {
  const instead = newName === 'new' ? 'a new, empty one' : newName === 'another' ? 'another one' : newName;
  const old = oldName === undefined || oldName.startsWith(TOKEN) ? 'the old one' : oldName;
  const gone =
    from.table.logicalId !== undefined && deletes(from.template, from.table.logicalId, from.attribute);
  const what = `${NAMES[role]} ${why}: ${instead} in place of ${old}`;
  if (role === 'control') {
    return { kind: 'control.replaced', severity: 'attention', what, effect: CONTROL_LOST, todo: STOP_RULES };
  }
  return {
    kind: 'records.replaced',
    severity: 'leftBehind',
    what,
    effect: gone
      ? 'The old table is DELETED with all records in it: its removal policy says so.'
      : 'All records stay in the old table, and no run attempts them.',
    todo: gone
      ? 'Set removalPolicy to RETAIN by a deployment before this one.'
      : 'To keep the table, keep the construct’s id and tableName, or pass the old table as "table".',
  };
}

const STOP_RULES = 'Disable the queues by a deployment before this one, and enable them by one after it.';

function clash(role: TableRole, name: string): Difference {
  return {
    kind: `${role}.clash`,
    severity: 'attention',
    what: `${NAMES[role]}: another resource would have the same name, ${name}`,
    effect: 'CloudFormation cannot create it beside the old one: the deployment fails, and changes nothing.',
    todo: 'Keep the construct’s id, or pass the old table as "table".',
  };
}

/** The same table, which the stack owns no more. */
function released(role: TableRole, id: string, from: TableSide): Difference[] {
  if (deletes(from.template, id)) {
    return [
      {
        kind: `${role}.deleted`,
        severity: 'leftBehind',
        what: `${NAMES[role]} leaves the stack, and is deleted`,
        effect: 'It is DELETED with all that is in it: its removal policy says so.',
        todo: 'Set removalPolicy to RETAIN by a deployment before this one.',
      },
    ];
  }
  return [
    {
      kind: `${role}.released`,
      severity: 'attention',
      what: `${NAMES[role]} leaves the stack, and is the same`,
      effect: 'Its records stay, and are attempted as before. No stack changes the table from now on.',
    },
  ];
}

function maybeOther(role: TableRole): Difference {
  return {
    kind: `${role}.unknown`,
    severity: 'attention',
    what: `${NAMES[role]} is given by another reference`,
    effect:
      'Only the deployment knows its name. With another table, all records stay in the old one, unattempted.',
  };
}

function propertiesOf({ Resources = {} }: Template, id: string): Readonly<Record<string, unknown>> {
  return Resources[id]?.Properties ?? {};
}

function dueIndex({ GlobalSecondaryIndexes: indexes }: Readonly<Record<string, unknown>>): unknown {
  const list: { IndexName?: string; KeySchema?: unknown; Projection?: unknown }[] = Array.isArray(indexes)
    ? indexes
    : [];
  const due = list.find(({ IndexName }) => IndexName === 'due');
  return due && [due.KeySchema, due.Projection];
}

type PolicyAttribute = 'DeletionPolicy' | 'UpdateReplacePolicy';

/**
 * Tells whether CloudFormation deletes a table that goes, or that another one replaces. To delete is its own default.
 */
export function deletes(
  { Resources = {} }: Template,
  id: string,
  attribute: PolicyAttribute = 'DeletionPolicy',
): boolean {
  const policy = (Resources[id] as { [attribute in PolicyAttribute]?: string } | undefined)?.[attribute];
  return policy === undefined || policy === 'Delete';
}
