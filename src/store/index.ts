export * from './dynamodb/index.js';
export { StoreAccessError, StoreError, StoreThrottledError, StoreUnavailableError } from './errors.js';
export { MAX_ITEM_BYTES } from './item-limits.js';
export { MemoryStore } from './memory/store.js';
export * from './operator-store.js';
export type { SharedItems } from './shared-items.js';
export * from './store.js';
