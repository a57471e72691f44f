import { ConfigurationError } from 'dynamo-backlog';
import { type BacklogDescription, METADATA_KEY, METADATA_VERSION } from 'dynamo-backlog/engine';
import * as z from 'zod/mini';
import type { Template } from '../../local/template/assembly.js';

/** A template, and the Backlogs that it describes, by path. */
export interface DescribedTemplate {
  /** Origin of the template, for the user. */
  readonly where: string;
  readonly template: Template;
  readonly backlogs: ReadonlyMap<string, BacklogDescription>;
}

const table = z.object({ logicalId: z.optional(z.string()), name: z.optional(z.string()) });
const tiers = z.array(z.object({ every: z.number(), untilAge: z.number() }));

/** The description of a Backlog, as far as it is compared; a policy and settings are compared as they are. */
const backlogSchema = z.object({
  trigger: z.enum(['rules', 'scheduler']),
  timeZone: z.optional(z.string()),
  primaryRegion: z.optional(z.string()),
  // Pages link to it. What is no such link is left out, and hides nothing else.
  runbookUrl: z.catch(
    z.optional(z.string().check(z.maxLength(200), z.regex(/^https?:\/\/[^\s#]+$/))),
    undefined,
  ),
  groups: z.optional(z.boolean()),
  groupEvents: z.optional(z.boolean()),
  recordEvents: z.optional(
    z.record(z.string(), z.object({ on: z.array(z.string()), include: z.array(z.string()) })),
  ),
  recurring: z.optional(
    z.record(
      z.string(),
      z.object({
        schedule: z.string(),
        timeZone: z.optional(z.string()),
        queue: z.string(),
        payload: z.optional(z.string()),
        settings: z.optional(z.record(z.string(), z.unknown())),
      }),
    ),
  ),
  intake: z.boolean(),
  sweep: z.boolean(),
  records: table,
  control: table,
  queues: z.record(
    z.string(),
    z.object({
      retryMode: z.enum(['perRecord', 'progressive']),
      retry: z.optional(z.looseObject({ type: z.string() })),
      tiers: z.optional(tiers),
      work: z.string(),
      deliverTo: z.optional(z.looseObject({ url: z.string() })),
      enabled: z.boolean(),
      firstAttempt: z.enum(['onInsert', 'scheduled']),
      timeout: z.number(),
      settings: z.optional(z.record(z.string(), z.unknown())),
    }),
  ),
});

/** A template has one of them at least; a stack of outputs alone has no resources. */
const SECTIONS = ['Resources', 'Outputs', 'Parameters', 'Metadata'];

/** @throws ConfigurationError for what is no template, or describes its Backlogs in a way that is not known here */
export function readMetadata(input: unknown, where: string): DescribedTemplate {
  if (!isObject(input) || !SECTIONS.some((section) => isObject(input[section]))) {
    throw new ConfigurationError(`${where}: expected a CloudFormation template, with "Resources"`);
  }
  const metadata = isObject(input.Metadata) ? input.Metadata[METADATA_KEY] : undefined;
  const described = Object.entries(isObject(metadata) ? metadata : {});
  const backlogs = described.map(([path, one]) => [path, readOne(one, `${where}: ${path}`)] as const);
  return { where, template: input as Template, backlogs: new Map(backlogs) };
}

function readOne(input: unknown, where: string): BacklogDescription {
  const version = isObject(input) ? input.version : undefined;
  if (typeof version === 'number' && version > METADATA_VERSION) {
    throw new ConfigurationError(
      `${where}: described by a newer version of dynamo-backlog (${version}, this one reads ${METADATA_VERSION}): update it here`,
    );
  }
  const parsed = backlogSchema.safeParse(input);
  if (parsed.success)
    return { version: METADATA_VERSION, ...(parsed.data as Omit<BacklogDescription, 'version'>) };
  const [issue] = parsed.error.issues;
  throw new ConfigurationError(
    `${where}: expected the description of a Backlog in the metadata, got something else at "${issue?.path.join('.')}"`,
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
