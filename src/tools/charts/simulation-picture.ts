import type { MinuteOfAttempts } from '../lab/attempt-log.js';
import { attemptsPerMinute, type MinuteRow, tellingMinutes } from './attempts-per-minute.js';
import type { FigureTable, Picture } from './picture.js';
import { namesOf } from './policy-picture.js';

/** What a simulation under one policy came to. */
export interface SimulationFigures {
  readonly data: Readonly<Record<string, unknown>>;
  readonly perMinute: readonly MinuteOfAttempts[];
}

export interface PlayedScenario {
  readonly outage?: { readonly fromMs: number; readonly toMs: number } | undefined;
  /** In words. */
  readonly text: string;
}

/** Attempts per minute, one row per policy. */
export function simulationPicture(
  simulations: readonly SimulationFigures[],
  { outage, text }: PlayedScenario,
  table: FigureTable,
): Picture {
  const names = namesOf(simulations);
  const rows = simulations.map(({ perMinute }, i) => ({ name: names[i] ?? '', perMinute }));
  return {
    title: outage ? 'Attempts per minute, during an outage and after it' : 'Attempts per minute',
    notes: [text, ...tailText(rows, tellingMinutes(rows, outage))],
    panels: attemptsPerMinute(rows, outage),
    tables: [table],
  };
}

function tailText(rows: readonly MinuteRow[], minutes: number): string[] {
  const behind = rows.flatMap(({ perMinute }) => perMinute.filter(({ minute }) => minute >= minutes));
  const attempts = behind.reduce((sum, minute) => sum + minute.attempts, 0);
  if (attempts === 0) return [];
  return [`Not shown: ${attempts.toLocaleString('en-US')} later attempts, all failed.`];
}
