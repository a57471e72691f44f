import { RecordGroups } from 'dynamo-backlog';

const { BACKLOG_TABLE: table, BACKLOG_CONTROL_TABLE: controlTable } = process.env;

/** The rows of a file. Their ids make a second call harmless. */
export function* rows(file: string, count: number) {
  for (let row = 0; row < count; row++) yield { id: `${file}/${row}`, queue: 'rows', payload: { row } };
}

if (table && controlTable) {
  const groups = new RecordGroups({ table, controlTable });
  const { inserted, state } = await groups.insert('import-7', rows('import-7', 2_000), {
    onComplete: { queue: 'reports', payload: { to: 'sales@example.com' } },
  });
  process.stdout.write(`${inserted} rows inserted, the group is ${state}\n`);
}
