// Processes that the bench starts beside the marketplace: each ends with it, however that ends.
import { spawn } from 'node:child_process';

const running = new Set();
process.once('exit', () => {
  for (const pid of running) kill(pid);
});
// Told to end, the bench ends what it started: on exit.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** Has a process end with the bench that was started without this module. @returns what to call once it has ended by itself */
export function endWithBench(pid) {
  running.add(pid);
  return () => running.delete(pid);
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended in this moment.
  }
}

/**
 * @param environment all that it gets, besides the PATH
 * @returns its pid, the first line it writes, and a way to stop it
 */
export async function startProcess(name, command, args, environment = {}, folder = process.cwd()) {
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
    // A pipe that is never written to: its end tells the child that the bench is gone.
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await new Promise((started, failed) => {
    child.once('spawn', started);
    child.once('error', (error) => failed(new Error(`${name} did not start: ${error.message}`)));
  });
  const forget = endWithBench(child.pid);
  void ended.then(forget);
  const firstLine = new Promise((resolve) => {
    child.stdout.once('data', (data) => resolve(String(data).trim()));
  });
  return { pid: child.pid, firstLine, stop: () => (child.kill('SIGTERM'), ended) };
}
