// The site's search: what is indexed, and how results are ranked. `scripts/site/search.ts` searches a built site with the same options.
// VitePress writes the functions into the pages as text, so the functions of a search use nothing outside of themselves.

/** Words of other tools for what a section describes, by the section: a search finds it by them first. */
export const ALSO: Readonly<Record<string, string>> = {
  'tasks.html#delays-and-dates': 'schedule a job, later, scheduled, run at',
  'tasks.html#looking-up-and-cancelling': 'cancel a job, status of a job, job result',
  'tasks.html#once-in-a-period': 'unique job, deduplicate',
  'tasks.html#many-at-once': 'batch insert, bulk insert',
  'handlers.html#several-queues': 'priority, priorities',
  'handlers.html#your-own-code': 'process a job, worker function, perform',
  'troubleshooting.html#an-attempt-times-out': 'timeout',
  'logs.html#logs-and-traces': 'console.log, logger, logging',
  'policies.html#policies': 'retry policy, backoff, retries, exponential backoff',
  'records.html#dead-records': 'dead letter, dead letter queue, DLQ, failed jobs',
  'operate.html#operate': 'retry a failed job, requeue, replay',
  'testing.html#idempotency': 'idempotent, exactly once',
  'cost.html#cost': 'price, pricing, bill',
  'architecture.html#how-many-records-an-hour': 'throughput, scaling, capacity',
  'back-pressure.html#attempts-per-second': 'rate limit, throttle',
};

interface Section {
  readonly id: string;
}

/** Options of the index. `base` is where the site is on its host. */
export const indexOptions = (base: string) => ({
  fields: ['title', 'titles', 'text', 'also'],
  extractField: (section: Section, field: string) =>
    field === 'also' ? (ALSO[section.id.slice(base.length)] ?? '') : section[field as keyof Section],
});

export const SEARCH_OPTIONS = {
  boost: { title: 4, also: 6, titles: 1, text: 1 },
  prefix: true,
  fuzzy: (term: string) => (term.length > 5 ? 0.2 : false),
  /** Words that are in every section say nothing. */
  processTerm: (term: string) =>
    /^(?:a|an|and|are|can|do|does|for|how|i|in|is|it|my|of|on|or|the|to|what|with)$/i.test(term)
      ? null
      : term.toLowerCase(),
  /** Guides first, then references and examples, then the API. */
  boostDocument: (id: string) => {
    if (id.includes('/api/')) return 0.1;
    return /\/(?:cli|comparison|contributing|documentation|glossary|protocol-tests|examples\/.*)\.html/.test(
      id,
    )
      ? 0.4
      : 1;
  },
};
