import { RecordLines } from 'dynamo-backlog';

const { BACKLOG_TABLE: table, BACKLOG_CONTROL_TABLE: controlTable } = process.env;

const STEPS = ['created', 'paid', 'packed', 'shipped'];

/** The events of some orders. Their ids make a second call harmless. */
export function* events(orders: number) {
  for (const step of STEPS)
    for (let order = 1; order <= orders; order++)
      yield {
        id: `order-${order}/${step}`,
        queue: 'events',
        key: `order-${order}`,
        payload: { order, step },
      };
}

if (table && controlTable) {
  const lines = new RecordLines({ table, controlTable });
  const { inserted } = await lines.insert(events(20));
  process.stdout.write(`${inserted} events inserted\n`);
}
