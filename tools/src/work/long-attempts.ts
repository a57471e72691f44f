/** Attempts of this process that go on without their runs. Each takes one of the attempts at once of its queue. */
export class LongAttempts {
  private readonly underWay = new Map<string, Set<Promise<unknown>>>();
  private readonly most = new Map<string, number>();

  add(queue: string, ended: Promise<unknown>): void {
    const own = this.underWay.get(queue) ?? new Set();
    this.underWay.set(queue, own);
    const settled = ended.catch(() => {}).finally(() => own.delete(settled));
    own.add(settled);
  }

  /** The number of attempts that a run may make at once, of so many of its queue; at least 1. */
  roomOf(queue: string, concurrency: number): number {
    this.most.set(queue, concurrency);
    return Math.max(1, concurrency - this.count(queue));
  }

  /** Tells whether a run could make an attempt at all. */
  leavesRoom(queue: string): boolean {
    return this.count(queue) < (this.most.get(queue) ?? Number.POSITIVE_INFINITY);
  }

  /** Resolves when all of them are settled. */
  async ended(): Promise<void> {
    await Promise.all([...this.underWay.values()].flatMap((own) => [...own]));
  }

  private count(queue: string): number {
    return this.underWay.get(queue)?.size ?? 0;
  }
}
