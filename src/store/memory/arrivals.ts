import type { ArrivalsClaim, LeaseOwner } from '../store.js';

/** The batches of arrivals that are under attempt, by queue. */
export class MemoryArrivals {
  private readonly queues = new Map<string, Map<string, LeaseOwner>>();

  claim(queue: string, { batch, holder, until, maxRuns, now }: ArrivalsClaim): 'claimed' | 'taken' | 'full' {
    const runs = this.runsOf(queue);
    for (const [name, run] of runs) if (run.until < now) runs.delete(name);
    const found = runs.get(batch);
    if (found && found.holder !== holder) return 'taken';
    if (!found && runs.size >= maxRuns) return 'full';
    runs.set(batch, { holder, until });
    return 'claimed';
  }

  release(queue: string, { batch, holder }: Pick<ArrivalsClaim, 'batch' | 'holder'>): void {
    const runs = this.runsOf(queue);
    if (runs.get(batch)?.holder === holder) runs.delete(batch);
  }

  claimed(queue: string, now: number): string[] {
    return [...this.runsOf(queue)].filter(([, { until }]) => until >= now).map(([batch]) => batch);
  }

  private runsOf(queue: string): Map<string, LeaseOwner> {
    const runs = this.queues.get(queue) ?? new Map<string, LeaseOwner>();
    this.queues.set(queue, runs);
    return runs;
  }
}
