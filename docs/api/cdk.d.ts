// Written by `npm run api`. Do not edit it: a change of the public API shows here, for its review.

export {
    Answers,
    Backlog,
    BacklogProps,
    DeliveryProps,
    GrantInsertOptions,
    HeaderSecret,
    HistoryProps,
    ProgressiveProps,
    QueueProps,
    RetryPolicy,
    Tier,
    TierProps,
    WorkerProps,
} from './declarations.js';
