import type { Incident } from 'dynamo-backlog/overview';

/** The part of a stack's runbook about an incident: that which the alarm `Failures` links to, or `Dead`. */
export function runbookPage(runbookUrl: string, state: Incident['state']): string {
  return `${runbookUrl}#${state === 'dead' ? 'dead' : 'failures'}`;
}
