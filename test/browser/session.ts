import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, expect, inject } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** A page that is not there by then will not come. */
const PATIENCE_MS = 15_000;
export const WIDE = { width: 1280, height: 900 };
export const NARROW = { width: 400, height: 800 };

const shared: { browser?: Promise<Browser> } = {};
const open: Watched[] = [];

interface Watched {
  readonly context: BrowserContext;
  /** Things that a page did and no page of the console may do. */
  readonly troubles: string[];
}

/** Fails the test that had a page open which did what no page of the console may do. Each file calls it. */
export function watchPages(): void {
  afterEach(async () => {
    const watched = open.splice(0);
    await Promise.all(watched.map(({ context }) => context.close()));
    expect(watched.flatMap(({ troubles }) => troubles)).toEqual([]);
  });
  afterAll(async () => {
    await (await shared.browser)?.close();
    delete shared.browser;
  });
}

export interface PageOptions {
  readonly scheme?: 'light' | 'dark';
  readonly javaScriptEnabled?: boolean;
  /** False: the test does itself what no page of the console may do. */
  readonly watched?: boolean;
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Default: that of the machine. */
  readonly timezoneId?: string;
}

/**
 * A page in a browser profile of its own.
 *
 * @param origin of the console; a request to anywhere else fails the test
 */
export async function openPage(origin: string, options: PageOptions = {}): Promise<Page> {
  shared.browser ??= chromium.connect(inject('browserAt'), { timeout: PATIENCE_MS });
  const browser = await shared.browser;
  const { scheme = 'light', javaScriptEnabled = true, viewport = WIDE, watched = true, timezoneId } = options;
  const context = await browser.newContext({
    colorScheme: scheme,
    javaScriptEnabled,
    viewport,
    ...(timezoneId ? { timezoneId } : {}),
    // A transition that is under way has other colours than its end.
    reducedMotion: 'reduce',
  });
  const troubles: string[] = [];
  open.push({ context, troubles: watched ? troubles : [] });
  context.setDefaultTimeout(PATIENCE_MS);
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) troubles.push(`asked elsewhere: ${request.url()}`);
  });
  context.on('dialog', (dialog) => {
    troubles.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('weberror', (error) => void troubles.push(`a script failed: ${error.error().message}`));
  context.on('console', (message) => {
    // The browser says so of each page that is not found or not allowed.
    const isStatus = message
      .text()
      .startsWith('Failed to load resource: the server responded with a status of');
    if (message.type() === 'error' && !isStatus) troubles.push(`the browser complains: ${message.text()}`);
  });
  if (javaScriptEnabled) {
    await context.exposeBinding('tellTest', (_, text: string) => void troubles.push(text));
    await context.addInitScript(() => {
      const tell = (text: string) => (window as unknown as { tellTest(text: string): void }).tellTest(text);
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) =>
        tell(`against the policy: ${violatedDirective} ${blockedURI} of ${sourceFile}`),
      );
      // What the hostile texts of these tests would set if they ran.
      Object.defineProperty(window, 'hacked', { set: () => tell('a text of a record ran as a script') });
    });
  }
  return context.newPage();
}

export interface AxeFinding {
  readonly rule: string;
  readonly help: string;
  readonly nodes: readonly string[];
}

/**
 * Findings of axe-core on the page as it is.
 *
 * @param rules default: all, best practices included
 */
export async function axe(page: Page, rules?: readonly string[]): Promise<AxeFinding[]> {
  // Not as a script of the page, which its policy would not allow.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  return page.evaluate(async (only) => {
    const { axe: engine } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await engine.run(document, {
      resultTypes: ['violations'],
      ...(only
        ? { runOnly: { type: 'rule', values: [...only] } }
        : { rules: { 'target-size': { enabled: true } } }),
    });
    return violations.map(({ id, help, nodes }) => ({
      rule: id,
      help,
      nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`),
    }));
  }, rules);
}

/** Pixels by which a page is wider than the window, and the elements that reach out of it. */
export async function overflowOf(page: Page): Promise<{ by: number; of: string[] }> {
  return page.evaluate(() => {
    const by = (document.scrollingElement?.scrollWidth ?? 0) - window.innerWidth;
    if (by <= 0) return { by: 0, of: [] };
    const wide = [...document.body.querySelectorAll('*')].filter(
      (element) => element.getBoundingClientRect().right > window.innerWidth + 1,
    );
    return { by, of: wide.slice(0, 4).map(({ outerHTML }) => outerHTML.slice(0, 160)) };
  });
}
