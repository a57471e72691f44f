import type { VirtualTime } from 'dynamo-backlog/engine';
import type { LambdaContext } from 'dynamo-backlog/lambda';

/** A handler of Lambda. */
export type Handler<Answer> = (event: unknown, context: LambdaContext) => Promise<Answer>;

/** The time that Lambda leaves a function. Runs end by themselves before. */
export const TIMEOUT_SECONDS = 900;

/**
 * One Lambda function. An event goes to the sandbox that became free last, or to a new one: what a handler keeps in memory is there
 * again, and no two events share it at a time.
 */
export class Sandboxes<Answer> {
  private readonly free: Handler<Answer>[] = [];
  private events = 0;

  constructor(
    private readonly time: VirtualTime,
    private readonly start: () => Handler<Answer>,
  ) {}

  /** @returns the handler's answer; rejects if it throws */
  async invoke(event: unknown, awsRequestId = `event-${++this.events}`): Promise<Answer> {
    const handler = this.free.pop() ?? this.start();
    const endsAt = this.time.now + TIMEOUT_SECONDS * 1000;
    try {
      return await handler(event, {
        awsRequestId,
        getRemainingTimeInMillis: () => Math.max(0, endsAt - this.time.now),
      });
    } finally {
      this.free.push(handler);
    }
  }
}
