import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { backlog } from './in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'backlog-chart-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);

const SMALL = ['--records', '20', '--outage', '0s-10m'];

describe('--chart', () => {
  it('writes an SVG beside the table, and says so', async () => {
    const { code, out, err } = await backlog(
      'policy',
      'fibonacci',
      '--chart',
      at('a.svg'),
      '--attempts',
      '2',
    );
    expect(code).toBe(0);
    expect(out).toContain('FAILURE');
    expect(err).toBe(`wrote ${at('a.svg')}`);
    const svg = readFileSync(at('a.svg'), 'utf8');
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    // The curves go to 20 failures, whatever the table shows.
    expect(svg.match(/<circle r="3.6"/g)).toHaveLength(20);
  });

  it('leaves the JSON as it is', async () => {
    const { out } = await backlog('simulate', ...SMALL, '--chart', at('b.svg'), '--json');
    expect(out).toBe((await backlog('simulate', ...SMALL, '--json')).out);
    expect(readFileSync(at('b.svg'), 'utf8')).toContain('attempts per minute');
  });

  it('draws several policies of a simulation on the same time line', async () => {
    await backlog('simulate', ...SMALL, '--compare', 'constant', '--chart', at('c.html'));
    const page = readFileSync(at('c.html'), 'utf8');
    expect(page).toContain('>fibonacci</text>');
    expect(page).toContain('>constant</text>');
    expect(page).toContain('<td>wasted attempts</td>');
  });

  it.each([['a.pdf'], ['svg'], ['a.svg.txt']])('to %s is refused before anything is done', async (file) => {
    const { error, out, err } = await backlog('simulate', ...SMALL, '--chart', at(file));
    expect(error).toMatchObject({ name: 'CommanderError' });
    expect(out).toBe('');
    expect(err).toMatch(/--chart <file>.*Expected a file that ends in \.svg, \.html or \.png/s);
  });

  it('to a folder that is not there is an error before anything is played', async () => {
    const file = join(folder, 'nowhere', 'a.svg');
    const { code, out, err } = await backlog('simulate', ...SMALL, '--chart', file);
    expect([code, out]).toEqual([2, '']);
    expect(err).toBe(`error: --chart: ${JSON.stringify(file)}: there is no such folder`);
  });
});
