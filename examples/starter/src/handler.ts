import { backlogHandler } from 'dynamo-backlog/lambda';
import { sendOrder } from './send-order.js';

/** The Lambda function of the queue `orders`. */
export const handler = backlogHandler({ queue: 'orders', tasks: [sendOrder] });
