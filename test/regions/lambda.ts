import type { LambdaHandler } from '../../functions/lambda-context.js';
import type { Random } from '../../src/support/random.js';
import type { VirtualTime } from '../../src/support/virtual-time.js';
import type { Actor } from '../simulation/actor.js';
import { invocation } from '../simulation/cloud/invocation.js';
import { chance } from '../simulation/random.js';

/** Share of invocations after which Lambda does not keep the sandbox. */
const RECYCLED = 0.03;

export interface LambdaDeps {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly timeoutSeconds: number;
  readonly arn: string;
  readonly newActor: (name: string) => Actor;
  /** The production handler, as its module makes it once in a sandbox. */
  readonly handlerIn: (sandbox: Actor) => LambdaHandler<unknown>;
}

interface Sandbox {
  readonly actor: Actor;
  readonly handler: LambdaHandler<unknown>;
}

/** One function: its sandboxes stay warm, with all that they know, and take one invocation at a time. */
export class Lambda {
  private readonly idle: Sandbox[] = [];
  private readonly alive = new Set<Actor>();

  constructor(private readonly deps: LambdaDeps) {}

  get arn(): string {
    return this.deps.arn;
  }

  /** Its result; `failed` if it throws, dies or takes too long. */
  async invoke(event: unknown): Promise<unknown | 'failed'> {
    const { time, random, timeoutSeconds, arn } = this.deps;
    const { actor, handler } = this.idle.pop() ?? this.start();
    const deadline = time.now + timeoutSeconds * 1000 + actor.skewMs;
    const context = {
      getRemainingTimeInMillis: () => deadline - actor.clock.wall(),
      invokedFunctionArn: arn,
    };
    const diesAsBefore = actor.onKilled;
    // A sandbox outlives an error of its handler.
    const work = () => handler(event, context).catch(() => 'failed');
    const answer = await invocation(
      actor,
      time,
      timeoutSeconds * 1000,
      async () => [await work()],
      () => {
        actor.onKilled = diesAsBefore;
        if (chance(random, RECYCLED)) actor.kill();
        else this.idle.push({ actor, handler });
      },
    );
    return answer === 'failed' ? 'failed' : answer[0];
  }

  /** Its region is gone, and whatever is at work there. */
  killAll(): void {
    this.idle.length = 0;
    for (const actor of [...this.alive]) actor.kill();
  }

  private start(): Sandbox {
    const actor = this.deps.newActor(this.deps.arn);
    const diesAsBefore = actor.onKilled;
    this.alive.add(actor);
    actor.onKilled = () => {
      diesAsBefore();
      this.alive.delete(actor);
      const at = this.idle.findIndex((sandbox) => sandbox.actor === actor);
      if (at >= 0) this.idle.splice(at, 1);
    };
    return { actor, handler: this.deps.handlerIn(actor) };
  }
}
