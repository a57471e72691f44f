// `npm run docs:api` writes the API reference into api-reference/, as pages that `npm run docs`
// puts into the documentation site. It fails on any warning, such as one of a public name
// without a docstring. TypeDoc needs the API of TypeScript 6, which is installed beside the compiler.

import { register } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDER = `export function resolve(specifier, context, next) {
  return next(specifier === 'typescript' ? '@typescript/typescript6' : specifier, context);
}`;
register(`data:text/javascript,${encodeURIComponent(OLDER)}`);
const { Application, Comment } = await import('typedoc');
const { load: writesMarkdown } = await import('typedoc-plugin-markdown');

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** The exports of package.json, by the module that each is built from. */
const ENTRIES = {
  src: 'dynamo-backlog',
  functions: 'dynamo-backlog/lambda',
  cdk: 'dynamo-backlog/cdk',
  'src/engine': 'dynamo-backlog/engine',
  'src/overview': 'dynamo-backlog/overview',
  'src/testing': 'dynamo-backlog/testing',
};
/** The members of the union `RetryPolicy`, which docs/policies-reference.md describes. */
const POLICIES = [
  ...['None', 'Constant', 'Linear', 'Fibonacci', 'Exponential', 'Window', 'Sidekiq', 'Buckets', 'Power'],
  ...['Arctan', 'Sigmoid', 'Saturating', 'List', 'Progressive', 'WorkQueue'],
].map((name) => `${name}Policy`);
/** Types that users pass on without looking into them. */
const HANDED_ON = [
  ...['PolicyType', 'Jitter', 'FormulaWait', 'Failure', 'RetryDecider', 'FailedAttempt'],
  ...['Redaction', 'SchemaInput', 'SchemaOutput', 'SchemaResult'],
  ...['AsRead', 'QueueMemory', 'OfRecord', 'Place', 'Tried'],
];

const app = await Application.bootstrapWithPlugins({
  name: 'dynamo-backlog',
  plugin: [writesMarkdown],
  entryPoints: [
    'src/index.ts',
    'functions/index.ts',
    'cdk/index.ts',
    'src/engine.ts',
    'src/overview/index.ts',
    'src/testing/index.ts',
  ].map((file) => join(ROOT, file)),
  tsconfig: join(ROOT, 'tsconfig.json'),
  out: join(ROOT, 'api-reference'),
  readme: 'none',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  enumMembersFormat: 'table',
  tableColumnSettings: { hideModifiers: true, hideInherited: true, hideOverrides: true },
  useCodeBlocks: true,
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
  for (const module of project.children ?? []) module.name = importedAs(module.name);
  commentPolicies(project);
  app.validate(project);
}
if (project && !app.logger.hasErrors() && !app.logger.hasWarnings()) {
  await app.generateOutputs(project);
} else {
  process.exitCode = 1;
}

/** The name that a user imports it by. */
function importedAs(entry) {
  const name = ENTRIES[entry];
  if (name === undefined) throw new Error(`${entry}: no entry of package.json is known for it`);
  return name;
}

/** The page of policies describes their options, with formulas and tables: the reference leads there. */
function commentPolicies(project) {
  const text = 'Described on the page of policies, docs/policies-reference.md.';
  for (const one of Object.values(project.reflections)) {
    const file = project.getSymbolIdFromReflection(one)?.packagePath;
    if (file?.startsWith('src/policies/') && !one.hasComment())
      one.comment = new Comment([{ kind: 'text', text }]);
  }
}
