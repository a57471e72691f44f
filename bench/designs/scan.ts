import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { attemptIf, type Design, inParallel, isoNow, type Work } from './design.js';
import { createTable, putWaiting } from './tables.js';

type Scanned = Work & { readonly attempts: number };

/** A cron Lambda that scans its table for what is due. */
export const scan: Design = {
  name: 'a scanning cron Lambda',
  key: 'scan',
  settings:
    'no index; `Scan` with a filter, page by page; one `UpdateItem` per attempt, if the count is as it was read',
  doesNot:
    'keep the price of a poll apart from the size of the table; keep two runs from attempting a record at the same time; ' +
    'stop a record that ends the process. A payload that changes during an attempt is taken as done',
  async open(bench) {
    const table = await createTable(bench, 'scan');
    return {
      tables: [table],
      fill: (works) => putWaiting(bench, table, works),
      async work(attempt) {
        const pages = paginateScan(
          { client: bench.documents },
          {
            TableName: table,
            FilterExpression: '#s = :s AND dueAt <= :now',
            ExpressionAttributeNames: { '#s': 'status' },
            ExpressionAttributeValues: { ':s': 'WAITING', ':now': isoNow(bench) },
          },
        );
        for await (const { Items = [] } of pages) {
          await inParallel(Items as Scanned[], (scanned) =>
            attemptIf(bench, table, scanned, attempt, {
              expression: 'attempts = :seen',
              values: { ':seen': scanned.attempts },
            }),
          );
        }
      },
    };
  },
};
