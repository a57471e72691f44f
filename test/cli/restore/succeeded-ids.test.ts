import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSucceededIds } from '../../../tools/src/cli/restore/succeeded-ids.js';

describe('a file of ids that have succeeded', () => {
  it.each([
    ['UTF-16, as PowerShell writes it', Buffer.from('\uFEFForder-1\r\norder-2\r\n', 'utf16le')],
    ['ISO-8859-1', Buffer.from('order-1\nbestellung-für-2\n', 'latin1')],
  ])('is refused in %s: its ids would match no record', async (_, bytes) => {
    const file = join(await mkdtemp(join(tmpdir(), 'backlog-ids-')), 'ids.txt');
    await writeFile(file, bytes);
    await expect(readSucceededIds(file)).rejects.toThrow(/--succeeded-ids: .*line \d is not in UTF-8/);
  });
});
