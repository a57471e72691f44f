import { ConfigurationError } from 'dynamo-backlog';

/** A seal or a check of a group, as its page reports it. */
export interface GroupTask {
  /** The action in a word: `Check`. */
  readonly label: string;
  /** The backlog's time at which it began, epoch milliseconds. */
  readonly since: number;
  /** Undefined: it is under way. */
  readonly ended?: { readonly ok: boolean; readonly text: string } | undefined;
}

/** Groups of which a task is kept. */
const MAX_KEPT = 100;

/**
 * Seals and checks of groups. They may take minutes: a form waits for its own only for a while, and it goes on behind the answer, as long
 * as the console runs. The page of the group says how it has ended.
 */
export class GroupWork {
  private readonly tasks = new Map<string, GroupTask>();

  /** @param patience resolves when a form waits no longer; the signal ends it */
  constructor(private readonly patience: (signal: AbortSignal) => Promise<void>) {}

  /** The task of a group whose form was answered before it had ended. */
  of(id: string): GroupTask | undefined {
    return this.tasks.get(id);
  }

  /**
   * Does it.
   *
   * @returns its result; undefined: it goes on
   * @throws what it throws until then; ConfigurationError if one of this group is under way
   */
  async run(
    id: string,
    task: Pick<GroupTask, 'label' | 'since'>,
    act: () => Promise<string>,
  ): Promise<string | undefined> {
    const before = this.tasks.get(id);
    if (before && !before.ended)
      throw new ConfigurationError(
        `a ${before.label.toLowerCase()} of this group is under way: wait for its end`,
      );
    this.keep(id, task);
    let isLate = false;
    const result = act().then(
      (text) => {
        this.end(id, task, isLate, { ok: true, text });
        return text;
      },
      (error: unknown) => {
        this.end(id, task, isLate, { ok: false, text: (error as Error).message });
        if (!isLate) throw error;
      },
    );
    const waited = new AbortController();
    try {
      const late = this.patience(waited.signal).then(() => {
        isLate = true;
      });
      const answer = await Promise.race([result, late]);
      return answer ?? undefined;
    } finally {
      waited.abort();
    }
  }

  private end(id: string, task: GroupTask, isLate: boolean, ended: GroupTask['ended']): void {
    // The answer to the form says how it has ended.
    if (!isLate) this.tasks.delete(id);
    else this.keep(id, { ...task, ended });
  }

  private keep(id: string, task: GroupTask): void {
    this.tasks.delete(id);
    this.tasks.set(id, task);
    for (const [oldest, { ended }] of this.tasks) {
      if (this.tasks.size <= MAX_KEPT) break;
      if (ended) this.tasks.delete(oldest);
    }
  }
}
