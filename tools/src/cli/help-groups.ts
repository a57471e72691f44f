import { Command } from 'commander';

const DEVELOP = 'Develop:';
const LOOK = 'Look:';
const ACT = 'Act on records and queues:';
const PLAN = 'Plan, migrate and recover:';

/** Group and summary of each command in the list of all. */
const LIST: Readonly<Record<string, readonly [group: string, summary: string]>> = {
  init: [DEVELOP, 'a small app of your own, with a test'],
  start: [DEVELOP, 'run a CDK app on this machine, or the sample'],
  policy: [DEVELOP, 'the waits of a retry policy, before it is used'],
  simulate: [DEVELOP, 'a policy in an outage, or a queue with busy keys'],
  completion: [DEVELOP, 'a script that lets the shell complete commands'],
  list: [LOOK, 'records, as a table'],
  show: [LOOK, 'one record in full'],
  failures: [LOOK, 'why records fail, one row per cause'],
  groups: [LOOK, 'groups of records: progress, and what they wait for'],
  lines: [LOOK, 'keys whose records wait in order, and for what'],
  keys: [LOOK, 'which customers wait and fail'],
  stats: [LOOK, 'how the queues are doing: waiting, due, dead, late'],
  top: [LOOK, 'the queues live in the terminal, the worst first'],
  metrics: [LOOK, 'gauges for Prometheus, a dashboard for Grafana'],
  console: [LOOK, 'the console in the browser'],
  work: [ACT, 'attempt what is due, in a container or on a server'],
  import: [ACT, 'put records of a file into the backlog'],
  export: [ACT, 'write records into a file'],
  redrive: [ACT, 'make dead records wait again'],
  discard: [ACT, 'give up records, or remove them'],
  snooze: [ACT, 'put off the next attempt'],
  'run-now': [ACT, 'make waiting records due now'],
  edit: [ACT, 'give records another payload'],
  move: [ACT, 'put records into another queue'],
  'change-policy': [ACT, 'give records a retry policy of their own'],
  complete: [ACT, 'end the wait of a record: its work is done'],
  fail: [ACT, 'end the wait of a record: its attempt failed'],
  heartbeat: [ACT, 'prolong the wait of a record for its end'],
  jobs: [ACT, 'bulk actions: list, stop, go on, undo'],
  recurring: [ACT, 'recurring records: list, put, pause, run, back-fill'],
  pause: [ACT, 'stop a queue'],
  resume: [ACT, 'let a paused queue go on'],
  mute: [ACT, 'silence the alarms of a queue for some time'],
  unmute: [ACT, 'let the alarms of a queue notify again'],
  cost: [PLAN, 'what a month costs, beside other designs'],
  doctor: [PLAN, 'what is wrong with a backlog, and what to do'],
  diff: [PLAN, 'what a deployment means for records that wait'],
  adopt: [PLAN, 'take the items of an older table into the backlog'],
  restore: [PLAN, 'make a table that AWS has restored ready for work'],
  owners: [PLAN, 'the queues, with the stacks that own them'],
  transfer: [PLAN, 'give queues to another stack (blue/green)'],
  failover: [PLAN, 'make another region the active one'],
};

/** `show <id>`: that a command has options goes without saying. */
export function commandTerm(command: Command): string {
  const names = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...names].join(' ');
}

/** Puts the commands into groups. Each has a line of its own there; its own help has all that is to be said. */
export function grouped(program: Command): Command {
  const help = new Command('help').argument('[command]').summary('all about a command').helpGroup(DEVELOP);
  program.addHelpCommand(help);
  for (const command of program.commands) {
    const [group, summary] = LIST[command.name()] ?? [];
    if (group === undefined || summary === undefined)
      throw new Error(`${command.name()}: no group in the help`);
    command.helpGroup(group).summary(summary);
  }
  return program;
}
