import { test } from 'vitest';
import { violationsOf } from './violations.js';
test('x', async () => { console.log((await violationsOf(Number(process.env.FROM), {})).join('\n')); }, 600_000);
