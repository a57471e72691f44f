export * from './dynamodb/index.js';
export { StoreAccessError, StoreError, StoreThrottledError, StoreUnavailableError } from './errors.js';
export type { GroupStore } from './group-store.js';
export { MAX_ITEM_BYTES } from './item-limits.js';
export { MemoryStore } from './memory/store.js';
export * from './operator-store.js';
export * from './store.js';
