import { age } from 'dynamo-backlog/engine';
import type { MinuteOfAttempts } from '../lab/attempt-log.js';
import type { SimulationResult } from '../lab/simulation-result.js';
import {
  attemptsPerMinute,
  barLegend,
  type MinuteScale,
  minuteScale,
  type Outage,
  type Recovery,
} from './attempts-per-minute.js';
import type { FigureTable, Picture } from './picture.js';
import { namesOf } from './policy-picture.js';

/** The figures of a simulation under one policy. */
export interface SimulationFigures {
  readonly data: Readonly<Record<string, unknown>>;
  /** Minutes without an attempt are left out. */
  readonly perMinute: readonly MinuteOfAttempts[];
  /** The start of the last successful attempt of a record that had failed before; missing: there was none. */
  readonly lastRecoveryMs?: number | undefined;
  readonly result: Pick<SimulationResult, 'wastedAttempts' | 'drainedSeconds' | 'open'>;
}

export interface PlayedScenario {
  readonly outage?: Outage | undefined;
  /** The scenario in words. */
  readonly text: string;
}

/** Attempts per minute, one row per policy. */
export function simulationPicture(
  simulations: readonly SimulationFigures[],
  { outage, text }: PlayedScenario,
  table: FigureTable,
): Picture {
  const names = namesOf(simulations);
  const scale = minuteScale(
    simulations.map(({ perMinute }) => perMinute),
    outage,
  );
  return {
    title: `${outage ? `An outage of ${age(outage.toMs - outage.fromMs)}: a` : 'A'}ttempts per minute`,
    notes: [text],
    sections: [
      {
        text: scale.perBar === 1 ? undefined : `A bar is the busiest of ${scale.perBar} minutes.`,
        panel: barLegend(),
      },
      ...simulations.map((simulation, i) => ({
        heading: names[i],
        text: wastedText(simulation, scale),
        panel: attemptsPerMinute(
          simulation.perMinute,
          scale,
          recoveryOf(simulation, outage),
          i === simulations.length - 1,
        ),
      })),
    ],
    tables: [table],
  };
}

/**
 * The end of the recovery after an outage: no record waited any more that had failed, whether or not others came in.
 * Without an outage, the last success.
 */
function recoveryOf(
  { result: { drainedSeconds }, lastRecoveryMs }: SimulationFigures,
  outage: Outage | undefined,
): Recovery | undefined {
  if (drainedSeconds === null) return undefined;
  if (outage && lastRecoveryMs !== undefined && lastRecoveryMs >= outage.toMs) {
    const text = `recovered ${shortAge(lastRecoveryMs - outage.toMs)} later`;
    return { seconds: lastRecoveryMs / 1000, text };
  }
  return { seconds: drainedSeconds, text: `last success after ${shortAge(drainedSeconds * 1000)}` };
}

/** An age, without its seconds from ten minutes on. */
function shortAge(ms: number): string {
  return age(ms < 600_000 ? ms : 60_000 * Math.round(ms / 60_000));
}

function wastedText({ perMinute, result }: SimulationFigures, { minutes }: MinuteScale): string {
  const behind = perMinute.filter(({ minute }) => minute >= minutes);
  const later = behind.reduce((sum, { attempts }) => sum + attempts, 0);
  return [
    `${countText(result.wastedAttempts)} attempt${result.wastedAttempts === 1 ? '' : 's'} failed`,
    later > 0 && `, ${countText(later)} of them later than shown`,
    result.drainedSeconds === null && `; ${countText(result.open)} records still wait at the end`,
    '.',
  ]
    .filter(Boolean)
    .join('');
}

function countText(count: number): string {
  return count.toLocaleString('en-US');
}
