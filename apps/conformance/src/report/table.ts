import type { CaseResult } from '../suite/run-suite';
import { redact } from './redact';
import { wordsOf } from './exchange-words';

const MARKS = { passed: '✓', failed: '✗', skipped: '-' } as const;

/** The interface's sections, by their names there. */
const TITLES: Readonly<Record<string, string>> = {
  '1': 'What the service does',
  '2.1': 'Chat completion request',
  '2.2': 'Chat completion response',
  '2.3': 'Model list',
  '2.4': 'Error body',
  '4': 'Endpoints',
  '4.1': 'POST /v1/chat/completions',
  '4.2': 'GET /v1/models',
  '5': 'Authentication',
  '7': 'Errors',
  '8': 'Limits',
  '9': 'Versioning',
};

/** A line for a case; the first of its section has a heading above it. */
export class Table {
  private section: string | undefined;

  constructor(private readonly write: (line: string) => void) {}

  add({ section, promise, outcome, reason }: CaseResult): void {
    if (section !== this.section) {
      this.section = section;
      this.write(`\n  ${section.padEnd(4)} ${TITLES[section] ?? ''}`.trimEnd());
    }
    const why = outcome === 'skipped' ? `  (skipped: ${reason})` : '';
    this.write(redact(`    ${MARKS[outcome]} ${promise}${why}`));
  }
}

/** Each failure with what was said and heard. */
export function failuresOf(results: readonly CaseResult[]): string[] {
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  return failed.flatMap(({ section, promise, reason, exchanges }) => [
    `\n  ✗ ${section} ${promise}`,
    redact(`    ${reason}`),
    // The last ones are what the case ended on.
    ...exchanges.slice(-2).flatMap((exchange) => ['', ...wordsOf(exchange).map((line) => `      ${line}`)]),
  ]);
}

export function countOf(results: readonly CaseResult[], outcome: CaseResult['outcome']): number {
  return results.filter((each) => each.outcome === outcome).length;
}
