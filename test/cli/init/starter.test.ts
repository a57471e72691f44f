import { vi } from 'vitest';

// The app that `backlog init` writes imports the package by its name; here that is the source, not what was built last.
vi.mock('dynamo-backlog', () => import('../../../src/index.js'));
vi.mock('dynamo-backlog/lambda', () => import('../../../functions/index.js'));
vi.mock('dynamo-backlog/testing', () => import('../../../src/testing/index.js'));

await import('../../../examples/starter/test/orders.test.js');
