import type { RuntimeKnowledge } from 'dynamo-backlog/overview';
import type { AlarmsStatus } from '../../local/alarms/alarm-watch.js';
import type { RuntimeActivity, RuntimeStatus } from '../../local/status/status.js';

const TIMEOUT_MS = 2_000;

/** Reads what a local runtime in another process knows of its backlog, from its status page. */
export class RemoteRuntime {
  private knowledge: RuntimeKnowledge | undefined;
  /** The app's alarms, as it last said them. */
  alarms: AlarmsStatus | undefined;

  /**
   * @param page its address, with a slash at its end
   * @param table of the records
   */
  constructor(
    private readonly page: string,
    private readonly table: string,
  ) {}

  /** Reads it again. Undefined: the runtime does not answer, and nothing is known but the tables. */
  async refresh(): Promise<RuntimeKnowledge | undefined> {
    try {
      const [status, { minutes, lastRuns }] = await Promise.all([
        this.get<RuntimeStatus>('status.json'),
        this.get<RuntimeActivity>('activity.json'),
      ]);
      this.alarms = status.alarms;
      this.knowledge = {
        status: () => status,
        minutesOf: (queue) => (Object.hasOwn(minutes, queue) ? (minutes[queue] ?? []) : []),
        lastRunOf: (rule) => (Object.hasOwn(lastRuns, rule) ? lastRuns[rule] : undefined),
      };
    } catch {
      this.knowledge = undefined;
      this.alarms = undefined;
    }
    return this.knowledge;
  }

  /** The last answer. Undefined: the runtime has not answered. */
  get known(): RuntimeKnowledge | undefined {
    return this.knowledge;
  }

  /** The app's queues with records in this table, as it last said them. */
  queues(): readonly string[] | undefined {
    return this.knowledge
      ?.status()
      .queues.filter(({ table, retryMode }) => table === this.table && retryMode !== undefined)
      .map(({ name }) => name);
  }

  private async get<Answer>(path: string): Promise<Answer> {
    const answer = await fetch(new URL(path, this.page), { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return (await answer.json()) as Answer;
  }
}
