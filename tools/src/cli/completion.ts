import { Argument, type Command, type Option } from 'commander';
import { POLICY_TYPES, STATUSES } from 'dynamo-backlog/engine';
import { examples } from './command-parts.js';
import { EXIT, type ExitCode, type Output } from './output.js';

/** The words that a shell completes. */
interface CompletionModel {
  readonly commands: readonly CommandWords[];
}

interface CommandWords {
  readonly name: string;
  readonly summary: string;
  /** Values of its first argument. Empty: anything. */
  readonly choices: readonly string[];
  readonly flags: readonly {
    readonly long: string;
    readonly description: string;
    readonly takesValue: boolean;
    /** Empty: anything. */
    readonly choices: readonly string[];
  }[];
}

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** The values of flags, and of first arguments by their command, whose readers take more than these. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  '--status': STATUSES,
  '--policy': POLICY_TYPES,
  '--compare': POLICY_TYPES,
  policy: POLICY_TYPES,
};

export function addCompletion(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  program
    .command('completion')
    .description(
      'Print a script that lets the shell complete commands and flags. Names of queues and ids are not looked up.',
    )
    .addArgument(new Argument('<shell>', 'which one').choices(SHELLS))
    .addHelpText(
      'after',
      examples(
        ['backlog completion bash > ~/.local/share/bash-completion/completions/backlog', ''],
        ['backlog completion zsh >> ~/.zshrc', 'behind compinit'],
        ['backlog completion fish > ~/.config/fish/completions/backlog.fish', ''],
      ),
    )
    .action((shell: Shell) => {
      output.data(SCRIPTS[shell](modelOf(program)));
      onExit(EXIT.ok);
    });
}

function modelOf(program: Command): CompletionModel {
  const names = program.commands.map((command) => command.name());
  const help = { name: 'help', summary: 'all about a command', choices: names, flags: [] };
  return { commands: [...program.commands.map(wordsOf), help] };
}

function wordsOf(command: Command): CommandWords {
  const flags = [...command.options.filter(({ hidden }) => !hidden)].flatMap((option) =>
    option.long ? [flagOf(option, option.long)] : [],
  );
  const helpFlag = { long: '--help', description: 'help for this command', takesValue: false, choices: [] };
  return {
    name: command.name(),
    summary: command.summary() || command.description(),
    choices: command.registeredArguments[0]?.argChoices ?? VALUES[command.name()] ?? [],
    flags: [...flags, helpFlag],
  };
}

function flagOf({ description, required, optional, argChoices }: Option, long: string) {
  return { long, description, takesValue: required || optional, choices: argChoices ?? VALUES[long] ?? [] };
}

const SCRIPTS: Readonly<Record<Shell, (model: CompletionModel) => string>> = {
  bash: bashScript,
  // The functions of bash, which zsh brings a layer for.
  zsh: (model) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(model)}`,
  fish: fishScript,
};

function bashScript({ commands }: CompletionModel): string {
  const cases = commands.flatMap(({ name, flags }) => {
    const free = flags.filter((flag) => flag.takesValue && flag.choices.length === 0);
    return [
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
  const choices = commands.flatMap(({ name, choices: all }) =>
    all.length > 0 ? [`          ${name}) words="${all.join(' ')}" ;;`] : [],
  );
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
    .flatMap(({ name, summary, choices, flags }) => {
      const within = `complete -c backlog -n '__fish_seen_subcommand_from ${name}'`;
      return [
        `complete -c backlog -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
        ...(choices.length > 0 ? [`${within} -f -a ${quoted(choices.join(' '))}`] : []),
        ...flags.map(({ long, description, takesValue, choices: values }) => {
          const value = values.length > 0 ? ` -x -a ${quoted(values.join(' '))}` : takesValue ? ' -r' : '';
          return `${within} -l ${long.slice(2)}${value} -d ${quoted(description)}`;
        }),
      ];
    })
    .join('\n');
}
