import { type Clock, toIso } from 'dynamo-backlog/engine';
import { type Address, serve, type WorkServer } from './http-server.js';
import type { Job } from './jobs.js';

/** Time after which failures make a queue unhealthy: the SDK repeats requests, and so does the next run. */
const UNHEALTHY_AFTER_MS = 30_000;
/** Time beyond its deadline in which a run ends, unless something keeps it from that. */
const STUCK_AFTER_MS = 60_000;
const UNHEALTHY: readonly HealthReport['status'][] = ['starting', 'failing'];

interface JobState {
  /** The start of the run that is under way, real time. */
  startedAt?: number | undefined;
  endedAt?: number | undefined;
  ended?: string | undefined;
  /** The time since which each run has failed, real time. */
  failingSince?: number | undefined;
  reason?: string | undefined;
}

/** The answer to a health check. Times are ISO-8601. */
export interface HealthReport {
  readonly status: 'starting' | 'ok' | 'stopping' | 'failing' | 'stuck';
  readonly since: string;
  /** The health of each job: a queue, with the tier of a progressive one. */
  readonly queues: Readonly<Record<string, QueueHealth>>;
  /** The health of the sweep; only with `--sweep`. */
  readonly sweep?: QueueHealth | undefined;
}

interface QueueHealth {
  readonly status: 'ok' | 'failing' | 'stuck';
  /** The time at which its last run ended, and why. */
  readonly lastRun?: { readonly at: string; readonly ended: string } | undefined;
  readonly running?: true | undefined;
  readonly failing?: { readonly since: string; readonly reason: string } | undefined;
}

/** The health of a worker's jobs. */
export class Health {
  private readonly states = new Map<string, JobState>();
  private sweep: JobState | undefined;
  private readonly startedAt: number;

  /** @param runMs what a run may take, as far as that is known at the start */
  constructor(
    private readonly clock: Pick<Clock, 'wall'>,
    public runMs: number,
    private readonly stop: AbortSignal,
  ) {
    this.startedAt = clock.wall();
  }

  watch(job: Job): void {
    this.states.set(job.name, {});
  }

  begins({ name }: Job): void {
    this.state(name).startedAt = this.clock.wall();
  }

  ends({ name }: Job, { ended }: { readonly ended: string }): void {
    const at = this.clock.wall();
    this.states.set(name, { endedAt: at, ended });
  }

  fails({ name }: Job, reason: string): void {
    this.states.set(name, failed(this.states.get(name), this.clock.wall(), reason));
  }

  sweepEnds(ended: string): void {
    this.sweep = { endedAt: this.clock.wall(), ended };
  }

  sweepFails(reason: string): void {
    this.sweep = failed(this.sweep, this.clock.wall(), reason);
  }

  report(): HealthReport {
    const queues = Object.fromEntries([...this.states].map(([name, state]) => [name, this.healthOf(state)]));
    const sweep = this.sweep && this.healthOf(this.sweep);
    const all = [...Object.values(queues), ...(sweep ? [sweep] : [])];
    const worst = (['stuck', 'failing'] as const).find((status) => all.some((one) => one.status === status));
    const quiet = this.states.size === 0 ? 'starting' : 'ok';
    const status = worst ?? (this.stop.aborted ? 'stopping' : quiet);
    return { status, since: toIso(this.startedAt), queues, ...(sweep && { sweep }) };
  }

  private state(name: string): JobState {
    const state = this.states.get(name) ?? {};
    this.states.set(name, state);
    return state;
  }

  private healthOf({ startedAt, endedAt, ended, failingSince, reason }: JobState): QueueHealth {
    const now = this.clock.wall();
    const isStuck = startedAt !== undefined && now - startedAt > this.runMs + STUCK_AFTER_MS;
    const isFailing = failingSince !== undefined && now - failingSince >= UNHEALTHY_AFTER_MS;
    return {
      status: isStuck ? 'stuck' : isFailing ? 'failing' : 'ok',
      ...(endedAt === undefined ? {} : { lastRun: { at: toIso(endedAt), ended: ended ?? '' } }),
      ...(startedAt === undefined ? {} : { running: true }),
      ...(failingSince === undefined
        ? {}
        : { failing: { since: toIso(failingSince), reason: reason ?? '' } }),
    };
  }
}

function failed(before: JobState | undefined, now: number, reason: string): JobState {
  return { endedAt: now, ended: 'failed', failingSince: before?.failingSince ?? now, reason };
}

/**
 * Answers two paths. `/health` is 503 while a queue cannot be worked on or the sweep fails, such as while DynamoDB does not
 * answer. `/live` is 503 if the process itself does not get on, which a restart would help.
 */
export function serveHealth(health: Health, at: Address): Promise<WorkServer> {
  return serve(at, (request, response) => {
    const [pathname] = (request.url ?? '/').split('?');
    const isHealth = pathname === '/health';
    if (!isHealth && pathname !== '/live') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('GET /health or /live\n');
      return;
    }
    const report = health.report();
    const isBad = report.status === 'stuck' || (isHealth && UNHEALTHY.includes(report.status));
    const body = isHealth ? report : { status: report.status === 'stuck' ? 'stuck' : 'ok' };
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    response.writeHead(isBad ? 503 : 200, headers).end(`${JSON.stringify(body)}\n`);
  });
}
