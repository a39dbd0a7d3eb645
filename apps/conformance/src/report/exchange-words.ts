import type { Exchange } from '../exchange/exchange';
import { plain } from './plain';
import { redact } from './redact';

const MOST_BODY_CHARS = 2_000;
const TELLING_HEADERS = [
  'content-type',
  'retry-after',
  'allow',
  'x-should-retry',
  'x-svc-request-id',
  'x-svc-hold-usdc',
  'x-svc-idempotent-replay',
];

/** A request and its reply for people: what matters of both, without keys and without what steers a terminal. */
export function wordsOf({ question, status, headers, text }: Exchange): string[] {
  const shown = TELLING_HEADERS.filter((name) => headers[name] !== undefined);
  return [
    `${question.method} ${question.url}`,
    ...Object.entries(question.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...bodyWords(question.body),
    `→ ${status}`,
    ...shown.map((name) => `${name}: ${String(headers[name])}`),
    ...cut(text).split('\n'),
  ].map((line) => plain(redact(line)));
}

function bodyWords(body: Exchange['question']['body']): string[] {
  if (body === undefined) return [];
  if (body instanceof Uint8Array) return [`(${body.length} bytes)`];
  return [cut(typeof body === 'string' ? body : JSON.stringify(body))];
}

function cut(text: string): string {
  return text.length > MOST_BODY_CHARS
    ? `${text.slice(0, MOST_BODY_CHARS)}… (${text.length} characters)`
    : text;
}
