import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { secretsFile } from '../../tools/src/local/secrets-file.js';

let file: string;
beforeEach(async () => {
  file = join(await mkdtemp(join(tmpdir(), 'backlog-secrets-')), 'secrets.json');
});

const ARN = 'arn:aws:secretsmanager:eu-central-1:111111111111:secret:';

describe('the secrets of the local runtime', () => {
  it('are found by name, by ARN, and by what an ARN calls them', async () => {
    const whole = `${ARN}exact-AbCdEf`;
    await writeFile(file, JSON.stringify({ 'shop/webhooks': 'a', '/erp/token': 'b', [whole]: 'c' }));
    const find = await secretsFile(file);
    expect(await find('shop/webhooks')).toBe('a');
    expect(await find('/erp/token')).toBe('b');
    expect(await find(`${ARN}shop/webhooks-Ab12Cd`)).toBe('a');
    expect(await find(`${ARN}shop/webhooks`)).toBe('a');
    expect(await find(whole)).toBe('c');
    expect(await find('shop')).toBeUndefined();
    expect(await find('toString')).toBeUndefined();
  });

  it('may be objects, whose JSON is the text', async () => {
    await writeFile(file, JSON.stringify({ erp: { user: 'shop', token: 't' } }));
    expect(await (await secretsFile(file))('erp')).toBe('{"user":"shop","token":"t"}');
  });

  it('are read again when they are asked for', async () => {
    await writeFile(file, '{"a":"old"}');
    const find = await secretsFile(file);
    await writeFile(file, '{"a":"new"}');
    expect(await find('a')).toBe('new');
  });

  it('are none without a file', async () => {
    expect(await (await secretsFile(undefined))('a')).toBeUndefined();
  });

  it.each([
    ['a file that is not there', undefined, /^--secrets: .*secrets\.json cannot be read \(ENOENT\)$/],
    ['no JSON', '{"a": whsec_secret', /^--secrets: expected a JSON object of names and texts in /],
    ['a list', '["whsec_secret"]', /^--secrets: expected a JSON object of names and texts in /],
    ['a number', '{"a": 7}', /^--secrets: expected a JSON object of names and texts in /],
  ])('of %s are an error that shows none of them', async (_, content, message) => {
    if (content !== undefined) await writeFile(file, content);
    const error = await secretsFile(file).catch((reason: Error) => reason);
    expect(error).toMatchObject({ name: 'ConfigurationError', message: expect.stringMatching(message) });
    expect((error as Error).message).not.toContain('whsec_secret');
  });
});
