import { USAGE, UsageError, readArguments } from './arguments';
import type { RunArguments } from './arguments';
import { casesOf } from './cases/all-cases';
import { Deviation, NotApplicable } from './deviation';
import { wordsOf } from './report/exchange-words';
import { plain } from './report/plain';
import { redact } from './report/redact';
import { Table, countOf, failuresOf } from './report/table';
import { runSuite } from './suite/run-suite';
import type { CaseResult } from './suite/run-suite';
import { Spending, usdc } from './suite/spending';
import { Target } from './target/target';

type Write = (line: string) => void;

/**
 * Runs the suite as it is called from a terminal.
 * @returns the exit code: 0 nothing failed, 1 something did, 2 it could not be run
 */
export async function runCommand(args: readonly string[], output: Write): Promise<number> {
  const write: Write = (line) => output(plain(line));
  if (args.includes('--help')) {
    write(USAGE);
    return 0;
  }
  try {
    const run = readArguments(args);
    const target = await Target.meet(run.terms);
    try {
      return await runCases(target, run, write);
    } finally {
      target.leave();
    }
  } catch (error) {
    const isExpected = [UsageError, Deviation, NotApplicable].some((kind) => error instanceof kind);
    if (!isExpected) throw error;
    write(redact((error as Error).message));
    return 2;
  }
}

async function runCases(
  target: Target,
  { terms, only, json, atOnce }: RunArguments,
  write: Write,
): Promise<number> {
  const cases = casesOf(terms.environment.name, only);
  if (cases.length === 0) throw new UsageError(`--only ${only}: there is no case of that section`);
  const spending = Spending.of(
    cases.map((each) => each.charges),
    target.models,
  );
  mustAfford(await target.spendable(), spending);
  if (json) {
    const results = await runSuite(target, cases, spending, { atOnce });
    write(JSON.stringify(documentOf(target, results, spending), null, 2));
    return exitCodeOf(results);
  }
  write(`\n  ${terms.baseUrl.href}, ${terms.environment.title}, ${cases.length} cases`);
  write(`  asks ${target.models.chat.id} first; spends at most ${usdc(spending.most)} USDC`);
  const table = new Table(write);
  const results = await runSuite(target, cases, spending, { atOnce, told: (result) => table.add(result) });
  for (const line of failuresOf(results)) write(line);
  const skipped = countOf(results, 'skipped');
  write(
    `\n${countOf(results, 'passed')} passed, ${countOf(results, 'failed')} failed` +
      `${skipped > 0 ? `, ${skipped} skipped` : ''}; ${usdc(spending.spent)} USDC spent`,
  );
  return exitCodeOf(results);
}

/** Else cases would fail for want of money, and the service be blamed for it. @param spendable base units, where the service tells */
function mustAfford(spendable: bigint | undefined, { most }: Spending): void {
  if (spendable === undefined || spendable >= most) return;
  throw new NotApplicable(
    `--key may spend ${usdc(spendable)} USDC, and the cases spend up to ${usdc(most)}: ` +
      'add USDC, raise its budget, or try fewer cases with --only',
  );
}

function exitCodeOf(results: readonly CaseResult[]): number {
  return countOf(results, 'failed') > 0 ? 1 : 0;
}

function documentOf(target: Target, results: readonly CaseResult[], spending: Spending): object {
  return {
    url: target.terms.baseUrl.href,
    environment: target.terms.environment.name,
    announced_usdc: usdc(spending.most),
    spent_usdc: usdc(spending.spent),
    passed: countOf(results, 'passed'),
    failed: countOf(results, 'failed'),
    skipped: countOf(results, 'skipped'),
    results: results.map(({ exchanges, reason, ...result }) => ({
      ...result,
      ...(reason !== undefined && { reason: redact(reason) }),
      ...(result.outcome === 'failed' && { exchanges: exchanges.slice(-2).map((each) => wordsOf(each)) }),
    })),
  };
}
