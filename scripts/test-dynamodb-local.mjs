/** Runs the tests of test/dynamodb-local on DynamoDB Local. Arguments are passed on to vitest. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDynamoDbLocal } from './dynamodb-local.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function main() {
  const database = await startDynamoDbLocal();
  process.once('SIGINT', database.kill).once('SIGTERM', database.kill);
  try {
    return await runVitest(database.endpoint);
  } finally {
    await database.stop();
  }
}

function runVitest(endpoint) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const config = ['--config', 'vitest.dynamodb-local.config.ts'];
  const tests = spawn(process.execPath, [vitest, 'run', ...config, ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, BACKLOG_TEST_DYNAMODB_ENDPOINT: endpoint },
  });
  return new Promise((resolve) => tests.once('exit', (code) => resolve(code ?? 1)));
}
