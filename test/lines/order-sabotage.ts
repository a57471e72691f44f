import type { LineTables } from '../../functions/intake/lines.js';
import type { MemoryStore } from '../../src/store/index.js';
import type { MemorySharedItems } from '../../src/store/memory/shared-items.js';
import type { OrderScenario } from './order-scenario.js';

/** A safeguard that is taken out, to see that its absence is noticed; or an accident. */
export interface OrderSabotage {
  /** Runs attempt whatever a lane or an event names. */
  readonly checksNoTurn?: boolean;
  /** The intake starts records on insertion. */
  readonly siftsNothing?: boolean;
  /** The tables as the lines of the intake see them. */
  readonly tables?: (tables: LineTables, now: () => number) => LineTables;
  /** An end that no attempt has written counts as free of attempts. */
  readonly overlooksAttempts?: boolean;
  /** Numbers are left out after a moment: what is attempted before them counts. */
  readonly holdsBackOnly?: boolean;
  /** Changes the scenario, so that it shows. */
  readonly scenario?: (scenario: OrderScenario) => OrderScenario;
  /** The items of lines are lost when nothing is under way. From then on records may come in another order. */
  readonly lines?: LinesLost;
}

/** A loss of the items of lines. */
export interface LinesLost {
  /** The time of the loss. */
  readonly atMs: number;
  /** The earlier time that they are set back to. Undefined: they are gone. */
  readonly toMs: number | undefined;
}

/** Keeps the items of lines as they are now, and returns what sets them back. */
export async function keepLines({ lines }: MemoryStore): Promise<() => Promise<void>> {
  const items = lines as MemorySharedItems;
  const keys = async () => [...(await items.list('line')), ...(await items.list('held-lines#'))];
  const kept = await items.read(await keys());
  return async () => {
    for (const key of await keys()) await items.remove(key);
    for (const [key, item] of kept) items.put(key, item);
  };
}
