import type { ArrivalsEvent } from '../../../functions/intake/arrivals.js';
import { chance } from '../random.js';
import type { Chaos } from './chaos.js';

/** Events are not older than this when a function is started with them. */
const MAX_EVENT_AGE_MS = 60_000;

/**
 * Lambda's asynchronous invocations, without retries: an event is delivered at least once, soon or within a minute; one
 * that fails, or gets too old, is handed to the on-failure destination.
 */
export class AsyncInvocations {
  /** Events that are on their way, or at work. */
  underway = 0;

  constructor(
    private readonly chaos: Chaos,
    /** True if the function ended well. */
    private readonly run: (event: ArrivalsEvent) => Promise<boolean>,
    private readonly onFailure: ((body: string) => void) | undefined,
  ) {}

  accept(event: ArrivalsEvent): void {
    const { chaos } = this;
    for (let i = chaos.deliveries(); i > 0; i--) {
      const afterMs = chaos.soonOrLateMs(MAX_EVENT_AGE_MS);
      const getsTooOld = afterMs > 1_000 && chance(chaos.random, 0.3);
      this.underway++;
      chaos.time.after(getsTooOld ? MAX_EVENT_AGE_MS : afterMs, async () => {
        const ended = !getsTooOld && (await this.run(event));
        if (!ended) this.failed(event);
        this.underway--;
      });
    }
  }

  private failed(event: ArrivalsEvent): void {
    if (!this.onFailure || this.chaos.happens('lostForGood')) return;
    const body = JSON.stringify({
      version: '1.0',
      requestContext: { condition: 'RetriesExhausted' },
      requestPayload: event,
      responsePayload: { errorMessage: 'Runtime exited' },
    });
    for (let i = this.chaos.deliveries(); i > 0; i--) this.onFailure(body);
  }
}
