import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { WORKSPACE, readText } from './workspace-texts.for-spec';

/** What makes a refusal of a message, which is its first argument; beside `new SvcError({ message })`. */
const MAKERS = /^(?:invalidRequest|notFound|conflict|noCapacity|providerOutputInvalid|internalError)$/;
/** A field’s name may begin it, as it is written; … is filled in elsewhere. */
const SENTENCE = /^(?:[A-Z"`…]|[a-z]\w* (?:must|takes|needs) ).*[^.][.?…]$/;

/** What a literal says, with … for what is filled in; undefined for what is put together elsewhere. */
function wordsOf(node: ts.Expression | undefined): string[] {
  if (!node) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    return [node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')];
  }
  if (ts.isConditionalExpression(node)) return [...wordsOf(node.whenTrue), ...wordsOf(node.whenFalse)];
  if (!ts.isBinaryExpression(node)) return [];
  if (node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) return wordsOf(node.right);
  const [left] = wordsOf(node.left);
  const [right] = wordsOf(node.right);
  return [`${left ?? '…'}${right ?? '…'}`];
}

/** The message among what an error is made of. */
function messageIn(parts: ts.Expression | undefined): ts.Expression | undefined {
  if (!parts || !ts.isObjectLiteralExpression(parts)) return undefined;
  const message = parts.properties.find(
    ({ name }) => name && ts.isIdentifier(name) && name.text === 'message',
  );
  return message && ts.isPropertyAssignment(message) ? message.initializer : undefined;
}

function refusalsIn(path: string): string[] {
  const file = ts.createSourceFile(path, readText(path), ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && MAKERS.test(node.expression.text)) {
      found.push(...wordsOf(node.arguments[0]));
    }
    if (ts.isNewExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'SvcError') {
      found.push(...wordsOf(messageIn(node.arguments?.[0])));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

it.each([
  'apps/billing',
  'apps/catalog',
  'apps/dispatch',
  'apps/gateway',
  'apps/provider-node',
  'libs/errors',
  'libs/messaging',
])('refusals of %s are sentences', (folder) => {
  const source = `${folder}/src`;
  const files = readdirSync(join(WORKSPACE, source), { recursive: true, encoding: 'utf8' });
  const refusals = files
    .filter((path) => path.endsWith('.ts') && !path.endsWith('spec.ts'))
    .flatMap((path) => refusalsIn(join(source, path)).map((words) => ({ path, words })));
  expect(refusals.length).toBeGreaterThan(0);
  expect(refusals.filter(({ words }) => !SENTENCE.test(words))).toEqual([]);
});
