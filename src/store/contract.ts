/** Types that a store of your own has to name: its roles, and what their methods take and give. */
export type { Item, RecordChange } from '../record/index.js';
export type { JobChange, JobStore, Kept } from './job-store.js';
export type { NumberedInserts } from './numbered-inserts.js';
export type {
  ControlState,
  ControlStore,
  CountedPage,
  CountQuery,
  Exclusive,
  Found,
  ItemsPage,
  ItemsScan,
  OperatorActiveRegionStore,
  OperatorChange,
  OperatorLeaseStore,
  OperatorPageStore,
  OperatorQueueStore,
  OperatorRecordStore,
  PauseNote,
  ReadingStore,
  RecordNote,
  RunsOfQueue,
} from './operator-store.js';
export type * from './registry-types.js';
export type * from './roles.js';
export type {
  OperatorSharedItems,
  SharedAttributes,
  SharedItems,
  SharedScan,
  SharedScanPage,
} from './shared-items.js';
export type { LineReader, NotIndexedStore } from './store.js';
export type * from './store-types.js';
