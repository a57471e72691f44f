import { Duration } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ConfigurationError } from '../../src/support/errors.js';
import type { Queue } from '../props/queue.js';
import { grantLook, grantPause } from '../tables/table-grants.js';
import { type BuiltIn, builtIn } from './bundles.js';
import { forReaders } from './for-readers.js';
import { type CommonSettings, ownRoleAndLogs } from './function-settings.js';
import { acknowledgeWidget } from './nag.js';

/** Time to count some hundred thousand records; most looks take a second. */
const TIMEOUT = Duration.seconds(30);

export interface WidgetSettings extends CommonSettings {
  readonly queues: readonly Queue[];
  /** The overview has buttons. */
  readonly canAct: boolean;
}

/** The functions behind the overview on the dashboard. */
export interface Widget {
  /** Draws it, and changes nothing. */
  readonly overview: LambdaFunction;
  /** Does what the buttons say; undefined: there are none. */
  readonly actions: LambdaFunction | undefined;
}

/**
 * Two functions with a role each: a viewer need not be allowed to act. CloudWatch calls them with the rights of the viewer,
 * and no rule calls them: they cost nothing while the dashboard is closed.
 */
export function addWidget(scope: Construct, id: string, { canAct, ...settings }: WidgetSettings): Widget {
  const actions = canAct
    ? widgetFunction(scope, `${id}Actions`, 'widget-actions', settings, {
        description: 'Pauses and resumes queues of the backlog, for the buttons on its dashboard',
      })
    : undefined;
  if (actions) grantPause(actions, settings.tables);
  const overview = widgetFunction(scope, id, 'widget', settings, {
    description: 'Draws the overview of the backlog on its dashboard',
    environment: actions ? { BACKLOG_WIDGET_ACTIONS: actions.functionArn } : {},
  });
  grantLook(overview, settings.tables);
  return { overview, actions };
}

function widgetFunction(
  scope: Construct,
  id: string,
  bundle: BuiltIn,
  { queues, ...common }: Omit<WidgetSettings, 'canAct'>,
  { description, environment }: { description: string; environment?: Readonly<Record<string, string>> },
): LambdaFunction {
  const inner = new Construct(scope, id);
  const lambda = new LambdaFunction(inner, 'Function', {
    ...ownRoleAndLogs(inner, forReaders(queues), { ...common, timeout: TIMEOUT }, environment),
    description,
    ...builtIn(bundle),
  });
  acknowledgeWidget(lambda, common);
  return lambda;
}

/**
 * Grants a viewer of the dashboard what it needs beside the right to see dashboards: to call these functions. Versions
 * and aliases are left out, as the dashboard names the functions themselves.
 */
export function grantCalls(grantee: IGrantable, functions: readonly (IFunction | undefined)[]): Grant {
  const made = functions.flatMap((lambda) => lambda ?? []);
  if (made.length < functions.length) {
    throw new ConfigurationError(
      `Backlog.widget: expected ${functions.length > 1 ? 'true' : 'true or "readOnly"'}, as otherwise there is nothing to grant`,
    );
  }
  return Grant.addToPrincipal({
    grantee,
    actions: ['lambda:InvokeFunction'],
    resourceArns: made.map(({ functionArn }) => functionArn),
  });
}
