import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { COMMAND, noisyCustomerPicture } from '../../scripts/noisy-customer-picture.js';

it('the picture of the tutorial is what the command that it shows comes to', async () => {
  expect(await readFile('docs/tutorials/noisy-customer.md', 'utf8')).toContain(`\nnpx ${COMMAND}\n`);
  for (const [theme, svg] of Object.entries(await noisyCustomerPicture()))
    expect(svg, theme).toBe(await readFile(`docs/images/noisy-customer-${theme}.svg`, 'utf8'));
}, 600_000);
