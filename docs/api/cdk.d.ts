// Written by `npm run api`. Do not edit it: a change of the public API shows here, for its review.

export {
    AlarmActions,
    Answers,
    Backlog,
    BacklogProps,
    DeliveryProps,
    EntryFunctionProps,
    FailureAlarm,
    FunctionProps,
    GrantInsertOptions,
    HeaderSecret,
    HistoryProps,
    ProgressiveProps,
    QueueAlarms,
    QueueProps,
    RetryPolicy,
    Tier,
    TierProps,
    WorkerProps,
} from './declarations.js';
