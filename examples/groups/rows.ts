import type { GroupEnd } from 'dynamo-backlog';
import { backlogHandler, Dead } from 'dynamo-backlog/lambda';

interface Row {
  readonly row: number;
}

interface Report {
  readonly to: string;
  readonly group: GroupEnd;
}

/** Imports one row. Row 13 of each hundred is not valid, and no retry makes it so. */
export function importRow({ row }: Row): void {
  if (row % 100 === 13) throw new Dead(`row ${row} has no article`);
}

/** The text of the mail about an import. */
export function reportText({ to, group }: Report): string {
  const { id, complete, members = 0, succeeded = 0 } = group;
  // Its time is over, and some rows still wait.
  if (!complete) return `to ${to}: ${id} is not complete`;
  return `to ${to}: ${id} is complete, ${succeeded} of ${members} rows were imported`;
}

export const handler = backlogHandler({
  process: ({ queue, payload }, { logger }) => {
    if (queue === 'rows') return importRow(payload as Row);
    logger.info(reportText(payload as Report));
  },
});
