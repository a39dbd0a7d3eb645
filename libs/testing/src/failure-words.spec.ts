import { FAILURE_REASONS } from '@svc/contracts';
import { all, readText } from './workspace-texts.for-spec';

/** What becomes of an offer otherwise. */
const NO_FAILURES = ['served', 'stopped', 'not_tried', 'passed_over'];

/** As text: what is checked for a browser cannot import the contracts, whose decorators are another kind. */
it('the portal has words for whatever an attempt may fail with, and for nothing else', () => {
  const text = readText('apps/portal/src/pages/request/step-words.ts');
  const worded = all(text, /^ {2}(\w+): (?:'|\{ words)/gm);
  expect(worded.toSorted()).toEqual([...NO_FAILURES, ...FAILURE_REASONS].toSorted());
});
