export { MemoryStore, type MemoryStoreDeps } from './store.js';
