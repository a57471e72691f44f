import { checkGroup } from '../../src/groups/check-group.js';
import type { FinishDeps } from '../../src/groups/finish.js';
import { type GroupEnd, RecordGroups } from '../../src/groups/index.js';
import { memberChanges, type RecordVersions } from '../../src/groups/member-changes.js';
import { noteStates } from '../../src/groups/note-states.js';
import { type Item, parseRecord } from '../../src/record/index.js';
import { MemoryStore, StoreUnavailableError } from '../../src/store/index.js';
import { seededRandom } from '../../src/support/seeded-random.js';
import { type Actor, Turns } from './turns.js';

const START = Date.UTC(2026, 0, 5, 12);
const MAX_TURNS = 200_000;
const ID = 'g';

/** Faults of a world, which the rules of this file have to notice. */
export interface Sabotage {
  /** Replaces the function that counts. */
  readonly noteStates?: typeof noteStates;
  /** Replaces the store of groups that the counting processes see. */
  readonly groups?: (groups: FinishDeps['groups']) => FinishDeps['groups'];
  /** Members that were given up are not read again before the end. */
  readonly trustsGivenUp?: boolean;
}

/**
 * Plays one world. Producers are killed and come again. Members succeed, die, are redriven and replaced. Processes count the same
 * changes twice, at the same time, and from an earlier place on. Answers are lost, and checks come at any time.
 *
 * @returns violations; empty: the group ended once, after all its members, and its counts were right
 */
export async function playGroupWorld(seed: number, sabotage: Sabotage = {}): Promise<string[]> {
  const world = new World(seed, sabotage);
  await world.play();
  return world.violations;
}

/** Tells whether the event source mapping lets a change through: ends, redrives, and records that go. */
function passes({ before, after }: RecordVersions): boolean {
  const isOver = (record: RecordVersions['after']) =>
    record?.status === 'SUCCESS' || record?.status === 'DEAD';
  const isMember = (record: RecordVersions['after']) => record?.attributes.memberOf !== undefined;
  if (isMember(after)) return isOver(after) || isOver(before);
  return isMember(before) && (after !== undefined || !isOver(before));
}

class World {
  readonly violations: string[] = [];
  private readonly random;
  private readonly turns: Turns;
  private readonly store: MemoryStore;
  private now = START;
  private isFaulty = true;
  private readonly stream: RecordVersions[][] = [[], []];
  /** Places up to which each shard was counted. */
  private readonly counted = [0, 0];
  private starts = 0;
  /** Members that were redriven since they were last read as given up. */
  private readonly freshlyRedriven = new Set<string>();
  private hasDropped = false;
  private replaced = 0;
  private readonly size: number;
  private readonly holdsDead: boolean;
  /** Changes come once and in their order: then a group ends without a check. */
  private readonly isCalm: boolean;
  private readonly producers: number;

  constructor(
    seed: number,
    private readonly sabotage: Sabotage,
  ) {
    this.random = seededRandom(seed);
    this.turns = new Turns(this.random);
    this.store = new MemoryStore({ clock: this.clock(undefined) });
    this.size = Math.floor(this.random() * 12);
    this.holdsDead = this.chance(0.3);
    this.isCalm = this.chance(0.5);
    this.producers = this.chance(0.5) ? 1 : 2;
    this.store.watch((before, after) => this.written(before, after));
  }

  async play(): Promise<void> {
    for (let number = 0; number < this.producers; number++)
      this.begin(`producer ${number}`, () => this.produce(number));
    this.begin('members', () => this.endMembers(40));
    for (const shard of [0, 1]) this.begin(`counter ${shard}`, () => this.count(shard, 60));
    if (!this.isCalm) this.begin('check', () => this.check(6));
    await this.turns.run(MAX_TURNS);
    // Whatever has happened, it ends once all is well again.
    this.isFaulty = false;
    await this.settle();
    this.judge();
  }

  private async settle(): Promise<void> {
    for (let round = 0; round < 4; round++) {
      this.now += 400_000;
      for (let number = 0; number < this.producers; number++)
        this.begin(`producer ${number} again`, () => this.insert(number));
      await this.turns.run(MAX_TURNS);
      if (this.producers > 1) this.begin('seal', () => this.seal());
      this.begin('last members', () => this.endAll());
      await this.turns.run(MAX_TURNS);
      for (const shard of [0, 1]) this.begin(`last counter ${shard}`, () => this.countAll(shard));
      await this.turns.run(MAX_TURNS);
      if (!this.isCalm) this.begin('last check', () => this.checkOnce());
      await this.turns.run(MAX_TURNS);
    }
  }

  private judge(): void {
    if (this.starts !== 1) this.violations.push(`the record of the end was started ${this.starts} times`);
  }

