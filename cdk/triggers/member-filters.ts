import { FilterCriteria, FilterRule } from 'aws-cdk-lib/aws-lambda';
import { END_ATTRIBUTE, MEMBER_ATTRIBUTE } from '../../src/groups/names.js';

const ENDED = ['SUCCESS', 'DEAD'];
const IS_MEMBER = { [MEMBER_ATTRIBUTE]: { S: FilterRule.exists() } };
const IS_NO_MEMBER = { [MEMBER_ATTRIBUTE]: { S: FilterRule.notExists() } };
const HAS_NOT_ENDED = { status: { S: [{ 'anything-but': ENDED }] } };

/**
 * Filters for the changes by which a member of a group has another state: all that is not an attempt. A member that waits, and is
 * replaced by a member of another group, passes none of them: the daily check finds it.
 *
 * @param anyEnd other records pass as well when they have ended, as there is room for one filter of ends
 */
export function memberFilters(anyEnd = false) {
  return [
    // It has ended.
    FilterCriteria.filter({
      eventName: FilterRule.or('INSERT', 'MODIFY'),
      dynamodb: { NewImage: { ...(anyEnd ? {} : IS_MEMBER), status: { S: ENDED } } },
    }),
    // It had ended, and waits again.
    FilterCriteria.filter({
      eventName: FilterRule.isEqual('MODIFY'),
      dynamodb: { OldImage: { status: { S: ENDED } }, NewImage: { ...IS_MEMBER, ...HAS_NOT_ENDED } },
    }),
    // It was deleted before its end.
    FilterCriteria.filter({
      eventName: FilterRule.isEqual('REMOVE'),
      dynamodb: { OldImage: { ...IS_MEMBER, ...HAS_NOT_ENDED } },
    }),
    // It was replaced by a record that is no member.
    FilterCriteria.filter({
      eventName: FilterRule.isEqual('MODIFY'),
      dynamodb: { OldImage: IS_MEMBER, NewImage: IS_NO_MEMBER },
    }),
  ];
}

/** A filter for changes of the record of a group's end that waits for it: that by which its wait is over, and a few others. */
export function endOfGroupFilter() {
  return FilterCriteria.filter({
    eventName: FilterRule.isEqual('MODIFY'),
    dynamodb: { OldImage: { [END_ATTRIBUTE]: { S: FilterRule.exists() }, status: { S: ['NEW'] } } },
  });
}
