import { Duration } from 'aws-cdk-lib';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { type FunctionUrl, FunctionUrlAuthType, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { CompletionUrlProps } from '../props/completion-url-props.js';
import { grantChange } from '../tables/table-grants.js';
import { builtIn } from './bundles.js';
import { type CommonSettings, type LinkSettings, ownRoleAndLogs } from './function-settings.js';
import { acknowledgeCompletionUrl } from './nag.js';

/** Time for a read and a write, with their tries. */
const TIMEOUT = Duration.seconds(15);
const SECRET_VARIABLE = 'BACKLOG_COMPLETION_SECRET';

/** The links that end attempts: what serves them, and what signs them. */
export interface CompletionLinks extends LinkSettings {
  readonly lambda: LambdaFunction;
  readonly url: FunctionUrl;
}

/**
 * The function at which links end attempts, with its URL and the secret that signs. The URL is public, and the signature is what lets a
 * request in: the mail and the browser of a person have no rights of AWS.
 */
export function addCompletionUrl(
  scope: Construct,
  id: string,
  { reservedConcurrentExecutions: reserved }: CompletionUrlProps,
  settings: CommonSettings,
): CompletionLinks {
  const { tables, encryptionKey } = settings;
  const inner = new Construct(scope, id);
  const secret = new Secret(inner, 'Secret', {
    description: 'Signs the links that end attempts of the backlog',
    generateSecretString: { passwordLength: 64, excludePunctuation: true },
    ...(encryptionKey && { encryptionKey }),
  });
  const ofSecret = { [SECRET_VARIABLE]: secret.secretArn };
  const lambda = new LambdaFunction(inner, 'Function', {
    ...ownRoleAndLogs(inner, [], { ...settings, timeout: TIMEOUT }, ofSecret),
    description: 'Ends attempts of the backlog by signed links',
    ...builtIn('completion-url'),
    ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
  });
  grantChange(lambda, tables.records);
  // Links of the secret before a rotation are valid still.
  secret.grantRead(lambda, ['AWSCURRENT', 'AWSPREVIOUS']);
  acknowledgeCompletionUrl(lambda, secret, settings);
  const url = lambda.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
  return { lambda, url, secret, variables: { BACKLOG_COMPLETION_URL: url.url, ...ofSecret } };
}

/** Grants what signs a link. */
export function grantSign(grantee: IGrantable, secret: Secret): Grant {
  return secret.grantRead(grantee, ['AWSCURRENT']);
}
