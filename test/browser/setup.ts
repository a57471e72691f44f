import type { TestProject } from 'vitest/node';
import { startChromium } from './chromium.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of the browser of all tests. */
    browserAt: string;
  }
}

/** One browser for all tests. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = await startChromium();
  provide('browserAt', server.wsEndpoint());
  return () => server.close();
}
