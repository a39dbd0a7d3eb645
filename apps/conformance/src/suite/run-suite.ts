import { NotApplicable } from '../deviation';
import type { Exchange } from '../exchange/exchange';
import type { Target } from '../target/target';
import type { ConformanceCase } from './conformance-case';
import { Conversation } from './conversation';
import type { Spending } from './spending';

export interface CaseResult {
  section: string;
  promise: string;
  outcome: 'passed' | 'failed' | 'skipped';
  /** Why, unless it passed. */
  reason?: string;
  /** What was said and heard. */
  exchanges: readonly Exchange[];
  durationMs: number;
}

interface RunOptions {
  /** How many cases at once; those that need the key for themselves come first, one by one. */
  atOnce?: number;
  /** Is told of each case as it ends, in their order. */
  told?: (result: CaseResult) => void;
}

/** Tries every case. @returns what came of each, in their order */
export async function runSuite(
  target: Target,
  cases: readonly ConformanceCase[],
  spending: Spending,
  { atOnce = 1, told = () => undefined }: RunOptions = {},
): Promise<CaseResult[]> {
  const places = new Places(atOnce);
  let alone = Promise.resolve();
  const runOf = (one: ConformanceCase) => () => runCase(target, one, spending);
  const began = new Map<ConformanceCase, Promise<CaseResult>>();
  for (const one of cases.filter((each) => each.alone)) {
    const run = alone.then(runOf(one));
    began.set(one, run);
    alone = run.then(() => undefined);
  }
  for (const one of cases.filter((each) => !each.alone)) {
    began.set(
      one,
      alone.then(() => places.take(runOf(one))),
    );
  }
  const results: CaseResult[] = [];
  for (const one of cases) {
    const result = await began.get(one);
    if (!result) continue;
    results.push(result);
    told(result);
  }
  return results;
}

/** Lets a given number work at once; the others wait, in their order. */
class Places {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}

async function runCase(target: Target, one: ConformanceCase, spending: Spending): Promise<CaseResult> {
  const { section, promise } = one;
  const conversation = new Conversation(target, spending);
  const startedMs = performance.now();
  const result = (outcome: CaseResult['outcome'], reason?: string): CaseResult => ({
    section,
    promise,
    outcome,
    reason,
    exchanges: conversation.exchanges,
    durationMs: Math.round(performance.now() - startedMs),
  });
  if (one.charges && spending.isUsedUp) return result('failed', 'more than announced was spent already');
  try {
    await one.run(conversation);
    return result('passed');
  } catch (error) {
    if (error instanceof NotApplicable) return result('skipped', error.message);
    return result('failed', error instanceof Error ? error.message : String(error));
  }
}