  /** The table's stream, and the rules of an end. */
  private written(before: Item | undefined, after: Item | undefined): void {
    const read = (item: Item | undefined) => item && parseRecord(item, this.now);
    const id = String((after ?? before)?.id);
    const shard = id.charCodeAt(id.length - 1) % 2;
    this.stream[shard]?.push({ before: read(before), after: read(after) });
    if (id !== ID) return;
    const ends = [before, after].map((item) => (item?.payload as { group?: GroupEnd } | undefined)?.group);
    if (ends[0]?.complete === false && ends[1]?.complete === true) this.judgeEnd(ends[1]);
  }

  private judgeEnd({ members = 0, succeeded, dead, cancelled, removed = 0, lost = 0 }: GroupEnd): void {
    this.starts++;
    const items = this.store.items().filter((item) => String(item.memberOf).endsWith(`#${ID}`));
    const waiting = items.filter(({ id, status }) => {
      const isOver = status === 'SUCCESS' || status === 'DEAD';
      return !isOver && !this.freshlyRedriven.has(String(id));
    });
    if (waiting.length > 0) this.violations.push(`it ended while ${waiting.map(({ id }) => id)} waited`);
    const total = [succeeded, dead, cancelled, removed, lost].reduce<number>((sum, n) => sum + (n ?? 0), 0);
    if (total !== members) this.violations.push(`${total} of ${members} members have a state`);
    const succeededNow = items.filter(({ status }) => status === 'SUCCESS').length;
    if (succeeded !== succeededNow && !this.hasDropped && this.freshlyRedriven.size === 0)
      this.violations.push(`it tells of ${succeeded} successes, and ${succeededNow} records have succeeded`);
    if (this.holdsDead && dead !== 0) this.violations.push(`it ended with ${dead} dead members`);
    // A check may find that a record was replaced before the stream has brought that.
    const gone = lost + removed;
    if (gone > this.replaced && !this.hasDropped)
      this.violations.push(`it tells of ${gone} members that are gone, and ${this.replaced} were replaced`);
    const all = this.size * this.producers;
    // A record that is replaced while its page is open may leave its place unused.
    if (members > all || members < all - this.replaced)
      this.violations.push(`it had ${members} of ${all} members`);
  }

  private async produce(number: number): Promise<void> {
    for (let tries = 0; tries < 3; tries++) {
      const actor = { name: `producer ${number}, try ${tries}`, isDead: false };
      const killed = this.chance(0.5);
      const insertion = this.insert(number, actor).then(
        () => 'done' as const,
        (error: unknown) => error,
      );
      if (!killed) {
        if ((await insertion) === 'done') return;
        continue;
      }
      const other: Actor = { name: 'killer', isDead: false };
      for (let turns = Math.floor(this.random() * 30); turns > 0; turns--) await this.turns.next(other);
      actor.isDead = true;
    }
  }

  private async insert(
    number: number,
    actor: Actor = { name: `producer ${number}`, isDead: false },
  ): Promise<void> {
    const records = Array.from({ length: this.size }, (_, i) => ({
      id: `m${number}-${i}`,
      payload: i,
      queue: 'rows',
    }));
    const onComplete = { queue: 'mail' };
    const deadMembers = this.holdsDead ? ('hold' as const) : ('end' as const);
    const groups = this.groupsOf(actor);
    await groups.insert(ID, records, { onComplete, deadMembers, seal: this.producers === 1, concurrency: 3 });
  }

  private async seal(): Promise<void> {
    await this.groupsOf({ name: 'seal', isDead: false }).seal(ID);
  }

  private async endMembers(steps: number): Promise<void> {
    const actor = { name: 'members', isDead: false };
    for (let step = 0; step < steps; step++) {
      await this.turns.next(actor);
      this.now += Math.floor(this.random() * 20_000);
      const members = this.store.items().filter(({ memberOf }) => memberOf !== undefined);
      const item = members[Math.floor(this.random() * members.length)];
      if (item) this.change(item);
    }
  }

  private change(item: Item): void {
    const id = String(item.id);
    const put = (attributes: object) =>
      this.store.put({ ...item, ...attributes, rev: String(this.random()) });
    const isPending = item.status === 'NEW' || item.status === 'ERROR';
    const choice = this.random();
    if (item.status === 'DEAD') {
      if (choice < 0.4) {
        this.freshlyRedriven.add(id);
        put({ status: 'NEW', deadReason: undefined });
      } else if (choice < 0.6) put({ deadReason: 'discarded' });
    } else if (!isPending) {
      if (choice < 0.05) put({ note: 1 });
    } else if (choice < 0.4) put({ status: 'SUCCESS' });
    else if (choice < 0.7) put({ status: 'DEAD', deadReason: 'maxAttempts' });
    else if (choice < 0.8) put({ status: 'DEAD', deadReason: 'cancelled: no' });
    else if (choice < 0.85) {
      this.replaced++;
      this.store.put({ id, status: 'NEW', payload: 'another', queue: 'rows' });
    } else put({ status: 'ERROR' });
  }

  private async endAll(): Promise<void> {
    for (const item of this.store.items()) {
      const isMember = item.memberOf !== undefined;
      if (isMember && (item.status !== 'SUCCESS' || this.holdsDead))
        this.store.put({ ...item, status: 'SUCCESS', rev: String(this.random()) });
    }
  }

