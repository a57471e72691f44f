import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Design, inParallel, outcomeOf, succeeds, type Work } from './design.js';
import { createTable, DUE, putWaiting } from './tables.js';

/** The least that any design must do per attempt: one write of its outcome. Nothing is found, claimed or fenced. */
export const bareUpdate: Design = {
  name: 'bare `UpdateItem`',
  key: 'bare',
  settings: 'the process keeps ids, payloads and failures; one `UpdateItem` per attempt, without a condition',
  doesNot: 'find a record, or anything else: it is the least that a design must write',
  async open(bench) {
    const table = await createTable(bench, 'bare', DUE);
    const failures = new Map<string, number>();
    let waiting: readonly Work[] = [];
    return {
      tables: [table],
      fill(works) {
        waiting = works;
        return putWaiting(bench, table, works);
      },
      async work(attempt) {
        const failed: Work[] = [];
        await inParallel(waiting, async (work) => {
          const attempts = (failures.get(work.id) ?? 0) + 1;
          const succeeded = succeeds(attempt, work);
          if (!succeeded) {
            failed.push(work);
            failures.set(work.id, attempts);
          }
          const outcome = outcomeOf(bench, { id: work.id, attempts, succeeded });
          await bench.documents.send(new UpdateCommand({ TableName: table, ...outcome }));
        });
        waiting = failed;
      },
    };
  },
};
