import { describe, expect, it } from 'vitest';
import { type BacklogRecord, type Item, parseRecord } from '../../src/record/index.js';
import { VirtualTime } from '../../src/tools/lab/virtual-time.js';
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

  /** As a producer writes the record; undefined: deletes it. */
  write(item: Item | undefined): this {
    this.versions.wrote('a');
    this.witness.isWritten('a', this.stored, item);
    this.stored = item;
    this.witness.appears('a', NOW);
    return this;
  }

  /** As the library indexes it. */
  index(): this {
    this.stored = { ...INDEXED, ...this.stored };
    return this;
  }

  read(): BacklogRecord {
    const record = parseRecord(this.stored ?? BARE, NOW);
    this.versions.wasRead([record]);
    return record;
  }

  attempt(queue = 'q', record = this.read()): this {
    const actor = new Actor(`run ${++this.actors}`, this.time, seededRandom(1), () => NO_FAULTS);
    const isArrival = record.lane === undefined;
    const look = {
      ...{ now: NOW, start: NOW, queue, isArrival },
      destination: '*',
      band: undefined,
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

  it('may overlap where its producer has put the record with a lane', () => {
    expect(new Scene().write(BARE).attempt().write(INDEXED).attempt().violations).toEqual([]);
  });

  it('may overlap where a run of a rule has read the replaced record before, and attempts it later', () => {
    const scene = new Scene().write(INDEXED);
    const former = scene.read();
    expect(scene.write(undefined).write(BARE).attempt().attempt('q', former).violations).toEqual([]);
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
