import { itemBytes } from '../../record/item-size.js';
import type { JobStore, Kept } from '../../store/job-store.js';
import type { NamedChange } from '../operation.js';
import { UNDO_MS } from './job.js';
import { keptOf } from './undo.js';

/** Bytes of a page before it is compressed. DynamoDB takes items of 400 KB. */
const MAX_PAGE_BYTES = 300_000;
const TOO_LARGE = 'too large to be kept for an undo: change it by its id, which makes no job';

interface KeeperDeps {
  readonly jobs: JobStore;
  /** The backlog's time, epoch milliseconds. */
  readonly now: () => number;
  readonly patiently: <Answer>(request: () => Promise<Answer>) => Promise<Answer>;
}

/** Keeps what a job is about to change, page by page, so that it can be undone. */
export class Keeper {
  constructor(
    private readonly job: string,
    /** Pages that are kept. */
    public pages: number,
    private readonly deps: KeeperDeps,
  ) {}

  /** Keeps changes before they are written. Returns why records are left as they are, by id. */
  async keep(changes: readonly NamedChange[]): Promise<ReadonlyMap<string, string>> {
    const refused = new Map<string, string>();
    let page: Kept[] = [];
    let bytes = 0;
    for (const kept of changes.flatMap((change) => keptOf(change) ?? [])) {
      const size = itemBytes({ kept });
      if (size > MAX_PAGE_BYTES) refused.set(kept.id, TOO_LARGE);
      else {
        if (bytes + size > MAX_PAGE_BYTES) {
          await this.write(page);
          [page, bytes] = [[], 0];
        }
        page.push(kept);
        bytes += size;
      }
    }
    if (page.length > 0) await this.write(page);
    return refused;
  }

  /** Writes the next page. One of this number may be there: the process before has written it, and was lost. */
  private async write(page: readonly Kept[]): Promise<void> {
    const { jobs, now, patiently } = this.deps;
    // A day for the job, and one for its undo.
    const expiresAt = Math.floor((now() + 2 * UNDO_MS) / 1000);
    let isKept = false;
    while (!isKept) {
      const number = ++this.pages;
      isKept = await patiently(() => jobs.keep(this.job, number, page, expiresAt));
    }
  }
}
