import type { ArrivalsEvent } from '../../../functions/intake/arrivals.js';
import type { RuleEvent } from '../../../functions/intake/dead-run.js';
import { sweep } from '../../../src/intake/index.js';
import type { Item } from '../../../src/record/index.js';
import { AsyncInvocations, type RunEnd } from '../../../tools/src/lab/cloud/async-invocations.js';
import { MessageQueue } from '../../../tools/src/lab/cloud/message-queue.js';
import { Stream, type StreamOptions } from '../../../tools/src/lab/cloud/stream.js';
import { faultyStore } from '../faulty-store.js';
import { faultyRemote } from './faulty-invoker.js';
import { type IntakeReport, invokeIntake, type SandboxDeps } from './intake-function.js';
import { invocation } from './invocation.js';

export interface CloudDeps extends Omit<SandboxDeps, 'services'> {
  readonly stream: StreamOptions;
  /** Attempts arrivals, or what is due. */
  readonly run: (event: ArrivalsEvent | RuleEvent) => Promise<RunEnd>;
  readonly hasOnFailure: boolean;
  /** The stream delivers changes of these records no longer. */
  readonly gaveUp: (ids: readonly string[]) => void;
  readonly hearsIntake: (
    name: string,
    event: { Records: unknown[] },
    failed: readonly string[],
    report: IntakeReport,
  ) => void;
}

const SWEEP_TIMEOUT_MS = 300_000;

/** The services between a producer's bare item and its first attempt, around the production code of the intake. */
export class Cloud {
  private readonly stream: Stream;
  private readonly runs: AsyncInvocations<ArrivalsEvent | RuleEvent>;
  private readonly returns: MessageQueue;
  private readonly sandbox: SandboxDeps;

  constructor(private readonly deps: CloudDeps) {
    const { chaos } = deps;
    const onFailure = (body: string) => this.returns.send(body);
    this.runs = new AsyncInvocations(chaos, deps.run, deps.hasOnFailure ? onFailure : undefined);
    const services = {
      accept: (event: ArrivalsEvent | RuleEvent) => this.runs.accept(event),
      send: (body: string, delaySeconds: number) => this.returns.send(body, delaySeconds),
    };
    this.sandbox = { ...deps, services };
    const witness = { hearsIntake: deps.hearsIntake };
    const consume = (event: { Records: unknown[] }) => invokeIntake(event, this.sandbox, witness);
    this.returns = new MessageQueue(chaos, consume);
    const consumeChanges = async (event: { Records: unknown[] }) => {
      const failed = await consume(event);
      return failed === 'all' ? 'all' : failed[0];
    };
    this.stream = new Stream(chaos, deps.stream, consumeChanges, deps.gaveUp);
  }

  /** Nothing is on its way that could find a record. */
  get isQuiet(): boolean {
    return this.returns.size === 0 && this.runs.underway === 0 && this.stream.isReadThrough;
  }

  wrote(kind: 'INSERT' | 'MODIFY' | 'REMOVE', item: Item, before?: Item): void {
    this.stream.wrote(kind, item, before);
  }

  /** A run that a rule has started comes to its end. */
  ruleRan(event: RuleEvent, end: RunEnd): void {
    this.runs.ended(event, end);
  }

  /** Runs the sweep, as the hourly rule does. */
  async sweep(): Promise<void> {
    const { chaos, faults, newActor, storeOf } = this.deps;
    const actor = newActor('sweep');
    const invoker = faultyRemote(this.sandbox.services, actor, faults, chaos);
    const { clock } = actor;
    const store = faultyStore(storeOf(actor), actor, faults, chaos.random);
    const found = (ids: readonly string[]) => invoker.sendToRedelivery(ids, 900, true);
    const deadline = clock.wall() + SWEEP_TIMEOUT_MS;
    await invocation(actor, chaos.time, SWEEP_TIMEOUT_MS, () => sweep({ store, clock, deadline, found }));
  }
}
