import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Construct } from 'constructs';
import { Backlog, type BacklogProps, type QueueProps } from '../../../cdk/index.js';
import { beyondLimits } from '../../../scripts/templates/limits.js';
import { type CloudFormationTemplate, resolvedTemplate } from '../../../scripts/templates/resolved.js';
import { alarmsIn } from '../../../tools/src/cloudwatch/alarm-rule.js';
import { alarmsOf } from '../../cloudwatch/alarms.js';
import { WITHOUT_CODE } from '../support.js';

/** The longest name of a stack. */
const STACK = 'bank-payments-'.padEnd(128, 'x');
/** A folder of constructs, so that logical ids are as long as they can be. */
const FOLDER = 'f'.repeat(200);

/** So many queues, with names of so many characters. */
export function queues(count: number, props: QueueProps, characters = 128): Record<string, QueueProps> {
  const name = (i: number) => `orders-${i}-`.padEnd(characters, 'y');
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), props]));
}

/** A stack with the longest names, as CloudFormation deploys it. */
export function deployed(props: BacklogProps, { inFolder = false } = {}) {
  const app = new App({ context: WITHOUT_CODE, analyticsReporting: false, treeMetadata: false });
  const stack = new Stack(app, 'Test', { stackName: STACK });
  new Backlog(inFolder ? new Construct(stack, FOLDER) : stack, 'Backlog', props);
  const template = Template.fromStack(stack).toJSON() as CloudFormationTemplate;
  const resolved = resolvedTemplate(template, { stackName: STACK });
  return { template, resolved, beyond: beyondLimits(resolved), unwatched: unwatchedIn(template) };
}

/** The alarms that the composite alarm `Any` depends on in no way. */
function unwatchedIn(template: CloudFormationTemplate): string[] {
  const alarms = alarmsOf(template);
  const reached = new Set<string>();
  const reach = (id: string): void => {
    reached.add(id);
    const alarm = alarms.find((one) => one.id === id);
    if (alarm?.type === 'composite') for (const inner of alarmsIn(alarm.rule)) reach(inner);
  };
  const top = alarms.find(
    ({ id }) => /AlarmsAny[0-9A-F]{8}$/.test(id) && !/AlarmsAny\d[0-9A-F]{8}$/.test(id),
  );
  if (top) reach(top.id);
  return alarms.map(({ id }) => id).filter((id) => !reached.has(id));
}
