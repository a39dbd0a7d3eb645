import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

interface Finding {
  id: string;
  impact: 'minor' | 'moderate' | 'serious' | 'critical' | null;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** WCAG 2.2 AA, and what is good practice besides. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Looks at the page as it is now with axe; what it finds serious or critical fails.
 * axe comes in through the debugger, which the page's content security policy does not rule.
 */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(`${axe};0`);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, resultTypes: ['violations'] })`;
  const { violations } = await page.evaluate<{ violations: Finding[] }>(
    `${run}.then(({ violations }) => ({ violations }))`,
  );
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(grave.map(inWords)).toEqual([]);
}

function inWords({ id, impact, help, nodes }: Finding): string {
  const places = nodes
    .slice(0, 5)
    .map(({ html, failureSummary }) => `  ${html}\n    ${failureSummary ?? ''}`);
  return `${impact} ${id}: ${help}\n${places.join('\n')}`;
}
