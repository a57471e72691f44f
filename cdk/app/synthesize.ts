import { App, Validations } from 'aws-cdk-lib';
import { ConfigurationError } from '../../src/support/errors.js';
import { BacklogStack, readDeliverTo, readMinimal, readTrigger } from './backlog-stack.js';
import { CONTEXT } from './context.js';

const app = new App({ context: CONTEXT, analyticsReporting: false });
try {
  new BacklogStack(app, 'DynamoBacklog', {
    deliverTo: readDeliverTo(app.node.tryGetContext('deliverTo')),
    trigger: readTrigger(app.node.tryGetContext('trigger')),
    minimal: readMinimal(app.node.tryGetContext('minimal')),
  });
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
// The CDK's own switch, which the local runtime uses: it need not wait for what only a deployment must know.
if (process.env.CDK_VALIDATION !== 'false') await addBestPractices(app);
app.synth();

/** cdk-nag is there in the repository, not for those who installed the package. */
async function addBestPractices(app: App): Promise<void> {
  const nag = await import('cdk-nag').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  });
  if (nag) Validations.of(app).addPlugins(new nag.AwsSolutionsChecks(app), new nag.ServerlessChecks(app));
}
