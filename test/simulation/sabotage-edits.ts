import { asWritten } from '../../src/record/index.js';
import { NO_FEATURES } from './features.js';
import { replacing } from './replacing.js';
import type { Sabotage } from './world.js';

const EDITED = { features: () => ({ ...NO_FEATURES, edits: true }) };

/** Takes these attributes out of the fence of records that have a `rev`; all of them, if none is named. */
function withoutComparing(...names: readonly string[]): Sabotage {
  return {
    ...EDITED,
    store: (store) =>
      replacing(
        {
          records: {
            settle: async (record, change, rev) => {
              const current = await store.records.get(record.id);
              if (!current || record.rev === undefined || current.rev !== record.rev)
                return store.records.settle(record, change, rev);
              const [item] = (await store.records.getItems([record.id])).map(({ item: found }) => found);
              const isAsNow = Object.fromEntries(names.map((name) => [name, item?.[name]]));
              const fenced =
                names.length === 0 ? current : asWritten(record, { set: isAsNow, remove: [] }, record.rev);
              return store.records.settle(fenced, change, rev);
            },
          },
        },
        store,
      ),
  };
}

/** The fence of a record that has a `rev` is that alone. */
export const withFenceOfRevOnly = withoutComparing();
export const withoutFenceOfPayload = withoutComparing('payload');
export const withoutFenceOfQueue = withoutComparing('queue');
export const withoutFenceOfPolicy = withoutComparing('retry');
