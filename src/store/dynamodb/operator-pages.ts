import { toIso } from '../../support/clock.js';
import type { CountedPage, CountQuery, OperatorPageStore } from '../operator-store.js';
import type { IndexKey } from '../store.js';
import { Expressions } from './expressions.js';
import { DUE_INDEX, DynamoDbPages, indexKey } from './pages.js';

/** Pages of the index, also to be counted. */
export class OperatorPages extends DynamoDbPages implements OperatorPageStore {
  async count({ lane, from, until, after }: CountQuery): Promise<CountedPage> {
    const expressions = new Expressions();
    const inLane = expressions.equal('lane', lane);
    const bounds = [from, until].map((time) => time !== undefined && expressions.value(toIso(time)));
    const [least, most] = bounds;
    const dueAt = least || most ? expressions.name('dueAt') : '';
    // A sort key takes one condition.
    const inTime =
      least && most
        ? [`${dueAt} BETWEEN ${least} AND ${most}`]
        : [least ? `${dueAt} >= ${least}` : '', most ? `${dueAt} <= ${most}` : ''].filter(Boolean);
    const answer = await this.table.query({
      IndexName: DUE_INDEX,
      Select: 'COUNT',
      KeyConditionExpression: [inLane, ...inTime].join(' AND '),
      ...(after ? { ExclusiveStartKey: indexKey(after, lane) } : {}),
      ...expressions.placeholders(),
    });
    const { last, count } = answer;
    const next: IndexKey | undefined = last && { id: last.id?.S ?? '', dueAt: last.dueAt?.S ?? '' };
    return { count, next };
  }
}
