import { deliveryHandler } from './delivery-handler.js';

/** Delivers by HTTP for the queues that retry per record: Fibonacci, unless the queue says otherwise. */
export const handler = deliveryHandler('perRecord');
