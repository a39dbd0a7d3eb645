import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const tools = join(__dirname, '../../../tools');

/** Says that it listens, that it is still there when asked, and which signal asked it to end. */
const listens = (how: string) => `
import { ${how} } from ${JSON.stringify(join(tools, how === 'onStopSignal' ? 'stop-signals.mjs' : 'run.mjs'))};
${how}((signal) => { console.log(signal); process.exit(0); });
process.stdin.on('data', () => console.log('still there'));
console.log('listening');`;

interface Tool {
  kill(signal: NodeJS.Signals): void;
  /** Resolves when it has answered that it is still there. */
  answers(): Promise<unknown>;
  ended: Promise<{ said: string; code: number | null }>;
}

async function start(how: 'onStopSignal' | 'endOnSignal', variables: NodeJS.ProcessEnv = {}): Promise<Tool> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', listens(how)], {
    env: { PATH: process.env.PATH, ...variables },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined);
  let said = '';
  child.stdout.on('data', (part: Buffer) => (said += part.toString()));
  const ended = once(child, 'close').then(([code]) => ({ said, code: code as number | null }));
  await once(child.stdout, 'data');
  const answers = () => {
    child.stdin.write('?');
    return Promise.race([once(child.stdout, 'data'), ended]);
  };
  return { kill: (signal) => child.kill(signal), answers, ended };
}

describe('a tool', () => {
  it('ends when its terminal does', async () => {
    const tools = [await start('onStopSignal'), await start('endOnSignal')];
    for (const tool of tools) tool.kill('SIGHUP');
    const [listening, ending] = await Promise.all(tools.map(({ ended }) => ended));
    expect(listening).toEqual({ said: 'listening\nSIGHUP\n', code: 0 });
    expect(ending?.code).toBe(129);
  });

  it('outlives its terminal under nohup', async () => {
    const variables = { _: '/usr/bin/nohup' };
    const tools = [await start('onStopSignal', variables), await start('endOnSignal', variables)];
    for (const tool of tools) {
      tool.kill('SIGHUP');
      // Asked twice: the first answer may have been on its way before the signal.
      await tool.answers();
      await tool.answers();
      tool.kill('SIGTERM');
    }
    const [listening, ending] = await Promise.all(tools.map(({ ended }) => ended));
    expect(listening).toEqual({ said: 'listening\nstill there\nstill there\nSIGTERM\n', code: 0 });
    expect(ending?.code).toBe(143);
  });
});
