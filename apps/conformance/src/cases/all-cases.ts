import type { ConformanceCase } from '../suite/conformance-case';
import type { EnvironmentName } from '../target/environment-terms';
import { charges } from './charges.cases';
import { features } from './features.cases';
import { formats } from './formats.cases';
import { hangUps } from './hang-ups.cases';
import { idempotency } from './idempotency.cases';
import { keys } from './keys.cases';
import { limits } from './limits.cases';
import { models } from './models.cases';
import { refusals } from './refusals.cases';
import { requestForms } from './request-forms.cases';
import { requestRules } from './request-rules.cases';
import { responses } from './response.cases';
import { routing } from './routing.cases';
import { streams } from './streams.cases';
import { tools } from './tools.cases';

const EVERY: readonly ConformanceCase[] = [
  ...models,
  ...requestForms,
  ...requestRules,
  ...responses,
  ...streams,
  ...tools,
  ...formats,
  ...routing,
  ...charges,
  ...idempotency,
  ...hangUps,
  ...keys,
  ...features,
  ...limits,
  ...refusals,
];

/**
 * The cases of an environment, in the order of the interface's sections.
 * @param only a section: those below it as well, `2` has `2.1`
 */
export function casesOf(environment: EnvironmentName, only?: string): ConformanceCase[] {
  const isAsked = ({ section }: ConformanceCase) =>
    only === undefined || section === only || section.startsWith(`${only}.`);
  return EVERY.filter((each) => (each.only ?? environment) === environment && isAsked(each)).sort(
    (one, other) => (one.section < other.section ? -1 : one.section > other.section ? 1 : 0),
  );
}
