/**
 * The error of an installation without aws-cdk-lib, such as one that only inserts records: the app then says what is
 * missing, without a stack trace.
 */
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
