/** Context that the local runtime sets: functions are then bundled for debugging. */
export const LOCAL_CONTEXT = 'dynamo-backlog:local';
