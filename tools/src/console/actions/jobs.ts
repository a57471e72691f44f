import { randomBytes } from 'node:crypto';
import type { ActionResult, OperationOptions } from 'dynamo-backlog';

/** Records that were chosen on a page, and what is to be done with them once it is confirmed. */
export interface BulkPlan {
  readonly action: string;
  readonly ids: readonly string[];
  /** The way in which they were chosen, in words. */
  readonly where: string;
  /** The same for the log, without values of payloads. */
  readonly logged: string;
  /** The number of records that were read to find them. */
  readonly examined: number;
  /** There may be more that match. */
  readonly more: boolean;
}

/** An action on many records that has been started. */
export interface Job {
  readonly text: string;
  readonly total: number;
  /** The result; undefined: the action is at work. */
  readonly result: ActionResult | undefined;
  readonly error: string | undefined;
  /** Records looked at so far. */
  readonly looked: number;
  readonly changed: number;
  stop(): void;
}

const MAX_KEPT = 50;

/** Things by a random name that no other site can guess: the oldest are forgotten. */
export class Kept<Thing> {
  private readonly things = new Map<string, Thing>();

  add(thing: Thing): string {
    const name = randomBytes(12).toString('base64url');
    this.things.set(name, thing);
    const [oldest] = this.things.keys();
    if (this.things.size > MAX_KEPT && oldest !== undefined) this.things.delete(oldest);
    return name;
  }

  get(name: string | undefined): Thing | undefined {
    return this.things.get(name ?? '');
  }

  /** Gives it once: a form that is sent twice acts once. */
  take(name: string): Thing | undefined {
    const thing = this.things.get(name);
    this.things.delete(name);
    return thing;
  }
}

/** Starts an action that goes on while the operator looks at other pages. `onEnd` gets what it came to. */
export function startJob(
  { text, total }: Pick<Job, 'text' | 'total'>,
  act: (options: OperationOptions) => Promise<ActionResult>,
  onEnd: (job: Job) => void,
): Job {
  const abort = new AbortController();
  const job = {
    text,
    total,
    result: undefined as ActionResult | undefined,
    error: undefined as string | undefined,
    looked: 0,
    changed: 0,
    stop: () => abort.abort(),
  };
  const options: OperationOptions = {
    signal: abort.signal,
    onProgress: ({ looked, changed }) => {
      job.looked = looked;
      job.changed = changed;
    },
  };
  act(options).then(
    (result) => {
      job.result = result;
      onEnd(job);
    },
    (error: unknown) => {
      job.error = error instanceof Error ? error.message : String(error);
      onEnd(job);
    },
  );
  return job;
}
