import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
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

  it('has the colors of --theme, or those that the viewer prefers', async () => {
    const drawn = async (...flags: string[]) => {
      await backlog('policy', 'constant', '--chart', at('d.svg'), ...flags);
      return readFileSync(at('d.svg'), 'utf8');
    };
    expect(await drawn()).toContain('prefers-color-scheme:dark');
    expect(await drawn('--theme', 'auto')).toBe(await drawn());
    expect(await drawn('--theme', 'dark')).toMatch(/^(?!.*prefers).*fill="#0d1117"/s);
    expect(await drawn('--theme', 'light')).toMatch(/^(?!.*prefers).*fill="#ffffff"/s);
    await backlog('simulate', ...SMALL, '--chart', at('d.html'), '--theme', 'dark');
    expect(readFileSync(at('d.html'), 'utf8')).toContain('color-scheme: dark;');
  });

  it('--theme is refused if there is no such theme, no picture, or no viewer to prefer one', async () => {
    const purple = await backlog('policy', 'constant', '--chart', at('e.svg'), '--theme', 'purple');
    expect(purple.error).toMatchObject({ name: 'CommanderError' });
    expect(purple.err).toMatch(/'--theme <theme>' argument 'purple' is invalid.*auto, light, dark/);
    for (const command of [
      ['policy', 'constant'],
      ['simulate', ...SMALL],
    ]) {
      const { code, out, err } = await backlog(...command, '--theme', 'dark');
      expect([code, out]).toEqual([2, '']);
      expect(err).toBe('error: --theme: expected --chart FILE beside it');
    }
    const png = await backlog('policy', 'constant', '--chart', at('e.png'), '--theme', 'auto');
    expect([png.code, png.err]).toEqual([2, 'error: --theme: expected light or dark for a PNG, got auto']);
    const text = await backlog('policy', 'constant', '--chart', at('e.txt'), '--theme', 'dark');
    expect(text.err).toContain('Expected a file that ends in .svg, .html or .png');
  });

  it('to a file that cannot be written is an error before anything is played', async () => {
    mkdirSync(at('folder.svg'));
    const { code, out, err } = await backlog('simulate', ...SMALL, '--chart', at('folder.svg'));
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('--chart: expected a file, got the folder');
  });

  it.runIf(existsSync('/dev/full'))('to a full disk is an error, after the figures', async () => {
    symlinkSync('/dev/full', at('full.svg'));
    const { code, out, err } = await backlog('policy', 'constant', '--chart', at('full.svg'));
    expect(code).toBe(2);
    expect(out).toContain('FAILURE');
    expect(err).toBe(`error: --chart: ${JSON.stringify(at('full.svg'))}: it cannot be written (ENOSPC)`);
  });

  it('draws what never happens: no attempt again, and a name that is no markup', async () => {
    expect((await backlog('policy', 'none', '--chart', at('f.svg'))).code).toBe(0);
    expect(readFileSync(at('f.svg'), 'utf8')).toContain('never tried again');
    const hostile = await backlog('policy', '{"type":"<b>&"}', '--chart', at('g.svg'));
    expect(hostile.code).toBe(2);
    await backlog('simulate', '--records', '1', '--failing', '1', '--policy', 'none', '--chart', at('h.svg'));
    expect(readFileSync(at('h.svg'), 'utf8')).not.toMatch(/NaN|Infinity/);
  });
});
