import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const tools = join(__dirname, '../../../tools');

/** Says that it listens, and which signal asked it to end. */
const listens = (how: string) => `
import { ${how} } from ${JSON.stringify(join(tools, how === 'onStopSignal' ? 'stop-signals.mjs' : 'run.mjs'))};
${how}((signal) => { console.log(signal); process.exit(0); });
setInterval(() => undefined, 1e6);
console.log('listening');`;

interface Ended {
  said: string;
  code: number | null;
}

/** Sends a SIGHUP, and a SIGTERM for a process that ignores it. */
async function hangUp(how: 'onStopSignal' | 'endOnSignal', variables: NodeJS.ProcessEnv): Promise<Ended> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', listens(how)], {
    env: { PATH: process.env.PATH, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (part: Buffer) => (said += part.toString()));
  await once(child.stdout, 'data');
  const ended = once(child, 'close') as Promise<[number | null]>;
  // Signals that wait are delivered in the order of their numbers, and SIGHUP's is the lowest.
  child.kill('SIGHUP');
  child.kill('SIGTERM');
  const [code] = await ended;
  return { said, code };
}

describe('a tool', () => {
  it('ends when its terminal does', async () => {
    expect(await hangUp('onStopSignal', {})).toEqual({ said: 'listening\nSIGHUP\n', code: 0 });
    expect((await hangUp('endOnSignal', {})).code).toBe(129);
  });

  it('outlives its terminal under nohup', async () => {
    const variables = { _: '/usr/bin/nohup' };
    expect(await hangUp('onStopSignal', variables)).toEqual({ said: 'listening\nSIGTERM\n', code: 0 });
    expect((await hangUp('endOnSignal', variables)).code).toBe(143);
  });
});