  private async count(shard: number, batches: number): Promise<void> {
    const actor = { name: `counter ${shard}`, isDead: false };
    for (let batch = 0; batch < batches; batch++) {
      await this.turns.next(actor);
      const from = this.counted[shard] ?? 0;
      const to = Math.min(this.stream[shard]?.length ?? 0, from + Math.ceil(this.random() * 6));
      if (to === from) continue;
      // The same batch, of another size, by a second process at the same time.
      if (!this.isCalm && this.chance(0.1))
        this.begin(`second counter ${shard}`, () => this.note(shard, from, to - 1).catch(() => {}));
      // A batch whose function fails comes again; one that fails for 20 hours is given up.
      const isCounted = await this.note(shard, from, to, actor).then(
        () => true,
        () => this.drops(),
      );
      if (isCounted)
        this.counted[shard] = !this.isCalm && this.chance(0.1) ? Math.floor(this.random() * to) : to;
    }
  }

  private drops(): boolean {
    const isDropped = !this.isCalm && this.chance(0.05);
    this.hasDropped ||= isDropped;
    return isDropped;
  }

  private async countAll(shard: number): Promise<void> {
    const all = this.stream[shard]?.length ?? 0;
    await this.note(shard, this.counted[shard] ?? 0, all);
    this.counted[shard] = all;
  }

  private note(
    shard: number,
    from: number,
    to: number,
    actor: Actor = { name: 'another counter', isDead: false },
  ): Promise<void> {
    const changes = (this.stream[shard] ?? []).slice(from, to).filter(passes).flatMap(memberChanges);
    return (this.sabotage.noteStates ?? noteStates)(changes, this.deps(actor));
  }

  private async check(times: number): Promise<void> {
    for (let time = 0; time < times; time++) {
      const actor = { name: 'check', isDead: false };
      for (let turns = Math.floor(this.random() * 60); turns > 0; turns--) await this.turns.next(actor);
      if (this.chance(0.3)) this.now += 400_000;
      await this.checkOnce(actor).catch(() => {});
    }
  }

  private async checkOnce(actor: Actor = { name: 'check', isDead: false }): Promise<void> {
    await checkGroup(ID, this.deps(actor));
  }

  private begin(_name: string, work: () => Promise<void>): void {
    this.turns.start(work, (error) => {
      if (!this.isFaulty) this.violations.push(`${_name}: ${(error as Error).stack}`);
    });
  }

  private groupsOf(actor: Actor): RecordGroups {
    const store = { records: this.recordsOf(actor), groups: this.groupStoreOf(actor) };
    const clock = this.clock(actor);
    return new RecordGroups({ table: 'records', controlTable: 'control', store, clock, random: this.random });
  }

  private deps(actor: Actor): FinishDeps {
    const quiet = () => {};
    const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
    const groups = this.groupStoreOf(actor);
    return {
      groups: this.sabotage.groups?.(groups) ?? groups,
      records: this.recordsOf(actor),
      clock: this.clock(actor),
      random: this.random,
      indexesAtOnce: () => false,
      logger,
    };
  }

  private recordsOf(actor: Actor): FinishDeps['records'] {
    const { records } = this.store;
    return {
      insert: (item) => this.request(actor, () => records.insert(item)),
      get: (id) => this.request(actor, () => records.get(id)),
      change: (...given) => this.request(actor, () => records.change(...given)),
      getItems: (ids) =>
        this.request(actor, async () => {
          const found = await records.getItems(ids);
          if (this.sabotage.trustsGivenUp) return [];
          for (const { record } of found) if (record.status !== 'NEW') this.freshlyRedriven.delete(record.id);
          return found;
        }),
    };
  }

  private groupStoreOf(actor: Actor): FinishDeps['groups'] {
    const { groups } = this.store;
    return {
      read: (keys) => this.request(actor, () => groups.read(keys)),
      create: (...given) => this.request(actor, () => groups.create(...given)),
      write: (...given) => this.request(actor, () => groups.write(...given)),
      remove: (key) => this.request(actor, () => groups.remove(key)),
      list: (prefix) => this.request(actor, () => groups.list(prefix)),
    };
  }

  /** A request of a process: it may be late, not arrive, or its answer may be lost. */
  private async request<Answer>(actor: Actor, send: () => Promise<Answer>): Promise<Answer> {
    await this.turns.next(actor);
    if (this.isFaulty && this.chance(0.02)) throw new StoreUnavailableError('no connection');
    const answer = await send();
    await this.turns.next(actor);
    if (this.isFaulty && this.chance(0.02)) throw new StoreUnavailableError('the answer is lost');
    return answer;
  }

  private clock(actor: Actor | undefined) {
    return {
      now: () => this.now,
      wall: () => this.now,
      sleep: async (ms: number) => {
        if (actor) await this.turns.next(actor);
        if (ms > 1_000) this.now += ms;
      },
    };
  }

  private chance(share: number): boolean {
    return this.random() < share;
  }
}
