import { type PlayOptions, play } from '../../tools/src/lab/keys/play.js';
import { reportOf } from '../../tools/src/lab/keys/report.js';
import { steadyWorkload } from '../../tools/src/lab/keys/workloads.js';
import { seededRandom } from '../simulation/random.js';

const SECONDS = 120;
const STEP = 10;
/** The longest wait of a queue that keeps up: a longer one, after two minutes, is behind a pile that grows. */
const MAX_SECONDS = 10;

/** Records a second that a queue sustains: of more, a pile grows. */
export async function capacityOf(load: PlayOptions, say: (line: string) => void): Promise<number> {
  let [sustained, tooMany] = [20, 700];
  while (tooMany - sustained > STEP) {
    const rate = Math.round((sustained + tooMany) / 2);
    const workload = steadyWorkload(rate, SECONDS, seededRandom(load.seed ?? 1));
    const { quiet, perSecond } = reportOf([await play(workload, load)]);
    say(`  ${rate} a second: p50 ${quiet.p50} s, p99 ${quiet.p99} s, ${perSecond} begun a second`);
    if (quiet.p99 < MAX_SECONDS) sustained = rate;
    else tooMany = rate;
  }
  return sustained;
}
