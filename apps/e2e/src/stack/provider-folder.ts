import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@svc/local-servers';

interface CommandOutcome {
  code: number | null;
  /** Standard output and standard error. */
  output: string;
}

/** An empty folder somewhere, in which somebody becomes a provider with the commands of the README. */
export class ProviderFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'svc-new-provider-'));
  private readonly running = new Set<ChildProcess>();

  file(name: string): string {
    return join(this.path, name);
  }

  /** As an editor would: each text must be there. */
  edit(changes: readonly (readonly [from: string, to: string])[], name = 'svc-provider.yaml'): void {
    let text = readFileSync(this.file(name), 'utf8');
    for (const [from, to] of changes) {
      if (!text.includes(from)) throw new Error(`${name} has no "${from}"`);
      text = text.replace(from, () => to);
    }
    writeFileSync(this.file(name), text);
  }

  /** Runs `svc-provider` to its end. */
  run(args: readonly string[], environment: Record<string, string> = {}): Promise<CommandOutcome> {
    const child = this.spawn(args, environment);
    let output = '';
    child.stdout?.on('data', (text: Buffer) => (output += text.toString()));
    child.stderr?.on('data', (text: Buffer) => (output += text.toString()));
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
  }

  /** What the command says for programs. */
  async json<T>(...args: string[]): Promise<T> {
    const { output } = await this.run([...args, '--json']);
    return JSON.parse(output) as T;
  }

  /** Starts `svc-provider serve`; resolves when it listens. */
  async serve(): Promise<void> {
    const child = this.spawn(['serve'], {});
    await new Promise<void>((resolve, reject) => {
      let output = '';
      child.once('close', (code) => reject(new Error(`svc-provider serve ended with ${code}: ${output}`)));
      child.stdout?.on('data', (text: Buffer) => {
        output += text.toString();
        if (output.includes('"listening')) resolve();
      });
    });
  }

  async remove(): Promise<void> {
    await Promise.all(
      [...this.running].map((child) => {
        const ended = new Promise((resolve) => child.once('close', resolve));
        // npx has children of its own.
        process.kill(-(child.pid ?? 0), 'SIGTERM');
        return ended;
      }),
    );
    rmSync(this.path, { recursive: true, force: true });
  }

  private spawn(args: readonly string[], environment: Record<string, string>): ChildProcess {
    const child = spawn('npx', ['--prefix', workspaceRoot, 'svc-provider', ...args], {
      cwd: this.path,
      env: { ...process.env, npm_config_loglevel: 'error', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.running.add(child);
    child.once('close', () => this.running.delete(child));
    return child;
  }
}
