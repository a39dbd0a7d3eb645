// The Node that everybody is measured on: newer ones are worth more to some than to others, so that it is one for all.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const VERSION = '24.21.0';

/** @returns the path of Node 24: this one, or npm's package of it, unpacked under `.local` */
export function benchNode() {
  if (process.versions.node.startsWith('24.')) return process.execPath;
  const folder = fileURLToPath(new URL(`../.local/bench-peers/node-${VERSION}/`, import.meta.url));
  const node = join(folder, 'package/bin/node');
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  const name = `node-${process.platform}-${process.arch}@${VERSION}`;
  const packed = execFileSync('npm', ['pack', '--silent', name], { cwd: folder, encoding: 'utf8' });
  execFileSync('tar', ['xzf', packed.trim().split('\n').at(-1)], { cwd: folder });
  return node;
}

export function versionOf(node) {
  return execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1);
}
