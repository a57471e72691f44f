import { Stack } from 'aws-cdk-lib';
import { type ILogGroup, LogGroup, QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

/** Logs Insights searches so many log groups in one query. */
const MAX_LOG_GROUPS = 50;

/** Queries of what the functions write, by the messages of their lines: docs/logs.md. */
const QUERIES: readonly (readonly [
  id: string,
  name: string,
  query: ConstructorParameters<typeof QueryString>[0],
])[] = [
  [
    'FailuresByError',
    'failed attempts by error',
    {
      filterStatements: ['message in ["attempt failed", "more attempts failed"]'],
      // Beyond a hundred in a run, one line stands for all failures of a class.
      fields: ['coalesce(failures, 1) as attempts'],
      statsStatements: [
        'sum(attempts) as failed, count_distinct(id) as records, max(@timestamp) as newest by queue, error',
      ],
      sort: 'failed desc',
      limit: 100,
    },
  ],
  [
    'FailuresOfRecord',
    'failures of a record or a trace (put in its id)',
    {
      filterStatements: ['id = "ORDER-7" or traceId = "TRACE-ID"'],
      fields: [
        '@timestamp',
        'level',
        'message',
        'id',
        'queue',
        'attempt',
        'error',
        'reason',
        'deadReason',
        'nextAt',
      ],
      sort: '@timestamp desc',
      limit: 1_000,
    },
  ],
  [
    'DeadRecords',
    'dead, refused and quarantined records',
    {
      filterStatements: ['status = "DEAD" or message like "quarantined"'],
      fields: ['@timestamp', 'message', 'id', 'queue', 'error', 'deadReason', 'reason'],
      sort: '@timestamp desc',
      limit: 1_000,
    },
  ],
  [
    'EarlyEnds',
    'runs that failed or ended early',
    {
      filterStatements: ['message = "run failed" or (message = "run" and ended != "drained")'],
      fields: [
        '@timestamp',
        'queue',
        'tier',
        'ended',
        'trouble',
        'attempted',
        'leftOver',
        'durationMs',
        'error.message',
      ],
      sort: '@timestamp desc',
      limit: 1_000,
    },
  ],
  [
    'SlowestRuns',
    'slowest runs',
    {
      filterStatements: ['message = "run"'],
      fields: ['@timestamp', 'queue', 'tier', 'durationMs', 'attempted', 'failed', 'lagSeconds', 'ended'],
      sort: 'durationMs desc',
      limit: 50,
    },
  ],
];

/**
 * Saves queries of CloudWatch Logs Insights over the log groups of the functions that the construct has made, whether the groups
 * are new or `given`. They cost
 * nothing until one of them is run.
 */
export function addLogQueries(backlog: Construct, given: readonly ILogGroup[]): void {
  const scope = new Construct(backlog, 'LogQueries');
  const made = backlog.node
    .findAll()
    .filter((construct): construct is LogGroup => construct instanceof LogGroup);
  const logGroups = [...new Set([...made, ...given])].slice(0, MAX_LOG_GROUPS);
  // The log group of a function of the user's own is not known here.
  if (logGroups.length === 0) return;
  const { stackName } = Stack.of(backlog);
  for (const [id, name, query] of QUERIES) {
    new QueryDefinition(scope, id, {
      // Up to a slash, a name is a folder in the console.
      queryDefinitionName: `${stackName}/${backlog.node.id}/${name}`,
      queryString: new QueryString(query),
      logGroups,
    });
  }
}
