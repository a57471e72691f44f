export { MemoryStore, type MemoryStoreParts } from './store.js';
