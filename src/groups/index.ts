export type { GroupEnd } from './end-record.js';
export type { Group } from './group.js';
export type { GroupEventDetail } from './group-event.js';
export type { GroupOptions, GroupRecord, RecordGroupsOptions } from './options.js';
export { type InsertGroupResult, RecordGroups } from './record-groups.js';
