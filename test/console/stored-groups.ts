import { RecordGroups } from '../../src/groups/index.js';
import { memberChanges } from '../../src/groups/member-changes.js';
import { noteStates } from '../../src/groups/note-states.js';
import type { GroupOptions } from '../../src/groups/options.js';
import { type BacklogRecord, type Item, parseRecord } from '../../src/record/index.js';
import { seededRandom } from '../../src/support/seeded-random.js';
import { type consoleUnderTest, DAY, HOUR, MINUTE } from './console-under-test.js';

type Console = Pick<ReturnType<typeof consoleUnderTest>, 'store' | 'clock'>;

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Groups in the store of a console. Tests end their members, and bring what has changed to the function that counts. */
export class StoredGroups {
  readonly groups: RecordGroups;
  private seen: ReadonlyMap<string, Item>;

  constructor(private readonly console: Console) {
    const { store, clock } = console;
    const random = seededRandom(7);
    this.groups = new RecordGroups({ table: 'Records', controlTable: 'Control', store, clock, random });
    this.seen = this.items();
  }

  /** Begins a group of records `<id>/0` and so on. */
  async begin(id: string, count: number, options: Partial<GroupOptions> = {}): Promise<void> {
    const records = Array.from({ length: count }, (_, i) => ({
      id: `${id}/${i}`,
      queue: 'orders',
      payload: { row: i },
    }));
    const onComplete = { queue: 'mails', payload: { to: 'sales@shop.example' } };
    await this.groups.insert(id, records, { onComplete, ...options });
  }

  /** Ends members of a group: those with these numbers. */
  end(id: string, change: Item, from: number, to = from): void {
    for (let i = from; i <= to; i++) this.set(`${id}/${i}`, change);
  }

  /** Changes attributes of a record. */
  set(id: string, change: Item): void {
    const { store } = this.console;
    store.put({ ...store.items().find((item) => item.id === id), id, ...change });
  }

  /** Brings what has changed since the last time to the function that counts. */
  async count(): Promise<void> {
    const { store, clock } = this.console;
    const [before, after] = [this.seen, this.items()];
    this.seen = after;
    const changes = [...new Set([...before.keys(), ...after.keys()])]
      .filter((id) => before.get(id) !== after.get(id))
      .flatMap((id) => memberChanges({ before: this.read(before.get(id)), after: this.read(after.get(id)) }));
    await noteStates(changes, {
      ...{ groups: store.groups, records: store.records, clock, random: seededRandom(8) },
      ...{ indexesAtOnce: () => true, logger: SILENT },
    });
  }

  /** Loses what has changed since the last time, as a function that was down for a day. */
  miss(): void {
    this.seen = this.items();
  }

  private items(): ReadonlyMap<string, Item> {
    return new Map(this.console.store.items().map((item) => [String(item.id), item]));
  }

  private read(item: Item | undefined): BacklogRecord | undefined {
    return item && parseRecord(item, this.console.clock.now());
  }
}

export const SUCCESS = { status: 'SUCCESS' };
export const DEAD = { status: 'DEAD', lane: 'orders/dead', deadReason: 'permanent: HTTP 422' };
const CANCELLED = {
  status: 'DEAD',
  lane: 'orders/dead',
  deadReason: 'cancelled: the order was withdrawn',
};

/** Groups in each state, of the last day. */
export async function fillGroups(console: Console & Pick<ReturnType<typeof consoleUnderTest>, 'time'>) {
  const { time } = console;
  const { now } = time;
  const stored = new StoredGroups(console);
  const begin = async (ago: number, ...given: Parameters<StoredGroups['begin']>) => {
    time.now = now - ago;
    await stored.begin(...given);
  };
  await begin(40 * MINUTE, 'import-7', 240, { onFirstDeath: { queue: 'mails' } });
  stored.end('import-7', SUCCESS, 0, 176);
  stored.end('import-7', DEAD, 177, 179);
  stored.end('import-7', CANCELLED, 180);
  await begin(5 * HOUR, 'day-335', 12, { seal: false });
  stored.end('day-335', SUCCESS, 0, 4);
  await begin(18 * HOUR, 'invoices-november', 5, { deadMembers: 'hold', timeout: '2d' });
  stored.end('invoices-november', SUCCESS, 0, 3);
  stored.end('invoices-november', DEAD, 4);
  await begin(2 * HOUR, 'late-feed', 4, { timeout: '1h' });
  stored.end('late-feed', SUCCESS, 0, 1);
  await begin(3 * HOUR, 'partner-sync', 3);
  await begin(DAY, 'done-1', 30);
  stored.end('done-1', SUCCESS, 0, 28);
  stored.end('done-1', DEAD, 29);
  time.now = now;
  await stored.count();
  stored.set('partner-sync/1', { memberOf: 'none' });
  stored.miss();
  await stored.groups.check('partner-sync');
  return stored;
}
