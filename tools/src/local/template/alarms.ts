import { alarmsOf } from '../../cloudwatch/template.js';
import type { TemplateResource } from './assembly.js';
import { resolveText } from './intrinsics.js';
import type { LocalAlarms, StackContext } from './local-app.js';

/** Reads the alarms of a stack. None of them keeps an app from its start. */
export function readAlarms({ stack, references, nameOf, resource }: StackContext): LocalAlarms {
  const resolve = (value: unknown) => resolveText(value, references, 'alarm');
  const unknown: string[] = [];
  const shownName = (id: string) => pathName(resource(id)) ?? nameOf(id);
  const alarms = alarmsOf({ Resources: stack.template.Resources ?? {} }, resolve, (id) =>
    unknown.push(shownName(id)),
  );
  return { alarms: alarms.map((alarm) => ({ ...alarm, name: shownName(alarm.id) })), unknown };
}

/** `Failing-orders`, of the construct with the path `Shop/Backlog/Alarms/Failing-orders/Resource`. */
function pathName(resource: TemplateResource | undefined): string | undefined {
  const path: unknown = resource?.Metadata?.['aws:cdk:path'];
  return typeof path === 'string'
    ? path
        .replace(/\/Resource$/, '')
        .split('/')
        .at(-1)
    : undefined;
}
