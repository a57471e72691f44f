// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are CloudFormation's
import { describe, expect, it } from 'vitest';
import { readAssembly } from '../../../tools/src/local/template/assembly.js';
import { hasFunctionUrls } from '../../../tools/src/local/template/function-url.js';
import { readApp } from '../../../tools/src/local/template/template.js';
import { functionResource, writeAssembly } from '../assembly-fixture.js';

const BASE = 'http://127.0.0.1:8090/';

const withFunction = (properties: object = {}) => ({
  ...functionResource,
  Properties: { ...functionResource.Properties, ...properties },
});
const url = (properties: object = {}) => ({
  Type: 'AWS::Lambda::Url',
  Properties: {
    TargetFunctionArn: { 'Fn::GetAtt': ['Approve12345678', 'Arn'] },
    AuthType: 'NONE',
    ...properties,
  },
});
const secret = (GenerateSecretString: unknown, properties: object = {}) => ({
  Type: 'AWS::SecretsManager::Secret',
  Properties: { GenerateSecretString, ...properties },
});
const resources = (changes: Record<string, unknown> = {}) => ({
  Approve12345678: functionResource,
  ApproveUrl: url(),
  Worker11112222: withFunction({
    Environment: {
      Variables: {
        LINK: { 'Fn::GetAtt': ['ApproveUrl', 'FunctionUrl'] },
        TEXT: { 'Fn::Sub': 'at ${ApproveUrl.FunctionUrl}' },
      },
    },
  }),
  ...changes,
});
async function read(changes: Record<string, unknown> = {}, base: string | undefined = BASE) {
  const stacks = await readAssembly(await writeAssembly(resources(changes)));
  return { stacks, app: readApp(stacks, base) };
}
const environmentOf = ({ app }: Awaited<ReturnType<typeof read>>) =>
  app.functions.find(({ name }) => name === 'Worker')?.environment;

describe('the function URLs of a synthesized app', () => {
  it('are below the URL of the server, and functions have them as values', async () => {
    const found = await read();
    expect(found.app.functionUrls).toEqual([{ functionName: 'Approve', url: `${BASE}Approve/` }]);
    expect(found.app.functions.map(({ name }) => name).sort()).toEqual(['Approve', 'Worker']);
    expect(environmentOf(found)).toEqual({ LINK: `${BASE}Approve/`, TEXT: `at ${BASE}Approve/` });
    expect(hasFunctionUrls(found.stacks)).toBe(true);
  });

  it('may be of an alias, and of a function with a name of its own', async () => {
    const { app } = await read({
      Approve12345678: withFunction({ FunctionName: 'shop-approve' }),
      Live: { Type: 'AWS::Lambda::Alias', Properties: { FunctionName: { Ref: 'Approve12345678' } } },
      ApproveUrl: url({ TargetFunctionArn: { Ref: 'Live' }, Qualifier: 'live' }),
    });
    expect(app.functionUrls).toEqual([{ functionName: 'shop-approve', url: `${BASE}shop-approve/` }]);
  });

  it.each([
    ['that only signed requests may use', { ApproveUrl: url({ AuthType: 'AWS_IAM' }) }],
    ['without an AuthType', { ApproveUrl: url({ AuthType: undefined }) }],
    ['that streams its answers', { ApproveUrl: url({ InvokeMode: 'RESPONSE_STREAM' }) }],
    [
      'of a function elsewhere',
      { ApproveUrl: url({ TargetFunctionArn: 'arn:aws:lambda:eu-west-1:1:function:x' }) },
    ],
    ['of a resource that is no function', { ApproveUrl: url({ TargetFunctionArn: { Ref: 'Topic' } }) }],
    ['of another language', { Approve12345678: withFunction({ Runtime: 'python3.13' }) }],
    ['of inline code', { Approve12345678: withFunction({ Code: { ZipFile: 'x' } }) }],
  ])('are not one %s', async (_, changes) => {
    const found = await read(changes);
    expect(found.app.functionUrls).toEqual([]);
    expect(found.app.functions.map(({ name }) => name)).toEqual(['Worker']);
    // It is named in an error message of the function, and nowhere used.
    expect(environmentOf(found)?.LINK).toBe('ApproveUrl.FunctionUrl');
  });

  it('are none where nothing serves them', async () => {
    const stacks = await readAssembly(await writeAssembly(resources()));
    expect(readApp(stacks).functionUrls).toEqual([]);
    expect(hasFunctionUrls(await readAssembly(await writeAssembly()))).toBe(false);
  });

  it('are known in other stacks of the app', async () => {
    const [shop] = await readAssembly(
      await writeAssembly({
        Worker11112222: withFunction({
          Environment: { Variables: { LINK: { 'Fn::ImportValue': 'Web:Url' } } },
        }),
      }),
    );
    if (!shop) throw new Error('expected a stack');
    const template = {
      Resources: { Approve12345678: withFunction({ Environment: undefined }), ApproveUrl: url() },
      Outputs: {
        Out: { Value: { 'Fn::GetAtt': ['ApproveUrl', 'FunctionUrl'] }, Export: { Name: 'Web:Url' } },
      },
    };
    const app = readApp([shop, { ...shop, name: 'Web', template }], BASE);
    expect(app.functions.find(({ name }) => name === 'Worker')?.environment.LINK).toBe(`${BASE}Approve/`);
  });
});

