import type { BacklogEvent } from '../../functions/event.js';
import type { LambdaFunction } from '../../functions/seams.js';
import { caughtUpBy, DEFAULT_TIERS, resolvePolicy, type TierBand, tierBands } from '../policies/index.js';
import { bornAt, DEFAULT_QUEUE, isLaneOf, waitOf } from '../record/index.js';
import type { ObservedStore } from './observed-store.js';
import type { Queue } from './queues.js';

const POLL_SECONDS = 60;

/** An EventBridge rule: it fires at every multiple of its interval, counted from the start. */
export interface Rule {
  readonly everyMs: number;
  readonly queues: readonly string[];
  readonly handler: LambdaFunction;
  readonly event: BacklogEvent | { readonly queues: Readonly<Record<string, number>> };
  /** The ages of its records, on a progressive queue. */
  readonly band: TierBand | undefined;
  /** Slower tiers, whose runs it makes up for if they were cut short. */
  readonly catchUp: readonly TierBand[];
}

/** The rules as the CDK app has them: one for the queues of a handler that retry per record, one for each tier. */
export function rulesOf(queues: readonly Queue[], functionTimeoutSeconds: number): Rule[] {
  const polled = queues.filter(({ settings }) => settings.retryMode === 'perRecord');
  const handlers = [...new Set(polled.map(({ handler }) => handler))];
  const polls = handlers.map((handler) =>
    pollOf(
      handler,
      polled.filter((queue) => queue.handler === handler),
    ),
  );
  const progressive = queues.filter(({ settings }) => settings.retryMode === 'progressive');
  return [...polls, ...progressive.flatMap((queue) => tierRules(queue, functionTimeoutSeconds))];
}

function pollOf(handler: LambdaFunction, queues: readonly Queue[]): Rule {
  const names = queues.map(({ name }) => name);
  const [first = ''] = names;
  const weights = Object.fromEntries(queues.map(({ name, weight }) => [name, weight]));
  const event = names.length === 1 ? { queue: first } : { queues: weights };
  return { everyMs: POLL_SECONDS * 1000, queues: names, handler, event, band: undefined, catchUp: [] };
}

function tierRules({ name, settings, handler }: Queue, functionTimeoutSeconds: number): Rule[] {
  return bandsOf(settings.retry, functionTimeoutSeconds).map((tier, _, bands) => {
    const catchUp = caughtUpBy(tier, bands) ?? [];
    const event = { queue: name, tier, ...(catchUp.length > 0 && { catchUp }) };
    return { everyMs: tier.every * 1000, queues: [name], handler, event, band: tier, catchUp };
  });
}

function bandsOf(retry: Queue['settings']['retry'], functionTimeoutSeconds: number): TierBand[] {
  const { tiers = DEFAULT_TIERS } = retry ? resolvePolicy(retry) : {};
  return tierBands(tiers, functionTimeoutSeconds);
}

/** Finds the ticks at which rules have something to do, so that virtual time need not pass through every minute of a year. */
export class RuleClock {
  constructor(
    private readonly store: ObservedStore,
    /** The backlog's first moment, epoch milliseconds. */
    private readonly start: number,
  ) {}

  /** The next tick, after now, at which the rule finds something to do; undefined: there is none. */
  next(rule: Rule, now: number): number | undefined {
    const wanted = rule.band ? this.wantedByAge(rule, rule.band, now) : this.wantedByDueTime(rule);
    if (wanted === Number.POSITIVE_INFINITY) return undefined;
    return this.tickFrom(rule, Math.max(now + 1, wanted));
  }

  /** The rule's first tick from then on. */
  tickFrom({ everyMs }: Pick<Rule, 'everyMs'>, time: number): number {
    return this.start + Math.ceil((time - this.start) / everyMs) * everyMs;
  }

  /** The rule's last tick up to then. */
  tickUpTo({ everyMs }: Pick<Rule, 'everyMs'>, time: number): number {
    return this.start + Math.floor((time - this.start) / everyMs) * everyMs;
  }

  /** Tells whether a run that starts now finds anything due, beside these (`queue/id`). */
  isDue({ queues }: Rule, now: number, besides: ReadonlySet<string>): boolean {
    const lanes = this.earliestDue(queues) <= now ? this.lanes(queues) : [];
    return (
      lanes.length > 0 &&
      this.store.items().some(({ id, queue = DEFAULT_QUEUE, lane, dueAt }) => {
        const isHere = typeof lane === 'string' && typeof dueAt === 'string' && lanes.includes(lane);
        return isHere && Date.parse(dueAt) <= now && !besides.has(`${queue}/${id}`);
      })
    );
  }

  /** The time at which a rule attempts a record next, if nothing keeps it from that. Undefined: none does. */
  nextAttempt(rules: readonly Rule[], record: Parameters<typeof bornAt>[0], now: number): number | undefined {
    const own = rules.filter(({ queues }) => queues.includes(record.queue));
    const times = own.map((rule) => {
      const dueAt = record.dueAt === undefined ? now : Date.parse(record.dueAt);
      const from = Math.max(now, dueAt, waitOf(record));
      if (!rule.band) return dueAt % 1000 === 1 ? from : this.tickFrom(rule, from);
      return this.tickInBand(rule, rule.band, bornAt(record), Math.max(now + 1, from));
    });
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  private wantedByDueTime({ queues }: Rule): number {
    return this.earliestDue(queues);
  }

  private wantedByAge(rule: Rule, own: TierBand, now: number): number {
    const cutShort = rule.catchUp.filter(({ number }) => this.store.isCutShort(rule.queues[0] ?? '', number));
    const bands = [own, ...cutShort];
    const lanes = this.lanes(rule.queues);
    if (lanes.length === 0) return Number.POSITIVE_INFINITY;
    let earliest = Number.POSITIVE_INFINITY;
    for (const { lane, dueAt } of this.store.items()) {
      if (typeof lane !== 'string' || typeof dueAt !== 'string' || !lanes.includes(lane)) continue;
      for (const band of bands) {
        const tick = this.tickInBand(rule, band, Date.parse(dueAt), now + 1);
        if (tick !== undefined) earliest = Math.min(earliest, tick);
      }
    }
    return earliest;
  }

  /** The rule's first tick, from `from` on, at which a record that was born at `born` has an age of the band. */
  private tickInBand(rule: Rule, band: TierBand, born: number, from: number): number | undefined {
    const tick = this.tickFrom(rule, Math.max(from, born + band.fromAge * 1000));
    return band.last || tick <= born + band.untilAge * 1000 ? tick : undefined;
  }

  private earliestDue(queues: readonly string[]): number {
    const times = this.lanes(queues).map((lane) => Date.parse(this.store.earliestDue(lane) ?? ''));
    return Math.min(...times.filter((time) => !Number.isNaN(time)));
  }

  private lanes(queues: readonly string[]): string[] {
    return this.store.lanes().filter((lane) => queues.some((queue) => isLaneOf(lane, queue)));
  }
}
