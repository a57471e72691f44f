import { bundleHandler } from './handler-bundles.js';
import { mkdtempSync, readFileSync, readdirSync, statSync } from 'node:fs';
const d = mkdtempSync('/tmp/bb-');
const { handler, bare } = await bundleHandler('fibonacci', d);
console.log(handler.bytes, bare.bytes, handler.bytes / bare.bytes, handler.files, handler.file);
const { dirname } = await import('node:path');
for (const f of readdirSync(dirname(handler.file))) console.log(f, statSync(dirname(handler.file) + '/' + f).size);
console.log(handler.inputs.filter((i) => /batches|conclude|long-att|json.ts/.test(i)));
process.exit(0);
