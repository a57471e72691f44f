// What the site's sidebar shows: pages by their place in the site, with a shorter title where the page's own is long.
// `npm run docs` fails if a page of docs/ is missing here.

export interface SidebarGroup {
  readonly text: string;
  readonly items: readonly (readonly [page: string, title?: string])[];
}

export const GROUPS: readonly SidebarGroup[] = [
  {
    text: 'Get started',
    items: [
      ['get-started.md'],
      ['local.md'],
      ['debug.md'],
      ['adopt.md', 'Adopt an older table'],
      ['documentation.md', 'All pages by task'],
    ],
  },
  {
    text: 'Tutorials',
    items: [
      ['tutorials/index.md', 'All tutorials'],
      ['tutorials/webhooks.md', 'Signed webhooks'],
      ['tutorials/outbox.md', 'An outbox'],
      ['tutorials/erp-at-night.md', 'An ERP that is closed at night'],
      ['tutorials/from-sqs.md', 'Move from SQS'],
      ['tutorials/after-an-outage.md', 'Redrive after an outage'],
      ['tutorials/noisy-customer.md'],
      ['tutorials/test-a-handler.md'],
    ],
  },
  {
    text: 'Guides',
    items: [
      ['records.md', 'Insert: records'],
      ['handlers.md', 'Handle: handlers'],
      ['delivery.md'],
      ['batches.md', 'Batches: several in one call'],
      ['middleware.md', 'Middlewares'],
      ['tasks.md', 'Tasks with typed payloads'],
      ['recurring.md', 'Recurring records'],
      ['groups.md', 'Groups with an end'],
      ['order.md', 'Order by key'],
      ['completion.md', 'Ends from outside'],
      ['events.md', 'Tell others: events of records'],
      ['testing.md'],
      ['testing-vitest.md'],
      ['testing-jest.md'],
      ['testing-node.md'],
      ['policies.md', 'Choose a policy'],
      ['back-pressure.md'],
      ['fairness.md', 'Fairness between tenants'],
      ['cdk.md'],
      ['cdk-functions.md', 'Functions: VPC, roles'],
      ['cdk-resources.md', 'What is created'],
      ['worker.md', 'Run it anywhere: a worker'],
      ['containers.md'],
    ],
  },
  {
    text: 'Operate',
    items: [
      ['console.md'],
      ['command-line.md'],
      ['stats-and-top.md', 'Figures: stats and top'],
      ['operate.md', 'Redrive, edit, pause'],
      ['monitoring.md', 'Alarms'],
      ['metrics.md'],
      ['dashboard.md', 'Dashboard'],
      ['prometheus.md', 'Prometheus, Grafana'],
      ['runbook.md'],
      ['failures.md'],
      ['logs.md'],
      ['deployments.md'],
      ['stacks.md', 'Several stacks'],
      ['regions.md'],
      ['recovery.md'],
    ],
  },
  {
    text: 'Reference',
    items: [
      ['cdk-props.md', 'Props of the construct'],
      ['handlers.md#your-own-code', 'Options of a handler'],
      ['records.md', 'Attributes of a record'],
      ['policies-reference.md', 'Waits of each policy'],
      ['cli.md'],
      ['environment.md'],
      ['permissions.md'],
      ['api/index.md', 'API'],
      ['cdk-errors.md', 'Errors at synthesis'],
      ['command-line.md#output-for-programs', 'Output for programs'],
      ['local-reference.md', 'Local runtime'],
      ['architecture.md#what-limits-it', 'Limits'],
    ],
  },
  {
    text: 'Understand',
    items: [
      ['architecture.md'],
      ['protocol.md'],
      ['policies-mathematics.md', 'Mathematics of policies'],
      ['upgrades.md'],
      ['protocol-tests.md'],
      ['glossary.md'],
      ['security.md'],
      ['threat-model.md'],
      ['cost.md'],
      ['benchmarks.md'],
    ],
  },
  {
    text: 'Help',
    items: [['troubleshooting.md'], ['faq.md'], ['comparison.md', 'When to take what']],
  },
  { text: 'Project', items: [['changelog.md', 'Changes'], ['contributing.md']] },
];

export const EXAMPLES: SidebarGroup['items'] = [
  ['examples/starter.md', 'Starter'],
  ['examples/outbox.md', 'Outbox'],
  ['examples/signed-webhooks.md', 'Signed webhooks'],
  ['examples/erp-poller.md', 'ERP poller'],
  ['examples/erp-at-night.md', 'ERP at night'],
  ['examples/from-sqs.md', 'From SQS'],
  ['examples/two-regions.md', 'Two regions'],
  ['examples/fargate.md', 'Fargate'],
  ['examples/python-producer.md', 'Python producer'],
  ['examples/api-producer.md', 'API as producer'],
];

/** Each page once, from the first to the last: an entry that leads to a heading is no page of its own. */
export const READING_ORDER: SidebarGroup['items'] = [
  ...GROUPS.flatMap(({ items }) => items),
  ...EXAMPLES,
].filter(([page], i, all) => !page.includes('#') && all.findIndex(([one]) => one === page) === i);
