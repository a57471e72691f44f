/** An installation that only inserts records has no aws-cdk-lib: then this says what is missing, without a stack trace. */
const PACKAGES = /^Cannot find package '(aws-cdk-lib|constructs)/;

try {
  await import('./app/synthesize.js');
} catch (error) {
  if (!(error instanceof Error) || !PACKAGES.test(error.message)) throw error;
  process.stderr.write(
    'This needs the packages aws-cdk-lib and constructs: npm install aws-cdk-lib constructs\n',
  );
  process.exit(1);
}
