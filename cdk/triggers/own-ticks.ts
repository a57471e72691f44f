import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Tick } from './tick.js';

/** Hourly: a large table takes several runs, and a day whose hour was missed is made up for. */
export function sweepTick(sweep: LambdaFunction): Tick {
  return {
    scope: scopeOf(sweep),
    id: 'Hourly',
    description: 'Backlog: looks for records that no event has reached, if the last look is a day ago',
    every: 3_600,
    enabled: true,
    lambda: sweep,
    events: [{ sweep: true }],
  };
}

/** Every five minutes. */
export function monitorTick(monitor: LambdaFunction): Tick {
  return {
    scope: scopeOf(monitor),
    id: 'Reading',
    description: 'Backlog: reads how much waits, and for how long',
    every: 300,
    enabled: true,
    lambda: monitor,
    events: [{ monitor: true }],
  };
}

/** Rules and schedules stand beside the function that they start. */
function scopeOf({ node }: LambdaFunction): Construct {
  return node.scope as Construct;
}
