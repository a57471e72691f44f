import { describe, expect, it } from 'vitest';
import type { TierBand } from '../../src/policies/index.js';
import { type BacklogRecord, type Item, parseRecord, type RecordChange } from '../../src/record/index.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import { Actor, NO_FAULTS } from './actor.js';
import { NO_FEATURES } from './features.js';
import { seededRandom } from './random.js';
import { makeScenario } from './scenario.js';
import { Versions } from './versions.js';
import { Witness } from './witness.js';

const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const BARE: Item = { id: 'a', status: 'NEW', queue: 'q', payload: 1 };
const INDEXED: Item = {
  ...BARE,
  insertedAt: new Date(NOW).toISOString(),
  lane: 'q',
  dueAt: new Date(NOW).toISOString(),
};

/** One record, and attempts of it that do not end. */
class Scene {
  private readonly time = new VirtualTime(NOW);
  private readonly versions = new Versions();
  private readonly witness = new Witness(
    { ...makeScenario(seededRandom(1), false), pause: undefined, breaker: undefined },
    NO_FEATURES,
    false,
    this.versions,
  );
  private stored: Item | undefined;
  private actors = 0;

  /** Writes the record as a producer does; undefined: deletes it. */
  write(item: Item | undefined): this {
    this.versions.wrote('a');
    this.witness.isWritten('a', this.stored, item);
    this.stored = item;
    this.witness.appears('a', NOW);
    return this;
  }

  /** Changes some of its attributes, as a producer does. */
  edit(attributes: Partial<Item>): this {
    const item = { ...INDEXED, ...this.stored, ...attributes };
    this.versions.wrote('a');
    this.witness.isWritten('a', this.stored, item);
    this.stored = item;
    return this;
  }

  /** An attempt has failed at this moment; the due time is left alone, as on a progressive queue. */
  fail(more: RecordChange['set'] = {}): this {
    const change = {
      set: { status: 'ERROR', lastFailureAt: new Date(NOW).toISOString(), ...more },
      remove: [],
    } as const;
    this.witness.settles(this.actor(), this.read(), change, this.stored, NOW);
    return this;
  }

  /** An operator has ended its wait at this moment. */
  runNow(): this {
    const set = { dueAt: new Date(NOW).toISOString() };
    this.witness.operates(this.actor(), 'runNow', this.read(), { set, remove: [] }, this.stored, NOW);
    this.stored = { ...INDEXED, ...this.stored, ...set };
    return this;
  }

  /** An attempt has put it off by so many seconds at this moment. */
  snooze(seconds: number): this {
    const [at, dueAt] = [new Date(NOW).toISOString(), new Date(NOW + seconds * 1000).toISOString()];
    const history = [{ at, attempt: 1, outcome: 'snoozed' }] as const;
    const set = { attempts: 1, status: 'ERROR', lastAttemptAt: at, dueAt, history } as const;
    const change = { set, remove: [], countedAs: 'snoozed' } as const;
    const actor = this.actor();
    this.witness.asksToWait(actor, 'a', seconds);
    this.witness.settles(actor, this.read(), change, this.stored, NOW);
    this.stored = { ...INDEXED, ...this.stored, ...set };
    return this;
  }

  /** Its producer puts it into another queue, and a run moves it there. Its status is written: it breaks the contract. */
  move(dueAt = this.stored?.dueAt): this {
    this.edit({ queue: 'r' });
    const set = { status: 'ERROR', queue: 'r', lane: 'r', dueAt: String(dueAt) } as const;
    this.witness.settles(this.actor(), this.read(), { set, remove: [] }, this.stored, NOW);
    this.stored = { ...INDEXED, ...this.stored, ...set };
    return this;
  }

  /** Indexes it, as the library does. */
  index(): this {
    this.stored = { ...INDEXED, ...this.stored };
    return this;
  }

  read(): BacklogRecord {
    const record = parseRecord(this.stored ?? BARE, NOW);
    this.versions.wasRead([record]);
    return record;
  }

  private actor(): Actor {
    return new Actor(`run ${++this.actors}`, this.time, seededRandom(1), () => NO_FAULTS);
  }

  attempt(queue = 'q', record = this.read(), band?: TierBand): this {
    const actor = this.actor();
    const isArrival = record.lane === undefined;
    const look = {
      ...{ now: NOW, start: NOW, queue, isArrival },
      destination: '*',
      band,
      breaker: undefined,
    };
    this.witness.begins(actor, record, this.stored, look);
    return this;
  }

  get violations(): readonly string[] {
    return this.witness.violations;
  }
}

const OVERLAP = ['a: two attempts at once, by run 1 and run 2'];

