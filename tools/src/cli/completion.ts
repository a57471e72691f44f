import { Argument, type Command, type Option } from 'commander';
import { POLICY_TYPES, STATUSES } from 'dynamo-backlog/engine';
import { examples } from './command-parts.js';
import { knownIds, knownRecurring } from './known-ids.js';
import { knownQueues } from './known-queues.js';
import { EXIT, type ExitCode, type Output } from './output.js';
import { RECURRING_ACTIONS } from './recurring/command.js';

/** The words that a shell completes. */
interface CompletionModel {
  readonly commands: readonly CommandWords[];
}

interface CommandWords {
  readonly name: string;
  readonly summary: string;
  /** Values of its first argument. Empty: anything. */
  readonly choices: readonly string[];
  /** Its first argument is the name of a queue. */
  readonly takesQueue: boolean;
  /** Its arguments are ids of records. */
  readonly takesIds: boolean;
  /** First arguments behind which the name of a recurring record stands. */
  readonly beforeNames: readonly string[];
  readonly flags: readonly {
    readonly long: string;
    readonly description: string;
    readonly takesValue: boolean;
    /** Empty: anything. */
    readonly choices: readonly string[];
    /** Its value is the name of a queue. */
    readonly takesQueue: boolean;
  }[];
}

const SHELLS = ['bash', 'zsh', 'fish'] as const;
/** The words in place of a shell, by which the scripts ask for the names of queues, for ids, and for names of recurring records. */
const QUEUES = 'queues';
const IDS = 'ids';
const RECURRING = 'recurring';
type Shell = (typeof SHELLS)[number];

/** The values of flags, and of first arguments by their command, whose readers take more than these. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  '--status': STATUSES,
  '--policy': POLICY_TYPES,
  '--compare': POLICY_TYPES,
  policy: POLICY_TYPES,
  recurring: RECURRING_ACTIONS,
};

export function addCompletion(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  program
    .command('completion')
    .description(
      'Print a script that lets the shell complete commands, flags, queues of the local runtime or of cdk.out, and ids and recurring records of the local runtime.',
    )
    .addArgument(
      new Argument('<shell>', 'which one, or what its script asks for').choices([
        ...SHELLS,
        QUEUES,
        IDS,
        RECURRING,
      ]),
    )
    .argument('[text]', 'with ids or recurring: how they begin')
    .addHelpText(
      'after',
      examples(
        ['backlog completion bash > ~/.local/share/bash-completion/completions/backlog', ''],
        ['backlog completion zsh >> ~/.zshrc', 'behind compinit'],
        ['backlog completion fish > ~/.config/fish/completions/backlog.fish', ''],
      ),
    )
    .action(async (shell: Shell | typeof QUEUES | typeof IDS | typeof RECURRING, text = '') => {
      if (shell === QUEUES) for (const name of await knownQueues()) output.data(name);
      else if (shell === IDS) for (const id of await knownIds(text)) output.data(id);
      else if (shell === RECURRING) for (const name of await knownRecurring(text)) output.data(name);
      else output.data(SCRIPTS[shell](modelOf(program)));
      onExit(EXIT.ok);
    });
}

function modelOf(program: Command): CompletionModel {
  const names = program.commands.map((command) => command.name());
  const help = {
    ...{ name: 'help', summary: 'all about a command', choices: names, flags: [] },
    ...{ takesQueue: false, takesIds: false, beforeNames: [] },
  };
  return { commands: [...program.commands.map(wordsOf), help] };
}

function wordsOf(command: Command): CommandWords {
  const flags = [...command.options.filter(({ hidden }) => !hidden)].flatMap((option) =>
    option.long ? [flagOf(option, option.long)] : [],
  );
  const helpFlag = {
    ...{ long: '--help', description: 'help for this command' },
    ...{ takesValue: false, choices: [], takesQueue: false },
  };
  const [first] = command.registeredArguments;
  return {
    name: command.name(),
    summary: command.summary() || command.description(),
    choices: first?.argChoices ?? VALUES[command.name()] ?? [],
    takesQueue: first !== undefined && /^queues?$/.test(first.name()),
    takesIds: first !== undefined && /^ids?$/.test(first.name()),
    beforeNames: command.name() === RECURRING ? RECURRING_ACTIONS.filter((one) => one !== 'list') : [],
    flags: [...flags, helpFlag],
  };
}

function flagOf({ flags, description, required, optional, argChoices }: Option, long: string) {
  return {
    ...{ long, description, takesValue: required || optional, choices: argChoices ?? VALUES[long] ?? [] },
    takesQueue: flags.includes('<queue>') || /^--queues?$/.test(long),
  };
}

const SCRIPTS: Readonly<Record<Shell, (model: CompletionModel) => string>> = {
  bash: bashScript,
  // The functions of bash, which zsh brings a layer for.
  zsh: (model) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(model)}`,
  fish: fishScript,
};

/** The names of queues, by the command itself. It is on the PATH, or the shell would not complete its words. */
const ASK_QUEUES = `backlog completion ${QUEUES} 2>/dev/null`;
/** Ids that begin with a text, which the shell has in a variable. */
const askIds = (text: string) => `backlog completion ${IDS} ${text} 2>/dev/null`;
const askRecurring = (text: string) => `backlog completion ${RECURRING} ${text} 2>/dev/null`;

