import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@svc/local-servers';
import { eventually } from '@svc/testing';

it('serves, and stops in order, though its log cannot be written, as on a full disk', async () => {
  const port = await freePort();
  const node = spawn(process.execPath, [join(__dirname, '..', 'dist', 'main.js')], {
    env: { PATH: process.env.PATH, HTTP_PORT: String(port) },
    stdio: ['ignore', openSync('/dev/full', 'w'), 'ignore'],
  });
  const ended = once(node, 'exit');
  try {
    await eventually(async () => (await fetch(`http://127.0.0.1:${port}/health/live`)).ok);
    node.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  } finally {
    node.kill('SIGKILL');
  }
});
