import type { StopReason } from '../stop-reason.js';
import type { Admission, Guard } from './guard.js';

/** The number of attempts that a run with `maxRecords` may still begin. */
export class AttemptBudget implements Guard {
  private begun = 0;
  private readonly admission: Admission;

  constructor(private readonly most: number) {
    const abandon = () => void this.begun--;
    this.admission = {
      abandon,
      leave: (outcome) => {
        if (outcome.type === 'dead' && outcome.untried) abandon();
        return { outcome };
      },
    };
  }

  /** Attempts that are left. */
  get left(): number {
    return this.most - this.begun;
  }

  /** Attempts that are left for new records: they may use half before those that an earlier run left. */
  get freshLeft(): number {
    return Math.max(0, Math.floor(this.most / 2) - this.begun);
  }

  stopReason(): StopReason | undefined {
    return this.left > 0 ? undefined : 'maxRecords';
  }

  /** Counts it before guards behind this one wait, so that workers that wait together do not pass the limit. */
  enter(): Admission | 'late' {
    if (this.left <= 0) return 'late';
    this.begun++;
    return this.admission;
  }
}
