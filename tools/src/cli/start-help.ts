import type { RuntimeStatus } from '../local/status/status.js';
import { type Paint, padEnd, width } from './paint.js';

interface Key {
  readonly key: string;
  readonly text: string;
  /** Text for a narrow terminal. */
  readonly short: string;
  readonly help: string;
}

const KEYS: readonly Key[] = [
  { key: 'r', text: 'run now', short: 'run', help: 'runs all rules that attempt records, now' },
  { key: 't', text: 'next tick', short: 'tick', help: 'time jumps to the next tick, and the rule fires' },
  {
    key: 'o',
    text: 'outage on/off',
    short: 'outage',
    help: 'takes the ERP of the sample down, or up again; it stays so',
  },
  {
    key: 'p',
    text: 'pause',
    short: 'pause',
    help: "pauses the backlog's clock, or lets it go on; producers go on",
  },
  { key: '+ -', text: 'speed', short: 'speed', help: 'lets time pass faster or slower' },
  { key: 'h', text: 'help', short: 'help', help: 'shows this list, or the runs again' },
  { key: 'q', text: 'quit', short: 'quit', help: 'stops, as Ctrl-C: what runs may finish' },
];

/** Tells whether there is an ERP to take down. */
export function hasOutageKey({ sample }: RuntimeStatus): boolean {
  return sample?.erp !== undefined;
}

/** All keys in one line. */
export function keyLine(columns: number, hasOutage: boolean, paint: Paint): string {
  const shown = KEYS.filter(({ key }) => hasOutage || key !== 'o');
  const line = (text: (key: Key) => string) =>
    shown.map((one) => `${paint('bold', one.key)} ${text(one)}`).join('  ');
  const whole = line(({ text }) => text);
  return width(whole) <= columns ? whole : line(({ short }) => short);
}

/** Lists what each key does, and the commands for another terminal. */
export function helpLines(status: RuntimeStatus, paint: Paint): string[] {
  return [
    paint('dim', 'KEYS'),
    ...KEYS.filter(({ key }) => hasOutageKey(status) || key !== 'o').map(
      ({ key, help }) => `${paint('bold', padEnd(key, 5))}${help}`,
    ),
    '',
    paint('dim', 'IN ANOTHER TERMINAL'),
    ...[
      ['npx backlog list --status DEAD', 'what was given up, and why'],
      ['npx backlog show ID', 'one record in full'],
      ['npx backlog import FILE', 'your own payloads, one JSON value a line'],
    ].map(([command = '', text]) => `${paint('cyan', padEnd(command, 32))}${text}`),
  ];
}
