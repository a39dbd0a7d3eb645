import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { workspaceRoot } from '@svc/local-servers';
import { readReady } from './marketplace';

/** Runs the published verifier as a user does, with the document on its standard input. */
export function verifyReceipt(document: object): Promise<{ status: number | null; output: string }> {
  const { chainRpc, settlement } = readReady();
  const tool = join(workspaceRoot, 'tools/verify-receipt.mjs');
  const child = spawn(process.execPath, [tool, '-', '--rpc', chainRpc, '--contract', settlement]);
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  child.stderr.on('data', (text: Buffer) => (output += text.toString()));
  child.stdin.end(JSON.stringify(document));
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, output })));
}
