import { App, Validations } from 'aws-cdk-lib';
import { BacklogStack, readDeliverTo } from './backlog-stack.js';
import { FEATURE_FLAGS } from './feature-flags.js';

const app = new App({ context: FEATURE_FLAGS, analyticsReporting: false });
new BacklogStack(app, 'DynamoBacklog', { deliverTo: readDeliverTo(app.node.tryGetContext('deliverTo')) });
await checkBestPractices();
app.synth();

/** cdk-nag is there in the repository, not for those who installed the package. */
async function checkBestPractices(): Promise<void> {
  const nag = await import('cdk-nag').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  });
  if (nag) Validations.of(app).addPlugins(new nag.AwsSolutionsChecks(app));
}
