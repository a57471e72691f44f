// `npm run docs:fairness`: draws the picture of docs/tutorials/noisy-customer.md from the plays of the command that the page shows.

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Wait, waitsPanel } from '../tools/src/charts/key-waits.js';
import { type Picture, toSvg } from '../tools/src/charts/picture.js';
import { scenarioOf, workloadOf } from '../tools/src/cli/simulate-keys/input.js';
import { play } from '../tools/src/lab/keys/play.js';
import { workloadKind } from '../tools/src/lab/keys/workloads.js';

/** The command that the page shows. */
export const COMMAND =
  'backlog simulate --keys one-noisy --noisy-records 12000 --noisy-within 40s --quiet 3000 --fairness';
/** Its flags, with the seed that it has by default. */
const LOAD = { name: 'one-noisy', noisyRecords: 12_000, noisyWithin: 40_000, quiet: 3_000, seed: 1 } as const;
/** End of the axis of time. Records that are inserted later wait for nothing, as the noise is over. */
const SHOWN_SECONDS = 45;

const QUEUES = [
  { name: 'without fairness', settings: {} },
  { name: 'with fairness', settings: { fairness: true } },
];

/** The picture, in both themes. */
export async function noisyCustomerPicture(): Promise<Readonly<Record<'light' | 'dark', string>>> {
  const { name: keys, ...figures } = LOAD;
  const scenario = scenarioOf({ keys, ...figures });
  const workload = workloadOf(scenario);
  const series: { name: string; waits: Wait[] }[] = [];
  for (const { name, settings } of QUEUES) {
    const { attempts, zero } = await play(workload, { settings, ...scenario });
    const waits = [...attempts.puts.values()].flatMap(({ isQuiet, at, firstAttemptAt = Number.NaN }) => {
      const seconds = (at - zero) / 1000;
      const isShown = isQuiet && seconds >= 0 && seconds <= SHOWN_SECONDS;
      return isShown ? [{ at: seconds, seconds: (firstAttemptAt - at) / 1000 }] : [];
    });
    series.push({ name, waits });
  }
  const picture: Picture = {
    title: 'Waits of the other customers',
    notes: [`Simulated: ${workloadKind(keys).text(scenario)}. ${hiddenText(series[0]?.waits ?? [])}`],
    sections: [
      {
        text: 'Wait for the first attempt, of each record of a quiet customer',
        panel: waitsPanel(series, SHOWN_SECONDS),
      },
    ],
    tables: [],
  };
  return { light: toSvg(picture, 'light'), dark: toSvg(picture, 'dark') };
}

/** Most records wait behind the pile, but not those for which a run on arrival had room. */
function hiddenText(waits: readonly Wait[]): string {
  const short = waits.filter(({ seconds }) => seconds < 2);
  return `Without fairness, ${short.length} of ${waits.length} records were attempted within 2 s, too: their marks are at the bottom.`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [theme, svg] of Object.entries(await noisyCustomerPicture()))
    writeFileSync(new URL(`../docs/images/noisy-customer-${theme}.svg`, import.meta.url), svg);
}