function bashScript({ commands }: CompletionModel): string {
  const cases = commands.flatMap(({ name, flags, beforeNames }) => {
    const free = flags.filter((flag) => flag.takesValue && flag.choices.length === 0 && !flag.takesQueue);
    const queues = flags.filter(({ takesQueue }) => takesQueue).map(({ long }) => `${name}:${long}`);
    const before = beforeNames.map((action) => `${name}:${action}`);
    return [
      ...(before.length > 0 ? [`    ${before.join('|')}) words="$(${askRecurring('"$cur"')})" ;;`] : []),
      ...(queues.length > 0 ? [`    ${queues.join('|')}) words="$(${ASK_QUEUES})" ;;`] : []),
      ...flags
        .filter(({ choices }) => choices.length > 0)
        .map(({ long, choices }) => `    ${name}:${long}) words="${choices.join(' ')}" ;;`),
      // Any text: the shell offers files.
      ...(free.length > 0 ? [`    ${free.map(({ long }) => `${name}:${long}`).join('|')}) return ;;`] : []),
    ];
  });
  const flags = commands.map(
    (one) => `          ${one.name}) words="${one.flags.map(({ long }) => long).join(' ')}" ;;`,
  );
  const choices = commands.flatMap(({ name, choices: all, takesQueue, takesIds }) => {
    const words = takesQueue ? `$(${ASK_QUEUES})` : takesIds ? `$(${askIds('"$cur"')})` : all.join(' ');
    return words === '' ? [] : [`          ${name}) words="${words}" ;;`];
  });
  return `_backlog_complete() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=""
  COMPREPLY=()
  case "$command:$prev" in
${cases.join('\n')}
    *)
      if [ "$COMP_CWORD" -eq 1 ]; then
        words="${commands.map(({ name }) => name).join(' ')} --help --version"
      elif [[ "$cur" == -* ]]; then
        case "$command" in
${flags.join('\n')}
        esac
      else
        case "$command" in
${choices.join('\n')}
        esac
      fi ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _backlog_complete backlog`;
}

function fishScript({ commands }: CompletionModel): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  return commands
    .flatMap(({ name, summary, choices, takesQueue, takesIds, beforeNames, flags }) => {
      const asked = takesQueue ? ASK_QUEUES : takesIds ? askIds('(commandline -ct)') : undefined;
      const words = asked === undefined ? choices.join(' ') : `(${asked})`;
      const within = `complete -c backlog -n '__fish_seen_subcommand_from ${name}'`;
      return [
        `complete -c backlog -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
        ...(words === '' ? [] : [`${within} -f -a ${quoted(words)}`]),
        ...(beforeNames.length === 0
          ? []
          : [
              `complete -c backlog -n '__fish_seen_subcommand_from ${name}; and __fish_seen_subcommand_from ${beforeNames.join(' ')}' -f -a ${quoted(`(${askRecurring('(commandline -ct)')})`)}`,
            ]),
        ...flags.map((flag) => {
          const { long, description, takesValue } = flag;
          const all = flag.takesQueue ? `(${ASK_QUEUES})` : flag.choices.join(' ');
          const value = all === '' ? (takesValue ? ' -r' : '') : ` -x -a ${quoted(all)}`;
          return `${within} -l ${long.slice(2)}${value} -d ${quoted(description)}`;
        }),
      ];
    })
    .join('\n');
}
