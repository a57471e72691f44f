import { describe, expect, it } from 'vitest';
import { remembered } from '../../functions/secrets/remembered.js';
import type { SecretSource } from '../../functions/secrets/secret-source.js';
import { Secrets, type Stage } from '../../functions/secrets/secrets.js';

const OLD = 'old-secret-0123456789';
const NEW = 'new-secret-0123456789';

/** Secrets as a service has them, which can be changed and be out of reach. */
function vault(versions: Record<string, string | undefined>) {
  const asked: string[] = [];
  const trouble: Error[] = [];
  const state = { now: 0, failure: undefined as unknown };
  const secrets = new Secrets({
    fetch: async ({ secretsManager, parameter }: SecretSource, stage: Stage) => {
      asked.push(`${secretsManager ?? parameter} ${stage}`);
      if (state.failure) throw state.failure;
      return versions[`${secretsManager ?? parameter} ${stage}`];
    },
    now: () => state.now,
    onTrouble: (error) => void trouble.push(error),
  });
  return { secrets, versions, asked, trouble, state };
}

describe('what is remembered', () => {
  it('is asked for once by however many wait, and again after five minutes', async () => {
    let now = 0;
    let loads = 0;
    const read = remembered(async () => ++loads, { now: () => now, onTrouble: () => {} });
    expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
    now = 299_999;
    expect(await read()).toBe(1);
    now = 300_000;
    expect(await Promise.all([read(), read()])).toEqual([2, 2]);
  });

  it('is asked for again after a clock that was set back, as its age is not known', async () => {
    let now = 3 * 86_400_000;
    let loads = 0;
    const read = remembered(async () => ++loads, { now: () => now, onTrouble: () => {} });
    expect(await read()).toBe(1);
    now = 0;
    expect([await read(), await read()]).toEqual([2, 2]);
  });

  it('stays in use where it cannot be read again, which is tried after half a minute', async () => {
    let now = 0;
    const trouble: string[] = [];
    const answers = [() => 'old', fail, fail, () => 'new'];
    const read = remembered(async () => (answers.shift() ?? fail)(), {
      now: () => now,
      onTrouble: ({ message }) => void trouble.push(message),
    });
    const seen: unknown[] = [];
    for (now of [0, 300_000, 310_000, 330_000, 359_999, 360_000]) seen.push(await read());
    expect(seen).toEqual(['old', 'old', 'old', 'old', 'old', 'new']);
    expect(trouble).toEqual(['throttled', 'throttled']);
  });

  it('is an error while it was never read, and is asked for again each time', async () => {
    const answers = [fail, () => 'here'];
    const read = remembered(async () => (answers.shift() ?? fail)(), { now: () => 0, onTrouble: () => {} });
    await expect(read()).rejects.toThrow('throttled');
    expect(await read()).toBe('here');
  });
});

function fail(): never {
  throw new Error('throttled');
}

