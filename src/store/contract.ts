/** Types that a store of your own has to name: what the methods of `BacklogStore` and `OperatorStore` take and give. */
export type { Item, RecordChange } from '../record/index.js';
export type {
  ControlState,
  CountedPage,
  CountQuery,
  Exclusive,
  Found,
  ItemsPage,
  ItemsScan,
  OperatorChange,
} from './operator-store.js';
export type * from './registry-types.js';
export type * from './store-types.js';