describe('the secrets of a synthesized app', () => {
  const secretsOf = async (resource: unknown) => (await read({ Signing12345678: resource })).app.secrets;

  it('are those whose value Secrets Manager makes up, of 32 characters of all kinds', async () => {
    const [found, ...rest] = await secretsOf(secret({}));
    expect(rest).toEqual([]);
    expect(found).toMatchObject({ name: 'Signing', length: 32 });
    expect([...(found?.characters ?? '')].sort().join('')).toBe(
      Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).join(''),
    );
  });

  it('follow the options that say of what they are', async () => {
    expect(
      await secretsOf(
        secret(
          {
            PasswordLength: 64,
            ExcludePunctuation: true,
            ExcludeUppercase: 'true',
            ExcludeNumbers: false,
            ExcludeCharacters: 'abc0',
            IncludeSpace: true,
          },
          { Name: 'shop/signing' },
        ),
      ),
    ).toEqual([{ name: 'shop/signing', length: 64, characters: 'defghijklmnopqrstuvwxyz123456789 ' }]);
  });

  it('may be one key of an object', async () => {
    const [found] = await secretsOf(
      secret({ SecretStringTemplate: '{"user":"shop"}', GenerateStringKey: 'password' }),
    );
    expect(found?.field).toEqual({ of: { user: 'shop' }, key: 'password' });
  });

  it('are no others', async () => {
    expect(
      await secretsOf({ Type: 'AWS::SecretsManager::Secret', Properties: { SecretString: 'x' } }),
    ).toEqual([]);
    expect(await secretsOf({ Type: 'AWS::SNS::Topic', Properties: { GenerateSecretString: {} } })).toEqual(
      [],
    );
  });

  it.each([
    [{ PasswordLength: 0 }, 'PasswordLength'],
    [{ PasswordLength: 5000 }, 'PasswordLength'],
    [{ PasswordLength: 'long' }, 'PasswordLength'],
    [{ ExcludePunctuation: 'perhaps' }, 'ExcludePunctuation'],
    ['all', 'GenerateSecretString'],
    [
      { ExcludePunctuation: true, ExcludeUppercase: true, ExcludeLowercase: true, ExcludeNumbers: true },
      'expected characters to choose from, got none',
    ],
    [
      { SecretStringTemplate: '{"user":"hidden"}' },
      'expected SecretStringTemplate and GenerateStringKey together',
    ],
    [{ GenerateStringKey: 'password' }, 'expected SecretStringTemplate and GenerateStringKey together'],
    [
      { SecretStringTemplate: '{"user": hidden', GenerateStringKey: 'password' },
      'SecretStringTemplate: expected a JSON object',
    ],
    [
      { SecretStringTemplate: '["hidden"]', GenerateStringKey: 'password' },
      'SecretStringTemplate: expected a JSON object',
    ],
  ])('are refused for %j, naming the resource', async (options, problem) => {
    const error = await secretsOf(secret(options)).catch((reason: Error) => reason);
    expect(error).toMatchObject({ name: 'ConfigurationError' });
    const { message } = error as Error;
    expect(message).toMatch(/^Signing12345678\.GenerateSecretString/);
    expect(message).toContain(problem);
    expect(message).not.toContain('hidden');
  });
});
