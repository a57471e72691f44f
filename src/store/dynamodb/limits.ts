// The roles of limits, which most queues do not set: one file that is loaded at the first use of one of them.

export { DynamoDbBreakers } from './breakers.js';
export { DynamoDbKeySlots } from './key-slots.js';
export { DynamoDbPermits } from './permits.js';
export { DynamoDbSlots } from './slots.js';
