import { App, type Environment, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Backlog, type BacklogProps, type QueueProps } from '../../cdk/index.js';

export const URL = 'https://erp.example.com/orders';

/** A stack whose functions' code is not bundled. */
export function newStack(env: Environment = {}): Stack {
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [] }, analyticsReporting: false });
  return new Stack(app, 'Test', { env });
}

export function backlogWith(props: BacklogProps): { backlog: Backlog; stack: Stack; template: Template } {
  const stack = newStack();
  const backlog = new Backlog(stack, 'Backlog', props);
  return { backlog, stack, template: Template.fromStack(stack) };
}

export const retryQueue: QueueProps = { retry: { type: 'fibonacci' }, deliverTo: URL };
export const progressiveQueue: QueueProps = { progressive: true, deliverTo: URL };

/** The properties of all resources of a type. */
// biome-ignore lint/suspicious/noExplicitAny: CloudFormation's properties have no types here
export function propertiesOf(template: Template, type: string): any[] {
  return Object.values(template.findResources(type)).map((resource) => resource.Properties);
}

/** The rules with their inputs parsed, in the order of their descriptions. */
export function rulesOf(template: Template) {
  return propertiesOf(template, 'AWS::Events::Rule')
    .map((rule) => ({
      description: rule.Description as string,
      schedule: rule.ScheduleExpression as string,
      state: rule.State as string,
      target: rule.Targets[0],
      input: JSON.parse(rule.Targets[0].Input),
    }))
    .sort((a, b) => (a.description < b.description ? -1 : 1));
}

/** The same of schedules. */
export function schedulesOf(template: Template) {
  return propertiesOf(template, 'AWS::Scheduler::Schedule')
    .map((schedule) => ({
      description: schedule.Description as string,
      schedule: schedule.ScheduleExpression as string,
      timeZone: schedule.ScheduleExpressionTimezone as string | undefined,
      state: schedule.State as string,
      target: schedule.Target,
      input: JSON.parse(schedule.Target.Input),
    }))
    .sort((a, b) => (a.description < b.description ? -1 : 1));
}
