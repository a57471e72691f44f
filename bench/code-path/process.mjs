// One record, from its insertion to SUCCESS, through the built functions as Lambda calls them; in a process of its own,
// so that V8 counts nothing else. Prints the functions of this package that ran, as JSON.
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { marshall } from '@aws-sdk/util-dynamodb';

const { way, endpoint, tables, folder } = JSON.parse(process.argv[2]);
const load = (file) => import(pathToFileURL(join(folder, file)).href);

// The modules keep it as they find it.
const realNow = Date.now;
let ahead = 0;
Date.now = () => realNow() + ahead;

/** Takes the intake's requests to start a function. */
const started = [];
const lambda = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  started.push(JSON.parse(Buffer.concat(chunks).toString()));
  response.writeHead(202).end();
});
await new Promise((resolve) => lambda.listen(0, '127.0.0.1', resolve));

Object.assign(process.env, {
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_ENDPOINT_URL_LAMBDA: `http://127.0.0.1:${lambda.address().port}`,
  BACKLOG_TABLE: tables.records,
  BACKLOG_CONTROL_TABLE: tables.control,
  BACKLOG_FUNCTION_TIMEOUT_SECONDS: '300',
  BACKLOG_QUEUES: JSON.stringify({ default: { retryMode: 'perRecord' } }),
  BACKLOG_ARRIVAL_FUNCTIONS: JSON.stringify({ attempts: ['default'] }),
  BACKLOG_REDELIVERY_URL: 'http://127.0.0.1:1/redelivery',
  POWERTOOLS_LOG_LEVEL: 'ERROR',
});

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

const { BacklogClient } = await load('src/index.js');
const { backlogHandler } = await load('functions/index.js');
const { intakeHandler } = await load('functions/intake/intake-handler.js');
const { DynamoDBDocumentClient, GetCommand } = await import('@aws-sdk/lib-dynamodb');
const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
const documents = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }));
const read = async (id) =>
  (await documents.send(new GetCommand({ TableName: tables.records, Key: { id } }))).Item;

let failures = 0;
const attempts = backlogHandler({
  process() {
    if (failures-- > 0) throw new Error('a test');
  },
});
const intake = intakeHandler();
const client = new BacklogClient({ table: tables.records });
const context = { awsRequestId: 'a', functionName: 'attempts', getRemainingTimeInMillis: () => 300_000 };

async function work(id) {
  failures = way === 'retried' ? 1 : 0;
  await client.insert({ id, payload: { n: 1 } });
  const image = marshall(await read(id));
  await intake(
    {
      Records: [
        {
          eventID: '1',
          eventName: 'INSERT',
          eventSource: 'aws:dynamodb',
          dynamodb: { SequenceNumber: '1', Keys: { id: image.id }, NewImage: image },
        },
      ],
    },
    context,
  );
  await attempts(started.shift(), context);
  if (way === 'retried') {
    // The failure has indexed it. Its rule finds it once it is due.
    ahead += Math.max(0, Date.parse((await read(id)).dueAt) - Date.now()) + 1_000;
    await attempts({ queue: 'default' }, context);
  }
  const { status } = await read(id);
  if (status !== 'SUCCESS') throw new Error(`expected SUCCESS, got ${status}`);
}

// The first one starts the functions: what they do once per sandbox is not the way of a record.
await work('first');
await session.post('Profiler.takePreciseCoverage');
await work('measured');
const { result } = await session.post('Profiler.takePreciseCoverage');
const ran = result.flatMap(({ url, functions }) => {
  if (!url.startsWith(pathToFileURL(folder).href)) return [];
  const file = fileURLToPath(url)
    .slice(folder.length + 1)
    .replace(/\.js$/, '.ts');
  return functions
    .filter(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0)
    .map(({ functionName, ranges }) => ({ file, name: functionName, calls: ranges[0].count }));
});
// Behind the metrics of the run.
process.stdout.write(`\n${JSON.stringify(ran)}`);
documents.destroy();
lambda.close();
process.exit();
