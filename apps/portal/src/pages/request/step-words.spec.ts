import { stepOutcome } from './step-words';

it.each([
  ['served', 'Served', true],
  ['not_tried', 'Not needed', false],
  ['passed_over', 'Passed over by the plan', false],
  ['busy', 'Was busy', false],
  ['connection_lost', 'Broke the connection', true],
  ['wordless', 'Said nothing', true],
  ['a_new_word', 'Failed: a_new_word', true],
  ['constructor', 'Failed: constructor', true],
])('what became of an offer, %s, reads "%s"', (outcome, words, wasAsked) => {
  expect(stepOutcome(outcome)).toMatchObject({ words, wasAsked });
});
