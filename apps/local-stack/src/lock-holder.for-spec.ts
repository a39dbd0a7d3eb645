import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * Another process that has called a function of stack-lock.mjs, and lives on.
 * @param tools the folder of that module
 */
export async function lockHolder(tools: string, call: string): Promise<ChildProcess> {
  const script = `
    import { lock, occupy } from ${JSON.stringify(join(tools, 'stack-lock.mjs'))};
    process.on('SIGTERM', () => process.exit(0));
    ${call};
    console.log('done');
    setInterval(() => undefined, 1e6);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