describe('a first attempt and one of the record that has replaced it', () => {
  it('may overlap in another queue behind a deletion', () => {
    const scene = new Scene()
      .write(BARE)
      .attempt()
      .write(undefined)
      .write({ ...BARE, queue: 'r' });
    expect(scene.attempt('r').violations).toEqual([]);
  });

  it('may overlap in the queue of the replaced record, into which a failure has moved the one from another queue', () => {
    const inserted = { ...BARE, queue: 'r' };
    const scene = new Scene().write(BARE).attempt().write(undefined).write(inserted).index();
    expect(scene.attempt('q').violations).toEqual([]);
  });

  it('may overlap where its producer has put the record with a lane', () => {
    expect(new Scene().write(BARE).attempt().write(INDEXED).attempt().violations).toEqual([]);
  });

  it('may overlap where a run of a rule has read the replaced record before, and attempts it later', () => {
    const scene = new Scene().write(INDEXED);
    const previous = scene.read();
    expect(scene.write(undefined).write(BARE).attempt().attempt('q', previous).violations).toEqual([]);
  });

  it.each<[string, (scene: Scene) => Scene]>([
    ['without a change of the record', (scene) => scene.attempt()],
    ['in the same queue behind a deletion', (scene) => scene.write(undefined).write(BARE).attempt()],
    ['in another queue without a deletion', (scene) => scene.write({ ...BARE, queue: 'r' }).attempt('r')],
    ['after an overwrite without a lane', (scene) => scene.write({ ...BARE, payload: 2 }).attempt()],
    [
      'where the library has indexed what was put without a lane',
      (scene) =>
        scene
          .write({ ...BARE, payload: 2 })
          .index()
          .attempt(),
    ],
    [
      'after an overwrite that has replaced one with a lane',
      (scene) => scene.write(INDEXED).write(BARE).index().attempt(),
    ],
  ])('must not overlap %s', (_, act) => {
    expect(act(new Scene().write(BARE).attempt()).violations).toEqual(OVERLAP);
  });
});

describe('a record that has failed at this moment, with its age as its due time', () => {
  const EARLIER = new Date(NOW - 1_000).toISOString();
  const EARLY = [expect.stringContaining('ms too early')];
  const failed = () => new Scene().write(INDEXED).fail();
  const band: TierBand = { number: 1, every: 60, fromAge: 0, untilAge: 86_400, last: true };

  it('may be attempted by due time once a producer has given it another age', () => {
    expect(failed().edit({ insertedAt: EARLIER }).attempt().violations).toEqual([]);
    expect(failed().edit({ availableAt: EARLIER }).attempt().violations).toEqual([]);
  });

  it('may be attempted by due time once a person has set its failures to 0', () => {
    expect(failed().edit({ failures: 1 }).edit({ failures: 0 }).attempt().violations).toEqual([]);
  });

  it.each<[string, (scene: Scene) => Scene]>([
    ['as it is', (scene) => scene.attempt()],
    ['without failures that anybody has set to 0', (scene) => scene.edit({ failures: 0 }).attempt()],
    [
      'in a tier, whatever its failures',
      (scene) => scene.edit({ failures: 1 }).edit({ failures: 0 }).attempt('q', scene.read(), band),
    ],
    [
      'after another failure since',
      (scene) => scene.edit({ failures: 1 }).edit({ failures: 0 }).fail().attempt(),
    ],
    ['with another payload', (scene) => scene.edit({ payload: 2 }).attempt()],
    [
      'in a tier, whatever its age',
      (scene) => scene.edit({ insertedAt: EARLIER }).attempt('q', scene.read(), band),
    ],
    [
      'with a due time that the library has given it since',
      (scene) => {
        scene.edit({ insertedAt: EARLIER });
        return scene.attempt('q', { ...scene.read(), dueAt: EARLIER });
      },
    ],
  ])('must not be attempted %s', (_, act) => {
    expect(act(failed()).violations).toEqual(EARLY);
  });
});

describe('a record that breaks the contract, and was moved into another queue', () => {
  const at = (ms: number) => new Date(NOW + ms).toISOString();
  const EARLY = [expect.stringContaining('ms too early')];
  const written = () => new Scene().write({ ...INDEXED, insertedAt: at(-1_000), dueAt: at(-1_000) });

  it('may be attempted there if an operator has ended its wait', () => {
    expect(written().fail().runNow().move().attempt('r').violations).toEqual([]);
  });

  it('may be attempted there at the end of a snooze, and not before', () => {
    expect(written().snooze(1).move().attempt('r').violations).toEqual([]);
    expect(written().snooze(10).move().attempt('r').violations).toEqual(EARLY);
  });

  it.each<[string, (scene: Scene) => Scene]>([
    ['after a failure', (scene) => scene.move()],
    ['with another due time', (scene) => scene.runNow().move(at(-500))],
    [
      'after another failure there, whatever its due time',
      (scene) => {
        const history = [{ at: at(0), attempt: 1 }];
        return scene
          .runNow()
          .move()
          .fail({ attempts: 1, dueAt: at(0), history });
      },
    ],
  ])('must not be attempted %s', (_, act) => {
    expect(act(written().fail()).attempt('r').violations).toEqual(EARLY);
  });
});
