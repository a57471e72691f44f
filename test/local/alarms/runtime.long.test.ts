import { expect, it } from 'vitest';
import type { AlarmEpisode } from '../../../tools/src/local/alarms/alarm-watch.js';
import { properties } from '../../cloudwatch/support.js';
import { poll, start, stopRuntimes } from '../runtime-under-test.js';

stopRuntimes();

const alarm = (MetricName: string, name: string) => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: {
    ...{ ...properties, Namespace: 'AWS/Lambda', MetricName },
    Dimensions: [{ Name: 'FunctionName', Value: { Ref: name } }],
  },
});

it('the alarms of an app go on while it runs, told as they do, by what its functions do', async () => {
  const heard: AlarmEpisode[] = [];
  const resources = {
    PollAAAA0000: poll('throws'),
    ErrorsBBBB1111: alarm('Errors', 'Worker11112222'),
    ThrottlesCCCC2222: alarm('Throttles', 'Worker11112222'),
  };
  const runtime = await start(resources, { onAlarm: (episode) => heard.push(episode) });
  for (let minutes = 0; minutes < 60 && heard.length === 0; minutes++) await runtime.passed(60_000);
  expect(heard).toMatchObject([{ name: 'Errors' }]);
  const status = await (await fetch(new URL('/status.json', runtime.status().statusPage))).json();
  expect(status).toMatchObject({
    alarms: { watched: 1, unknown: ['Throttles'], episodes: [{ name: 'Errors' }] },
  });
});
