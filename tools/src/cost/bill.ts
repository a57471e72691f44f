/** A line of a bill. */
export interface Item {
  readonly name: string;
  /** The quantity that is billed in a month. */
  readonly quantity: number;
  /** The unit of the quantity, in the singular, such as `write unit`. */
  readonly unit: string;
  readonly dollars: number;
  /** Origin of the quantity, in the bill of a deployed stack: CloudWatch and DynamoDB, its template, or the model. */
  readonly from?: 'measured' | 'template' | 'model' | undefined;
}

/** Names of lines that are measured or modelled. */
export const LINES = {
  writes: 'DynamoDB, writes',
  reads: 'DynamoDB, reads',
  storage: 'DynamoDB, storage',
  backup: 'DynamoDB, backup (point in time)',
  runs: 'Lambda, runs',
  helpers: 'Lambda, intake and monitor',
  logs: 'CloudWatch, logs',
  metrics: 'CloudWatch, metrics',
  alarms: 'CloudWatch, alarms',
  composites: 'CloudWatch, composite alarm',
  dashboards: 'CloudWatch, dashboard',
} as const;

/** A line whose price is for a million of its units. */
export function perMillion(name: string, quantity: number, unit: string, price: number): Item {
  return { name, quantity, unit, dollars: (quantity / 1e6) * price };
}

/** A line whose price is for one unit. */
export function each(name: string, quantity: number, unit: string, price: number): Item {
  return { name, quantity, unit, dollars: quantity * price };
}

export function totalOf(items: readonly Item[]): number {
  return items.reduce((sum, { dollars }) => sum + dollars, 0);
}

/** Requests and time of a Lambda function. */
export function lambdaItems(
  name: string,
  { requests, seconds, memoryMb }: { requests: number; seconds: number; memoryMb: number },
  prices: { readonly lambdaRequests: number; readonly lambdaTime: number },
): Item[] {
  return [
    perMillion(`${name}, requests`, requests, 'request', prices.lambdaRequests),
    perMillion(`${name}, time`, (seconds * memoryMb) / 1024, 'GB-second', prices.lambdaTime),
  ];
}
