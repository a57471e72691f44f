import { type Declaration, docstringOf, type Node, Source } from './source.js';
import { argumentsOf, typeText } from './type-text.js';

/** An option as its declaration has it. */
export interface Option {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** The docstring without the default, in Markdown. */
  readonly text: string;
  /** The default as the docstring has it, in Markdown. */
  readonly standard: string | undefined;
}

/** The options that an interface declares itself. */
export interface Options {
  readonly own: readonly Option[];
  /** Interfaces of this repository that it extends: `QueueOptions`. */
  readonly bases: readonly string[];
}

/**
 * Reads an interface of a file.
 *
 * @param reference its name, and what its type parameters stand for: `QueueOptions<Duration>`
 */
export function optionsOf(file: string, reference: string): Options {
  const [, name = '', parts] = /^(\w+)(?:<(.*)>)?$/.exec(reference) ?? [];
  const found = Source.of(file).find(name);
  if (found?.node.type !== 'TSInterfaceDeclaration') throw new Error(`${file}: no interface ${name}`);
  const { node, source } = found;
  const given = argumentsOf(found, parts?.split(/, */) ?? []);
  const bases = node.extends?.map(({ expression }) => expression?.name ?? '') ?? [];
  return {
    own: node.body?.body.filter(isShown).map((member) => optionOf(member, found, given)) ?? [],
    bases: bases.filter((base) => source.find(base)),
  };
}

const isShown = (member: Node) => !/@(?:hidden|internal)\b/.test(docstringOf(member));

function optionOf(member: Node, { source }: Declaration, given: ReadonlyMap<string, string>): Option {
  const type = member.type === 'TSMethodSignature' ? member : member.typeAnnotation?.typeAnnotation;
  return {
    name: member.key?.name ?? '',
    type: typeText(type, source, given),
    isRequired: member.optional !== true,
    ...described(docstringOf(member)),
  };
}

/**
 * The first paragraph of a docstring, and the default. The others are details, for editors and the API reference. The two forms of a
 * default: the last sentence, `Default: 10.`, and the tag of the CDK, `@default 10` or `@default - none`.
 */
function described(docstring: string): Pick<Option, 'text' | 'standard'> {
  const [sentences = '', tag] = docstring.split(/\s*@default /).map((part) => part.replace(/\n(?!\n)/g, ' '));
  const [all = '', sentence] = sentences.split(/ ?\bDefault: /);
  const [text = ''] = all.split('\n');
  return {
    text,
    standard:
      tag === undefined ? sentence?.replace(/\.$/, '') : tag.startsWith('- ') ? tag.slice(2) : asCode(tag),
  };
}

const asCode = (value: string) => (/^\d+$/.test(value) ? value : `\`${value}\``);
