// Portkey's gateway as npm has it, in a folder of its own: no package of the project's depends on it.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../processes.mjs';

const require = createRequire(import.meta.url);
const VERSION = '1.15.2';
/** Of its own lockfile: with later ones, which its package allows, its streams fail. */
const OVERRIDES = { hono: '4.9.7', '@hono/node-server': '1.13.5' };
const folder = fileURLToPath(new URL(`../../.local/bench-peers/portkey-${VERSION}/`, import.meta.url));
const script = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');

export const PORTKEY = `Portkey ${VERSION}`;

function install() {
  if (existsSync(script)) return;
  mkdirSync(folder, { recursive: true });
  const dependencies = { '@portkey-ai/gateway': VERSION };
  const manifest = { name: 'peer', private: true, dependencies, overrides: OVERRIDES };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, undefined, 2));
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  execFileSync('npm', ['install', ...quiet], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Starts so many processes, each on a port of its own: the generator's connections take them in turn. */
export async function startPortkey(node, upstream, processes) {
  install();
  const started = await Promise.all(Array.from({ length: processes }, () => startOne(node)));
  return {
    pids: started.map(({ pid }) => pid),
    urls: started.map(({ url }) => url),
    headers: {
      authorization: 'Bearer none',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': upstream,
    },
    stop: () => Promise.all(started.map((each) => each.stop())),
  };
}

async function startOne(node) {
  const port = await require('@svc/local-servers').freePort();
  const loopbackOnly = fileURLToPath(new URL('loopback-only.mjs', import.meta.url));
  const args = ['--import', loopbackOnly, script, `--port=${port}`, '--headless'];
  const child = await startProcess('portkey', node, args, { NODE_ENV: 'production' }, folder);
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 150; attempt++) {
    const reply = await fetch(url).catch(() => undefined);
    await reply?.arrayBuffer();
    if (reply) return { ...child, url };
    await pause(100);
  }
  throw new Error('Portkey did not start');
}
