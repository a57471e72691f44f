export { MemoryStore } from './store.js';
