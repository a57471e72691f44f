import { DUE_INDEX } from 'dynamo-backlog/engine';
import { dueIndexRequest } from '../../../src/store/dynamodb/create-index.js';
import type { KeyFact, TableFacts } from '../../../src/store/dynamodb/inspect.js';

/** Something that a table lacks to hold a backlog's records. */
export interface ShapeProblem {
  readonly kind: 'key' | 'noIndex' | 'wrongIndex' | 'indexNotReady';
  readonly what: string;
  readonly todo: string;
}

/** The key and the index that the library cannot do without. */
export function shapeProblems(facts: TableFacts): ShapeProblem[] {
  return [keyProblem(facts), indexProblem(facts)].filter((problem) => problem !== undefined);
}

function keyProblem({ keys }: TableFacts): ShapeProblem | undefined {
  const found = keys.map(describeKey).join(' and ');
  if (found === 'partition key "id" (S)') return undefined;
  return {
    kind: 'key',
    what: `the table has the ${found}; records are found by the partition key "id" (S) alone`,
    todo: 'DynamoDB changes no keys: make a table with the key "id", and copy the items into it, or let their producer put each new one there, too (docs/adopt.md)',
  };
}

function indexProblem({ name, dueIndex, provisioned }: TableFacts): ShapeProblem | undefined {
  if (!dueIndex) {
    return {
      kind: 'noIndex',
      what: `the table has no index "${DUE_INDEX}"`,
      todo: `add it where the table is defined: partition key "lane" (S), sort key "dueAt" (S), projection KEYS_ONLY. Or by --create-index of "backlog adopt", or by\n${updateTableCommand({ name, provisioned })}`,
    };
  }
  const found = dueIndex.keys.map(describeKey).join(' and ');
  if (found !== 'partition key "lane" (S) and sort key "dueAt" (S)') {
    return {
      kind: 'wrongIndex',
      what: `its index "${DUE_INDEX}" has the ${found}`,
      todo: 'it needs the partition key "lane" (S) and the sort key "dueAt" (S): delete that index and create it again',
    };
  }
  if (dueIndex.ready) return undefined;
  return {
    kind: 'indexNotReady',
    what: `its index "${DUE_INDEX}" is not complete yet`,
    todo: 'wait until DynamoDB has filled it',
  };
}

function updateTableCommand(table: Pick<TableFacts, 'name' | 'provisioned'>): string {
  const { TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates } = dueIndexRequest(table);
  const definitions = AttributeDefinitions.map(
    ({ AttributeName: of, AttributeType: type }) => `AttributeName=${of},AttributeType=${type}`,
  ).join(' ');
  return (
    `aws dynamodb update-table --table-name ${TableName} --attribute-definitions ${definitions} ` +
    `--global-secondary-index-updates '${JSON.stringify(GlobalSecondaryIndexUpdates)}'`
  );
}

function describeKey({ name, role, type }: KeyFact): string {
  return `${role === 'HASH' ? 'partition' : 'sort'} key "${name}" (${type})`;
}
