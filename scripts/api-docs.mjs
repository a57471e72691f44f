// `npm run docs:api` writes the API reference into api-reference/. It fails on any warning, such as one of a public name
// without a docstring. TypeDoc needs the API of TypeScript 6, which is installed beside the compiler.

import { register } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDER = `export function resolve(specifier, context, next) {
  return next(specifier === 'typescript' ? '@typescript/typescript6' : specifier, context);
}`;
register(`data:text/javascript,${encodeURIComponent(OLDER)}`);
const { Application, Comment } = await import('typedoc');

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** The members of the union `RetryPolicy`, which docs/policies.md describes. */
const POLICIES = [
  ...['None', 'Constant', 'Linear', 'Fibonacci', 'Exponential', 'Window', 'Sidekiq', 'Buckets', 'Power'],
  ...['Arctan', 'Sigmoid', 'Saturating', 'List', 'Progressive', 'WorkQueue'],
].map((name) => `${name}Policy`);
/** What users hand on without looking into it. */
const HANDED_ON = [
  ...['PolicyType', 'Jitter', 'WaitRange', 'FormulaWait', 'Failure', 'RetryDecider'],
  ...['Redaction', 'SchemaInput', 'SchemaOutput', 'SchemaResult', 'SkipReason'],
];

const app = await Application.bootstrap({
  name: 'dynamo-backlog',
  entryPoints: [
    'src/index.ts',
    'functions/index.ts',
    'cdk/index.ts',
    'src/engine.ts',
    'src/testing/index.ts',
  ].map((file) => join(ROOT, file)),
  tsconfig: join(ROOT, 'tsconfig.json'),
  out: join(ROOT, 'api-reference'),
  readme: 'none',
  includeVersion: true,
  disableGit: true,
  disableSources: true,
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  treatWarningsAsErrors: true,
  intentionallyNotExported: [...POLICIES, ...HANDED_ON],
  validation: { notExported: true, invalidLink: true, invalidPath: true, notDocumented: true },
});
const project = await app.convert();
if (project) {
  commentPolicies(project);
  app.validate(project);
}
if (project && !app.logger.hasErrors() && !app.logger.hasWarnings()) {
  await app.generateOutputs(project);
} else {
  process.exitCode = 1;
}

/** The page of policies describes their options, with formulas and tables: the reference leads there. */
function commentPolicies(project) {
  const text = 'Described on the page of policies, docs/policies.md.';
  for (const one of Object.values(project.reflections)) {
    const file = project.getSymbolIdFromReflection(one)?.packagePath;
    if (file?.startsWith('src/policies/') && !one.hasComment())
      one.comment = new Comment([{ kind: 'text', text }]);
  }
}
