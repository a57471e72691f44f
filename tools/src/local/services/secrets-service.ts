import * as z from 'zod';
import type { LocalApp } from '../local-server.js';
import type { FindSecret } from '../secrets-file.js';

const secretSchema = z.object({
  SecretId: z.string().min(1),
  VersionStage: z.string().default('AWSCURRENT'),
});
const parameterSchema = z.object({ Name: z.string().min(1) });

/** The part of the APIs of Secrets Manager and of SSM's Parameter Store by which functions read secrets. */
export function serveSecrets(app: LocalApp, path: string, find: FindSecret): void {
  app.on('POST', [path, `${path}/`], async (context) => {
    const input: unknown = await context.req.json().catch(() => undefined);
    const answer = await answerTo(context.req.header('x-amz-target'), input, find);
    return context.body(JSON.stringify(answer), '__type' in answer ? 400 : 200, {
      'content-type': 'application/x-amz-json-1.1',
    });
  });
}

async function answerTo(target: string | undefined, input: unknown, find: FindSecret): Promise<object> {
  switch (target) {
    case 'secretsmanager.GetSecretValue': {
      const { success, data } = secretSchema.safeParse(input);
      if (!success) return refusal('ValidationException', 'expected a SecretId');
      const { SecretId: id, VersionStage: stage } = data;
      // One version of each is all that the file has.
      const value = stage === 'AWSCURRENT' ? await find(id) : undefined;
      if (value === undefined) return refusal('ResourceNotFoundException', missing(`secret ${id}`));
      return { ARN: id, Name: id, SecretString: value, VersionId: 'local', VersionStages: [stage] };
    }
    case 'AmazonSSM.GetParameter': {
      const { success, data } = parameterSchema.safeParse(input);
      if (!success) return refusal('ValidationException', 'expected a Name');
      const value = await find(data.Name);
      if (value === undefined) return refusal('ParameterNotFound', missing(`parameter ${data.Name}`));
      return { Parameter: { Name: data.Name, Type: 'SecureString', Value: value, Version: 1 } };
    }
    default:
      return refusal(
        'UnknownOperationException',
        'the local runtime takes GetSecretValue and GetParameter only',
      );
  }
}

function refusal(type: string, message: string) {
  return { __type: type, message };
}

function missing(what: string): string {
  return `the local runtime has no ${what}: give it one by --secrets FILE`;
}
