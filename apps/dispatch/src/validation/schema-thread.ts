import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SchemaAnswer } from './compiled-schemas';
import type { SchemaQuestionPart } from './schema-question';

/** Beside this file, built as this one is. */
const WORKER = join(__dirname, `schema-worker${extname(__filename)}`);
/** It ends by itself beyond that. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };
/** It has limits of its own: whoever is silent for so many seconds, in which this process was run, has met something that they do not stop. */
const MOST_SILENT_S = 15;
const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';

/** A question under way. */
interface Asked {
  answer(answer: SchemaAnswer): void;
  fail(error: Error): void;
  sinceMs: number;
  watch: NodeJS.Timeout;
}

/** A thread that holds values against schemas, so that this one never waits for that. It begins with the first question, and anew after its loss. */
export class SchemaThread {
  private worker: Worker | undefined;
  private asked: Asked | undefined;
  /** Of the question under way, the schema: 1 or 0, which the thread writes in memory that outlives it. */
  private readonly isCompiled = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

  /**
   * One question at a time.
   * @param schema a client's JSON Schema, as JSON
   * @throws what is wrong with the thread's own code
   */
  ask(schema: string, value: unknown): Promise<SchemaAnswer> {
    const worker = (this.worker ??= this.start());
    return new Promise((answer, fail) => {
      let seconds = 0;
      const watch = setInterval(() => {
        if (++seconds >= MOST_SILENT_S) void worker.terminate();
      }, 1_000);
      this.asked = { answer, fail, sinceMs: performance.now(), watch };
      Atomics.store(this.isCompiled, 0, 0);
      for (const part of [{ schema }, { value }] satisfies SchemaQuestionPart[]) worker.postMessage(part);
    });
  }

  /** Whoever still waits is told as if the thread were lost. */
  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  private start(): Worker {
    const worker = new Worker(WORKER, { workerData: this.isCompiled, resourceLimits: RESOURCE_LIMITS });
    // It has nothing to do by itself for which a process should live.
    worker.unref();
    worker.on('message', (answer: SchemaAnswer) => this.over()?.answer(answer));
    let fault: NodeJS.ErrnoException | undefined;
    worker.on('error', (error: NodeJS.ErrnoException) => (fault = error));
    // It may have said why, and is gone only now: nobody asks it in between.
    worker.on('exit', () => {
      this.worker = undefined;
      const asked = this.over();
      if (fault && fault.code !== OUT_OF_MEMORY) asked?.fail(fault);
      else asked?.answer(this.lostOver(asked));
    });
    return worker;
  }

  /** A schema that the thread was lost over had better not be met again; what a value did, another's need not. */
  private lostOver({ sinceMs }: Asked): SchemaAnswer {
    const isLasting = Atomics.load(this.isCompiled, 0) === 0;
    return { verdict: 'schema_too_expensive', isLasting, workedMs: performance.now() - sinceMs };
  }

  /** @returns the question that was under way */
  private over(): Asked | undefined {
    const { asked } = this;
    clearInterval(asked?.watch);
    this.asked = undefined;
    return asked;
  }
}
