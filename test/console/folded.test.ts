import { describe, expect, it } from 'vitest';
import type { ConsoleDeps } from '../../tools/src/console/deps.js';
import { consoleUnderTest, dead, get, waiting } from './console-under-test.js';

/** A console with so many queues, `q01` and on. */
function consoleOf(queues: number, changes: Partial<ConsoleDeps> = {}) {
  const names = Array.from({ length: queues }, (_, i) => `q${String(i + 1).padStart(2, '0')}`);
  return consoleUnderTest({ queues: () => names.map((name) => ({ name })), ...changes });
}
function rowsOf(text: string, table: string) {
  const [rows = ''] = (text.split(`class="${table}`)[1] ?? '').split('</table>');
  return [...rows.matchAll(/<tr data-key="([^"]+)"/g)].map(([, name]) => name);
}

describe('queues with nothing wrong', () => {
  it.each([2, 6])('are all shown in full where there are few: %i', async (queues) => {
    const { app } = consoleOf(queues);
    const { text } = await get(app, '/');
    expect(text).not.toContain('<details');
    expect(rowsOf(text, 'queues')).toHaveLength(queues);
  });

  it('are folded, by name, where there are many; those with something wrong are not', async () => {
    const { app, store } = consoleOf(9);
    await store.queues.setPaused('q03', true);
    store.put(dead('d', { queue: 'q05', lane: 'q05/dead' }));
    store.put(waiting('w', { queue: 'q09', lane: 'q09' }));
    const { text } = await get(app, '/');
    expect(rowsOf(text, 'queues')).toEqual(['q03', 'q05']);
    expect(rowsOf(text, 'lines')).toEqual(['q01', 'q02', 'q04', 'q06', 'q07', 'q08', 'q09']);
    expect(text).toMatch(/<details class="fold" data-key="folded"><summary>/);
    expect(text).toContain('7 queues with nothing known to be wrong');
    expect(text).toContain('1 record waits, on time');
    expect(text).not.toMatch(/class="mark ok"><svg[^>]*>.*?<\/svg><span><b>/);
  });

  it('are not folded if they are only two', async () => {
    const { app, store } = consoleOf(7);
    for (const name of ['q01', 'q02', 'q03', 'q04', 'q05']) await store.queues.setPaused(name, true);
    expect((await get(app, '/')).text).not.toContain('<details');
  });

  it('are unfolded if there are no others', async () => {
    const { app } = consoleOf(7);
    const { text } = await get(app, '/');
    expect(text).toMatch(/<details class="fold" data-key="folded" open="">/);
    expect(rowsOf(text, 'queues')).toEqual([]);
    expect(rowsOf(text, 'lines')).toHaveLength(7);
  });
});
