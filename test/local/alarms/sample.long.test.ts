import { expect, it } from 'vitest';
import { startRuntime } from '../../../tools/src/local/runtime.js';
import { runtimes, stopRuntimes } from '../runtime-under-test.js';

stopRuntimes();

it("the alarms of this package's own app go on in the sample's outage, and off after it", async () => {
  const runtime = await startRuntime({ dynamodbPort: 0, port: 0, sample: true, speed: 120 });
  runtimes.push(runtime);
  const MINUTE = 60_000;
  const failures = () =>
    runtime.status().alarms?.episodes.filter(({ name }) => name === 'Failures-default') ?? [];
  let incident = '';
  for (let minutes = 0; minutes < 120 && !failures().some(({ until }) => until); minutes++) {
    await runtime.passed(MINUTE);
    if (failures().length > 0) incident ||= await alarmsOnPage(runtime.status().statusPage);
  }
  expect(incident).toMatch(/^Page Failures-default since \d\d:\d\d UTC( Ticket Dead-default |$)/);
  const [first] = failures();
  expect(first).toMatchObject({
    ...{ level: 'page', queue: 'default' },
    description: expect.stringMatching(/^\[page\] Records of the queue default/),
  });
  expect(first?.until).toBeDefined();
  expect(runtime.status().alarms).toMatchObject({ unknown: ['IntakeAge'] });
});

/** The fact of the first incident on the overview. */
async function alarmsOnPage(url: string): Promise<string> {
  const text = await (await fetch(url)).text();
  const [, fact = ''] = />Alarms<.*?<dd>(.*?)<\/dd>/s.exec(text) ?? [];
  return fact
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
