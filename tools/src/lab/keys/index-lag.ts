import { type Item, intercepted, LaneIndex, type MemoryStore, type StoreTypes } from 'dynamo-backlog/engine';

interface Place {
  readonly lane: string;
  readonly key: StoreTypes.IndexKey;
}

interface Move {
  readonly at: number;
  readonly from: Place | undefined;
  readonly to: Place | undefined;
}

/** An index that shows each write so many milliseconds later. Unlike `withStaleIndex`, it is as quick with a hundred thousand records. */
export class LaggingIndex {
  /** Writes of the index, of which DynamoDB makes two if a record moves in it. */
  writes = 0;
  private readonly lanes = new Map<string, LaneIndex>();
  private moves: Move[] = [];
  private shown = 0;

  constructor(
    private readonly now: () => number,
    private readonly lagMs: number,
  ) {}

  /** The store as it answers with this index. `wrote` gets each item that a settle has written. */
  of(store: MemoryStore, wrote: (item: Item) => void): MemoryStore {
    return intercepted(store, async (name, call, args) => {
      if (name === 'pages.query') return this.query(args[0] as StoreTypes.DueQuery);
      if (name !== 'records.settle') return call();
      const [{ id }] = args as [{ readonly id: string }];
      const before = store.item(id);
      const answer = await call();
      const after = store.item(id);
      if (after && after !== before) {
        this.move(before && placeOf(id, before), placeOf(id, after));
        wrote(after);
      }
      return answer;
    });
  }

  private move(from: Place | undefined, to: Place | undefined): void {
    if (from?.lane === to?.lane && from?.key.dueAt === to?.key.dueAt) return;
    this.writes += (from ? 1 : 0) + (to ? 1 : 0);
    this.moves.push({ at: this.now() + this.lagMs, from, to });
  }

  private query(query: StoreTypes.DueQuery) {
    this.show();
    return this.lanes.get(query.lane)?.query(query) ?? { keys: [], more: false };
  }

  private show(): void {
    const now = this.now();
    for (let move = this.moves[this.shown]; move && move.at <= now; move = this.moves[++this.shown]) {
      const { from, to } = move;
      if (from) this.lanes.get(from.lane)?.remove(from.key);
      if (to) this.laneIndex(to.lane).add(to.key);
    }
    if (this.shown < this.moves.length) return;
    this.moves = [];
    this.shown = 0;
  }

  private laneIndex(name: string): LaneIndex {
    const lane = this.lanes.get(name) ?? new LaneIndex();
    this.lanes.set(name, lane);
    return lane;
  }
}

function placeOf(id: string, { lane, dueAt }: Item): Place | undefined {
  return typeof lane === 'string' && typeof dueAt === 'string' ? { lane, key: { id, dueAt } } : undefined;
}
