/** The part of a stack's runbook about incidents: that which the alarm `Failures` links to. */
export function failuresPage(runbookUrl: string): string {
  return `${runbookUrl}#failures`;
}
