import { BacklogClient } from 'dynamo-backlog';

const backlog = new BacklogClient({ table: process.env.BACKLOG_TABLE ?? 'BacklogRecords' });

/** An id that exists already is never overwritten: inserting the same order again does no harm. */
export async function orderPlaced(order: { readonly id: string; readonly total: number }): Promise<boolean> {
  const { inserted } = await backlog.insert({ id: order.id, queue: 'orders', payload: order });
  return inserted;
}

/** A first attempt in two hours, not now. */
export async function priceChangesSoon(article: string): Promise<void> {
  await backlog.insert({ payload: { article }, queue: 'price-list' }, { delay: '2h' });
}
