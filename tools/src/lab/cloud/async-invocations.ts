import { chance } from '../draws.js';
import type { Chaos } from './chaos.js';

/** The end of a run. `died`: its process is gone. */
export interface RunEnd {
  readonly ended: 'well' | 'failed' | 'died';
  readonly requestId: string;
}

/** Events are not older than this when a function is started with them. */
const MAX_EVENT_AGE_MS = 60_000;

/**
 * Lambda's asynchronous invocations, without retries: an event is delivered at least once, soon or within a minute; one
 * that fails, or gets too old, is handed to the on-failure destination.
 */
export class AsyncInvocations<Event extends object> {
  /** Events that are on their way, or at work. */
  underway = 0;

  constructor(
    private readonly chaos: Chaos,
    /** True if the function ended well. */
    private readonly run: (event: Event) => Promise<boolean | RunEnd>,
    private readonly onFailure: ((body: string) => void) | undefined,
  ) {}

  accept(event: Event): void {
    const { chaos } = this;
    for (let i = chaos.deliveries(); i > 0; i--) {
      const afterMs = chaos.soonOrLateMs(MAX_EVENT_AGE_MS);
      const getsTooOld = afterMs > 1_000 && chance(chaos.random, 0.3);
      this.underway++;
      chaos.time.after(getsTooOld ? MAX_EVENT_AGE_MS : afterMs, async () => {
        const end = !getsTooOld && (await this.run(event));
        if (typeof end === 'object') this.ended(event, end);
        else if (!end) this.report(event, {});
        this.underway--;
      });
    }
  }

  /** Also of a run that a rule has started. */
  ended(event: Event, { ended, requestId }: RunEnd): void {
    if (ended === 'well') return;
    const trace = ended === 'failed' ? { trace: ['RunFailedError'] } : {};
    const response = { errorType: 'Runtime.ExitError', errorMessage: 'Runtime exited', ...trace };
    this.report(event, { requestId, functionArn: 'Q' }, response);
  }

  private report(event: Event, request: object, response: object = { errorMessage: 'Runtime exited' }): void {
    if (!this.onFailure || this.chaos.happens('lostPermanently')) return;
    const body = JSON.stringify({
      version: '1.0',
      requestContext: { condition: 'RetriesExhausted', ...request },
      requestPayload: event,
      responsePayload: response,
    });
    for (let i = this.chaos.deliveries(); i > 0; i--) this.onFailure(body);
  }
}
