import type { BacklogClient } from 'dynamo-backlog';
import { sendOrder } from './send-order.js';

export interface Order {
  readonly id: string;
  readonly article: string;
  readonly quantity: number;
}

/** Gives `false` if an order with this id was placed before: it is not placed a second time. */
export async function placeOrder({ id, ...order }: Order, backlog: BacklogClient): Promise<boolean> {
  const { inserted } = await backlog.insert(sendOrder, order, { id });
  return inserted;
}
