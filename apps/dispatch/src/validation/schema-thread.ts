import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SchemaAnswer } from './compiled-schemas';
import { Stage } from './schema-question';
import type { SchemaQuestionPart } from './schema-question';

/** Beside this file, built as this one is. */
const WORKER = join(__dirname, `schema-worker${extname(__filename)}`);
/** It ends by itself beyond that. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };
/** It has limits of its own: whoever is silent for this many seconds in which this process was run has met something that they do not stop. */
const MOST_SILENT_S = 15;
const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';

/** A question under way. */
interface Asked {
  answer(answer: SchemaAnswer): void;
  fail(error: Error): void;
  watch: NodeJS.Timeout;
}

/** A thread that holds values against schemas, so that this one never waits for that. It begins with the first question, and anew after its loss. */
export class SchemaThread {
  private worker: Worker | undefined;
  private asked: Asked | undefined;
  private readonly stage = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

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
      this.asked = { answer, fail, watch };
      Atomics.store(this.stage, 0, Stage.sent);
      for (const part of [{ schema }, { value }] satisfies SchemaQuestionPart[]) worker.postMessage(part);
    });
  }

  /** Whoever still waits is told as if the thread were lost. */
  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  private start(): Worker {
    const worker = new Worker(WORKER, { workerData: this.stage, resourceLimits: RESOURCE_LIMITS });
    // It has nothing to do by itself for which a process should live.
    worker.unref();
    worker.on('message', (answer: SchemaAnswer) => this.over()?.answer(answer));
    let fault: NodeJS.ErrnoException | undefined;
    worker.on('error', (error: NodeJS.ErrnoException) => (fault = error));
    // It may have said why, and is gone only now: nobody asks it in between.
    worker.on('exit', () => {
      this.worker = undefined;
      if (fault && fault.code !== OUT_OF_MEMORY) this.over()?.fail(fault);
      else this.over()?.answer(this.lost);
    });
    return worker;
  }

  /** A schema that the thread was lost over had better not be met again; what a value did, another's need not. */
  private get lost(): SchemaAnswer {
    const stage = Atomics.load(this.stage, 0);
    if (stage === Stage.sent) return { verdict: 'stood_still', matchMs: 0 };
    return { verdict: stage === Stage.compiling ? 'schema_unusable' : 'schema_too_expensive', matchMs: 0 };
  }

  /** @returns the question that was under way */
  private over(): Asked | undefined {
    const { asked } = this;
    clearInterval(asked?.watch);
    this.asked = undefined;
    return asked;
  }
}
