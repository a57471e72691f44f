import { Template } from 'aws-cdk-lib/assertions';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps } from '../../../cdk/index.js';
import { newStack, propertiesOf, retryQueue } from '../support.js';

const BUS = 'arn:aws:events:eu-central-1:123456789012:event-bus/operations';

/** Variables of the monitor, and the statements of all roles that are about events. */
function synthesized(props: Partial<BacklogProps>, hasBus = true) {
  const stack = newStack();
  const incidentBus = hasBus ? EventBus.fromEventBusArn(stack, 'Bus', BUS) : undefined;
  new Backlog(stack, 'Backlog', { queues: { orders: retryQueue }, incidentBus, ...props });
  const template = Template.fromStack(stack);
  const functions = propertiesOf(template, 'AWS::Lambda::Function');
  const monitor = functions.find(({ Environment }) => 'BACKLOG_EVENT_SOURCES' in Environment.Variables);
  const statements = propertiesOf(template, 'AWS::IAM::Policy').flatMap(
    ({ PolicyDocument }) => PolicyDocument.Statement,
  );
  const rights = statements.filter(({ Action }) => JSON.stringify(Action).includes('"events:'));
  return { variables: monitor?.Environment.Variables, rights };
}

describe('an event bus for incidents', () => {
  it('gets events of the monitor, which may put them there and nowhere else', () => {
    const { variables, rights } = synthesized({ runbookUrl: 'https://wiki.example.com/backlog' });
    expect(variables).toMatchObject({
      BACKLOG_INCIDENT_BUS: BUS,
      BACKLOG_RUNBOOK_URL: 'https://wiki.example.com/backlog#failures',
    });
    expect(rights).toEqual([{ Action: 'events:PutEvents', Effect: 'Allow', Resource: BUS }]);
  });

  it('leaves no trace where there is none', () => {
    const { variables, rights } = synthesized({}, false);
    expect(Object.keys(variables)).not.toContain('BACKLOG_INCIDENT_BUS');
    expect(rights).toEqual([]);
  });

  it('is refused where there is no monitor', () => {
    expect(() => synthesized({ metrics: 'off' })).toThrow(
      'Backlog.incidentBus: expected nothing beside "metrics": "off"',
    );
  });
});