describe('secrets', () => {
  it('that sign are the current one and the one before', async () => {
    const { secrets } = vault({ 'hooks AWSCURRENT': NEW, 'hooks AWSPREVIOUS': `${OLD}\n` });
    expect(await secrets.signing({ secretsManager: 'hooks' })).toEqual([NEW, `${OLD}\n`]);
  });

  it.each([
    ['nothing', undefined],
    ['a placeholder', 'changeme'],
    ['nothing but white space', ' \n'],
  ])('that were %s before do not sign', async (_, previous) => {
    const { secrets } = vault({ 'hooks AWSCURRENT': NEW, 'hooks AWSPREVIOUS': previous });
    expect(await secrets.signing({ secretsManager: 'hooks' })).toEqual([NEW]);
  });

  it('of a parameter have no previous version', async () => {
    const { secrets, asked } = vault({ '/hooks AWSCURRENT': NEW });
    expect(await secrets.signing({ parameter: '/hooks' })).toEqual([NEW]);
    expect(asked).toEqual(['/hooks AWSCURRENT']);
  });

  it('may be a field of a JSON object, in either version', async () => {
    const { secrets } = vault({
      'hooks AWSCURRENT': JSON.stringify({ key: NEW }),
      'hooks AWSPREVIOUS': JSON.stringify({ key: OLD }),
      'erp AWSCURRENT': '{"token":"t0ken"}',
    });
    expect(await secrets.signing({ secretsManager: 'hooks', field: 'key' })).toEqual([NEW, OLD]);
    const header = { secretsManager: 'erp', field: 'token', prefix: 'Bearer ' };
    expect(await secrets.header(header)).toBe('Bearer t0ken');
  });

  it('are read once for all that use them, and a header does not ask for the previous version', async () => {
    const { secrets, asked } = vault({ 'erp AWSCURRENT': `${NEW}\n` });
    expect(await secrets.header({ secretsManager: 'erp' })).toBe(NEW);
    expect(await secrets.header({ secretsManager: 'erp', prefix: 'Basic ' })).toBe(`Basic ${NEW}`);
    expect(asked).toEqual(['erp AWSCURRENT']);
  });

  it('that change are seen after five minutes, and the previous one still signs', async () => {
    const { secrets, versions, state } = vault({ 'hooks AWSCURRENT': OLD });
    const sign = () => secrets.signing({ secretsManager: 'hooks' });
    expect(await sign()).toEqual([OLD]);
    Object.assign(versions, { 'hooks AWSCURRENT': NEW, 'hooks AWSPREVIOUS': OLD });
    state.now = 299_999;
    expect(await sign()).toEqual([OLD]);
    state.now = 300_000;
    expect(await sign()).toEqual([NEW, OLD]);
  });

  it('that cannot be read say which and why, and go on as they were if they were read before', async () => {
    const { secrets, state, trouble } = vault({ 'hooks AWSCURRENT': OLD });
    const denied = {
      name: 'AccessDeniedException',
      message: 'User: arn:… is not authorized',
      $fault: 'client',
    };
    state.failure = new Error('wrapped', { cause: denied });
    const reason = 'the secret "hooks" cannot be read: AccessDeniedException: User: arn:… is not authorized';
    await expect(secrets.signing({ secretsManager: 'hooks' })).rejects.toMatchObject({
      name: 'SecretError',
      message: reason,
    });
    state.failure = undefined;
    expect(await secrets.signing({ secretsManager: 'hooks' })).toEqual([OLD]);
    state.failure = new Error('wrapped', { cause: denied });
    state.now = 400_000;
    expect(await secrets.signing({ secretsManager: 'hooks' })).toEqual([OLD]);
    expect(trouble.map(({ message }) => message)).toEqual([reason, reason]);
  });

  it.each([
    [new Error('wrapped', { cause: new SyntaxError('Unexpected token w in whsec_secret') }), 'SyntaxError'],
    [new Error('w', { cause: { name: 'TimeoutError', message: 'whsec_secret' } }), 'TimeoutError'],
    [Object.assign(new Error('whsec_secret'), { code: 'ECONNREFUSED' }), 'Error: ECONNREFUSED'],
  ])('shows no text of errors that may quote what was read: %s', async (failure, reason) => {
    const { secrets, state } = vault({});
    state.failure = failure;
    const error = await secrets.header({ parameter: '/erp' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: `the parameter "/erp" cannot be read: ${reason}` });
    expect((error as Error).cause).toBeUndefined();
  });

  it.each([
    [undefined, 'the secret "erp" is empty, or no text'],
    [' \n', 'the secret "erp" is empty, or no text'],
    ['whsec_secret', 'the secret "erp": expected a JSON object with the text "token"'],
    ['null', 'the secret "erp": expected a JSON object with the text "token"'],
    ['{"token":7}', 'the secret "erp": expected a JSON object with the text "token"'],
    ['{"other":"whsec_secret"}', 'the secret "erp": expected a JSON object with the text "token"'],
    ['{"token":""}', 'the secret "erp": expected a JSON object with the text "token"'],
  ])('with a field: %j is an error that does not show it', async (text, message) => {
    const { secrets } = vault({ 'erp AWSCURRENT': text });
    await expect(secrets.header({ secretsManager: 'erp', field: 'token' })).rejects.toThrow(message);
  });
});
