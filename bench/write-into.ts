import { readFileSync, writeFileSync } from 'node:fs';

/** Puts what was measured into its page, between the marks of that name. */
export function writeInto(page: URL, name: string, measured: string): void {
  const text = readFileSync(page, 'utf8');
  const block = new RegExp(`(?<=<!-- ${name} -->\\n)[\\s\\S]*?(?=<!-- end -->)`);
  if (!block.test(text)) throw new Error(`${page.pathname}: expected the marks of "${name}"`);
  writeFileSync(
    page,
    text.replace(block, () => `${measured}\n`),
  );
}
