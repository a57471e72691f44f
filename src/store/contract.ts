/** Types that a store of your own has to name: what the methods of `BacklogStore` and `OperatorStore` take and give. */
export type { Item, RecordChange } from '../record/index.js';
export type { CountQuery, Found, OperatorChange } from './operator-store.js';
export type {
  ArrivalsClaim,
  BreakerState,
  ClaimAnswer,
  ClaimedArrivals,
  Cursor,
  DuePage,
  DueQuery,
  IndexKey,
  LeaseAnswer,
  LeaseHold,
  LeaseLeft,
  LeaseOwner,
  LeaseState,
  ListFilter,
  NamedClaim,
  QueueState,
  RetryModeState,
  ScanPage,
  SlotsAsk,
  SlotsHeld,
  SweepState,
  TierRun,
  Turns,
} from './store.js';
