import { chmod, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { GeneratedSecrets } from '../../tools/src/local/generated-secrets.js';

const SIGNING = { name: 'shop/signing', length: 64, characters: 'ab' };
let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backlog-generated-'));
  file = join(folder, 'secrets.json');
});

async function prepared(dataDir: string | undefined, secrets = [SIGNING]) {
  const generated = await GeneratedSecrets.open(dataDir);
  await generated.prepare(secrets);
  return generated;
}

describe('secrets whose values are made up', () => {
  it('are random, of the length and the characters of their template', async () => {
    const [one, other] = await Promise.all([prepared(undefined), prepared(undefined)]);
    const value = await one.find('shop/signing');
    expect(value).toMatch(/^[ab]{64}$/);
    expect(await other.find('shop/signing')).not.toBe(value);
    expect(await one.find('shop')).toBeUndefined();
    expect(await one.find('toString')).toBeUndefined();
  });

  it('are found by ARNs, too', async () => {
    const generated = await prepared(undefined);
    const arn = 'arn:aws:secretsmanager:eu-central-1:111111111111:secret:shop/signing-Ab12Cd';
    expect(await generated.find(arn)).toBe(await generated.find('shop/signing'));
  });

  it('may be one key of an object', async () => {
    const field = { of: { user: 'shop' }, key: 'password' };
    const generated = await prepared(undefined, [{ ...SIGNING, field } as typeof SIGNING]);
    const value: unknown = JSON.parse((await generated.find('shop/signing')) ?? '');
    expect(value).toEqual({ user: 'shop', password: expect.stringMatching(/^[ab]{64}$/) });
  });

  it('stay the same in a data folder, also when the app gets another one', async () => {
    const value = await (await prepared(folder)).find('shop/signing');
    const later = await prepared(folder, [SIGNING, { ...SIGNING, name: 'other' }]);
    expect(await later.find('shop/signing')).toBe(value);
    const latest = await prepared(folder, []);
    expect(await latest.find('shop/signing')).toBe(value);
    expect(await latest.find('other')).toBe(await later.find('other'));
  });

  it.skipIf(process.platform === 'win32')(
    'are for this user alone, also in a file that was readable',
    async () => {
      await writeFile(file, '{}', { mode: 0o644 });
      await prepared(folder);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    },
  );

  it('need no file where the app has none', async () => {
    await prepared(folder, []);
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it.each(['{"shop/signing": "hidden', '["hidden"]', '{"shop/signing": 7}', ''])(
    'are not replaced if their file is damaged: %s',
    async (content) => {
      await writeFile(file, content);
      const error = await prepared(folder).catch((reason: Error) => reason);
      expect(error).toMatchObject({ name: 'ConfigurationError', message: expect.stringContaining(file) });
      expect((error as Error).message).not.toContain('hidden');
      expect(await readFile(file, 'utf8')).toBe(content);
    },
  );

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'end the start if their folder cannot be written (as root, every folder can be)',
    async () => {
      await chmod(folder, 0o500);
      await expect(prepared(folder)).rejects.toThrow('this user may not write to it');
    },
  );
});
