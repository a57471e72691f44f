import { ConfigurationError } from 'dynamo-backlog';
import { DEFAULT_TIERS, resolvePolicy } from 'dynamo-backlog/engine';
import type { Picture } from '../charts/picture.js';
import type { Scenario } from '../lab/scenario.js';
import { type SimulatedQueue, simulate } from '../lab/simulate.js';
import { type ChartFlags, withChart } from './chart.js';
import { explain } from './explain.js';
import { EXIT, type ExitCode, hasColors, type Output } from './output.js';
import { painter } from './paint.js';
import { type PolicyData, readPolicy } from './policy-input.js';
import { simulationBar } from './progress.js';
import { type ScenarioFlags, scenarioOf } from './simulate-input.js';
import { type GivenFlags, refuseWithoutKeys } from './simulate-modes.js';
import { figureTable, type Simulated, scenarioText, simulationTable } from './simulate-table.js';

export interface SimulateFlags extends ScenarioFlags, ChartFlags {
  readonly policy: string;
  readonly set?: readonly string[] | undefined;
  /** `true`: no policy was named. */
  readonly compare?: readonly string[] | true | undefined;
  readonly json?: boolean | undefined;
}

/** `backlog simulate`: what a policy comes to in an outage, or with a side that takes only so much. */
export async function simulatePolicies(
  flags: SimulateFlags,
  given: GivenFlags,
  output: Output,
): Promise<ExitCode> {
  try {
    refuseWithoutKeys(given);
    const scenario = scenarioOf(flags);
    const policies = [
      readPolicy(flags.policy, flags.set),
      ...comparedWith(flags).map((one) => readPolicy(one)),
    ].map((data) => ({ data, queue: queueOf(data) }));
    const work = async () => {
      const simulated: Simulated[] = [];
      for (const { data, queue } of policies)
        simulated.push({ data, ...(await watched(queue, data, scenario)) });
      return simulated;
    };
    const print = (simulated: readonly Simulated[]) =>
      output.data(
        flags.json
          ? jsonText(simulated, flags)
          : simulationTable(simulated, scenario, painter(hasColors(process.stdout))),
      );
    await withChart(flags, { work, print, draw: (simulated) => draw(simulated, scenario) }, output);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    output.message(explain(error));
    return EXIT.usage;
  }
}

function comparedWith({ compare = [] }: SimulateFlags): readonly string[] {
  if (compare !== true) return compare;
  throw new ConfigurationError(
    '--compare: expected policies, such as --compare constant exponential, got nothing',
  );
}

async function draw(simulated: readonly Simulated[], scenario: Scenario): Promise<Picture> {
  // What draws is loaded by those who want a picture.
  const { simulationPicture } = await import('../charts/simulation-picture.js');
  const text = scenarioText(scenario, simulated);
  return simulationPicture(simulated, { outage: scenario.outage, text }, figureTable(simulated));
}

/** `progressive` stands for a queue that is: its rules keep the schedule. */
function queueOf(data: PolicyData): SimulatedQueue {
  const policy = resolvePolicy(data, 'policy');
  if (policy.type !== 'progressive') return { policy };
  return { policy, tiers: policy.tiers ?? DEFAULT_TIERS };
}

async function watched(queue: SimulatedQueue, data: PolicyData, scenario: Scenario) {
  const bar = simulationBar(String(data.type), scenario.records);
  try {
    return await simulate(queue, scenario, bar.update);
  } finally {
    bar.stop();
  }
}

function jsonText(simulated: readonly Simulated[], { compare }: SimulateFlags): string {
  const all = simulated.map(({ data, result }) => ({ policy: data, ...result }));
  return JSON.stringify(compare === undefined ? all[0] : { policies: all });
}
