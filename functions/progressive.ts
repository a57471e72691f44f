import { deliveryHandler } from './delivery-handler.js';

/** Delivers by HTTP for the queues whose rules attempt records by their age. */
export const handler = deliveryHandler('progressive');
