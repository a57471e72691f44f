// Written by `npm run api`. Do not edit it: a change of the public API shows here, for its review.

export {
    Answers,
    Backlog,
    BacklogProps,
    BreakerOptions,
    DeliveryProps,
    GrantInsertOptions,
    HeaderSecret,
    HistoryProps,
    ProgressiveProps,
    QueueProps,
    RetryPolicy,
    Tier,
    WorkerProps,
} from './declarations.js';
