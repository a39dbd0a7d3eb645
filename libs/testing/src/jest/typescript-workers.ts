import { join } from 'node:path';
import * as threads from 'node:worker_threads';
import type { WorkerOptions } from 'node:worker_threads';

/** jest compiles for its own threads alone; a worker whose code is TypeScript compiles it itself. A set-up file of jest's. */
const COMPILER = join(__dirname, 'typescript-require.cjs');

class TypescriptWorker extends threads.Worker {
  constructor(file: string | URL, options: WorkerOptions = {}) {
    const isTypescript = typeof file === 'string' && !options.eval && file.endsWith('.ts');
    super(file, isTypescript ? { ...options, execArgv: ['--require', COMPILER] } : options);
  }
}

// The module is the process's own, the same for all spec files that it runs.
if (threads.Worker.name !== TypescriptWorker.name) {
  Object.assign(process.getBuiltinModule('node:worker_threads'), { Worker: TypescriptWorker });
}
