import '../loaded-limits.js';
import type { BacklogRecord, Item } from '../../src/record/index.js';
import { MemoryStore } from '../../src/store/index.js';
import type { OperatorStore } from '../../src/store/operator-store.js';
import type { Random } from '../../src/support/random.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import type { AttemptContext } from '../../src/worker/index.js';
import { Chaos, NO_TROUBLES } from '../../tools/src/lab/cloud/chaos.js';
import { Actor, NO_FAULTS } from '../simulation/actor.js';
import { settled } from '../simulation/settled.js';
import { Replica, Replication } from './replication.js';
import { MINUTE_MS, type Scenario, type Script } from './scenario.js';
import { type Sabotage, Site, type SiteDeps } from './site.js';
import { Witness } from './witness.js';

export const START = Date.parse('2026-01-01T00:00:00.000Z');

export interface WorldChoices {
  readonly random: Random;
  readonly scenario: Scenario;
  readonly sabotage: Sabotage;
  readonly sites: readonly Pick<SiteDeps, 'region' | 'functions' | 'env'>[];
  /** Things go wrong until then. */
  readonly troubledMs: number;
  /** Only one of two sites attempts anything at a time. Default: both may. */
  readonly isOnePlaceAtATime?: boolean;
  readonly isExcused?: (id: string, actors: readonly Actor[]) => boolean;
}

/** Sites with the production handlers, replication between their tables, and producers. What operators do is a test's own. */
export class World {
  readonly time = new VirtualTime(START, settled);
  readonly replication: Replication;
  readonly sites: readonly Site[];
  readonly witness: Witness;
  private readonly scripts: ReadonlyMap<string, Script>;
  private actors = 0;

  constructor(private readonly choices: WorldChoices) {
    const { random, scenario, sites, isExcused = () => false, isOnePlaceAtATime = false } = choices;
    const { time } = this;
    this.scripts = new Map(scenario.scripts.map((script) => [script.id, script]));
    this.replication = new Replication(time, random, scenario.lags);
    const now = () => time.now;
    this.witness = new Witness({ now, isExcused, isOnePlaceAtATime });
    this.sites = sites.map((site) => this.makeSite(site));
    const [one, other] = this.sites;
    if (one && other) one.deps.replica.joins(other.deps.replica);
    for (const script of scenario.scripts) time.after(script.atMs, () => this.put(script));
  }

  get now(): number {
    return this.time.now - START;
  }

  get records(): readonly Script[] {
    return [...this.scripts.values()];
  }

  /** Lets time pass until all is over and every record is done in each replica, and reports what is not by then. */
  async play(isOver: () => boolean, latestMs: number): Promise<void> {
    for (let at = 0; at <= latestMs; at += MINUTE_MS) {
      await this.time.runUntil(START + at);
      if (isOver() && this.open().length === 0) return;
    }
    this.witness.report(`not over by then: ${this.open().join(', ')}`);
  }

  /** Records that have not ended in each replica. */
  private open(): string[] {
    const isDone = (id: string) =>
      this.sites.every((site) => site.deps.replica.item(id)?.status === 'SUCCESS');
    return [...this.scripts.keys()].filter((id) => !isDone(id));
  }

  private makeSite(site: WorldChoices['sites'][number]): Site {
    const { random, scenario, sabotage, troubledMs } = this.choices;
    const { time, replication } = this;
    const isTroubled = () => this.now < troubledMs;
    const replica = new Replica(new MemoryStore({ clock: time.clock() }), replication);
    replica.onOwnWrite = (item) => this.witness.wrote(item, site.region);
    return new Site({
      ...site,
      replica,
      scenario,
      sabotage,
      chaos: new Chaos(time, random, () => (isTroubled() ? scenario.troubles : NO_TROUBLES)),
      faults: () => (isTroubled() ? scenario.faults : NO_FAULTS),
      newActor: (name) => this.newActor(name),
      process: (actor, where) => (record, context) => this.attempt(record, where, actor, context),
    });
  }

  private newActor(name: string): Actor {
    const { random, scenario, troubledMs } = this.choices;
    const faults = () => (this.now < troubledMs ? scenario.faults : NO_FAULTS);
    return new Actor(`${name} ${++this.actors}`, this.time, random, faults);
  }

  private async attempt(
    { id, dueAt, insertedAt }: BacklogRecord,
    where: string,
    actor: Actor,
    { signal }: AttemptContext,
  ): Promise<void> {
    const script = this.scripts.get(id);
    if (!script) throw new Error(`nothing is known of ${id}`);
    const count = this.witness.attemptsOf(id);
    if (this.choices.isOnePlaceAtATime) this.checkTurn(script, where);
    const ended = this.witness.begins(id, where, actor, Date.parse(dueAt ?? insertedAt));
    const { attemptMs, failures } = script;
    await actor.clock.sleep(attemptMs[Math.min(count, attemptMs.length - 1)] ?? 0, signal);
    ended();
    if (count < failures || signal.aborted) throw new Error('the other side is not there');
  }

  /** Puts a record. If its producer's region is gone, it turns to the other one. */
  private put(script: Script): void {
    const site = this.sites[script.site]?.isUp
      ? this.sites[script.site]
      : this.sites.find(({ isUp }) => isUp);
    site?.deps.replica.put(itemOf(script, this.time.now));
  }

  /** No record of a line is attempted before those that were put with lower numbers have succeeded. */
  private checkTurn({ id, place }: Script, where: string): void {
    for (const other of this.records) {
      const isBefore = place && other.place?.key === place.key && other.place.seq < place.seq;
      if (isBefore && !this.witness.hasSucceeded(other.id))
        this.witness.report(`${id} is attempted in ${where} before ${other.id} has succeeded`);
    }
  }

  operatorTables(site: Site): OperatorStore {
    const { sabotage } = this.choices;
    const tables = site.deps.replica.tables();
    return sabotage.operatorStore?.(tables) ?? tables;
  }
}

function itemOf({ id, put, delayMs, place }: Script, now: number): Item {
  const common = { id, status: 'NEW', queue: 'q', payload: { of: id }, ...place };
  if (put === 'bare') return common;
  const dueAt = new Date(put === 'delayed' ? now + delayMs : now).toISOString();
  const available = put === 'delayed' ? { availableAt: dueAt } : {};
  return {
    ...common,
    ...available,
    insertedAt: new Date(now).toISOString(),
    lane: 'q',
    dueAt,
    rev: `new-${id}`,
  };
}
