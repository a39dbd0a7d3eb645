#!/usr/bin/env node
// The command as npm links it. What it runs is built from src/svc-provider.ts.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = new URL('../dist/svc-provider.js', import.meta.url);
if (existsSync(built)) {
  await import(built.href);
} else {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  process.stderr.write(`svc-provider is not built yet: npm --prefix ${root} run build\n`);
  process.exitCode = 2;
}
