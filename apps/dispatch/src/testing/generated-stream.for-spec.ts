import { someJson } from './generated-reply.for-spec';
import type { Choose, GeneratedReply } from './generated-reply.for-spec';

/** The chunks of a stream that says this reply, as JSON, and mostly `[DONE]`: one of the many ways in which servers write it. */
export function streamedChunks(reply: GeneratedReply, choose: Choose): string[] {
  const chunks: Record<string, unknown>[] = deltasOf(reply, choose).map((delta) => chunkOf(delta, choose));
  chunks.push(chunkOf(choose(2) === 0 ? {} : { content: '' }, choose, reply.finishReason));
  addUsage(chunks, reply, choose);
  const events = chunks.map((chunk) => someJson(chunk, choose));
  return choose(4) === 0 ? events : [...events, '[DONE]'];
}

function chunkOf(delta: object, choose: Choose, finishReason?: string): Record<string, unknown> {
  const finish = finishReason ?? (choose(2) === 0 ? null : undefined);
  const choice = { index: 0, delta, logprobs: choose(2) === 0 ? null : undefined, finish_reason: finish };
  return { id: 'x', object: 'chat.completion.chunk', choices: [choice] };
}

/** With the last chunk, on each, or in one of its own. */
function addUsage(chunks: Record<string, unknown>[], { usage }: GeneratedReply, choose: Choose): void {
  const place = choose(3);
  const last = chunks.at(-1);
  if (usage === undefined || last === undefined) return;
  if (place === 0) return void chunks.push({ choices: [], usage });
  if (place === 1) for (const chunk of chunks) chunk.usage = { prompt_tokens: 1, completion_tokens: 1 };
  last.usage = usage;
}

function deltasOf(reply: GeneratedReply, choose: Choose): object[] {
  const { reasoning, reasoningFields, content, refusal } = reply;
  const deltas: object[] = choose(2) === 0 ? [{ role: 'assistant', content: '' }] : [];
  for (const piece of piecesOf(reasoning, choose)) {
    deltas.push(Object.fromEntries(reasoningFields.map((field) => [field, piece])));
  }
  for (const piece of piecesOf(content, choose)) deltas.push({ content: piece });
  for (const piece of piecesOf(refusal, choose)) deltas.push({ refusal: piece });
  deltas.push(...callDeltas(reply, choose));
  return deltas.map((delta) => padded(delta, choose));
}

/** Beside what it says: the role once more, or fields that say nothing. */
function padded(delta: object, choose: Choose): object {
  const padding = [
    {},
    { role: 'assistant' },
    { content: null, refusal: null, tool_calls: null },
    { content: '' },
  ];
  return { ...padding[choose(padding.length)], ...delta };
}

/** Those of several calls by turns, or one after the other; the name and the id once, or with each piece. */
function callDeltas({ calls }: GeneratedReply, choose: Choose): object[] {
  const [repeatsName, repeatsId, takesTurns] = [choose(3) === 0, choose(3) === 0, choose(2) === 0];
  const queues = calls.map(({ id, name, arguments: text }, index) =>
    ['', ...piecesOf(text, choose, true)].map((piece, at) => ({
      index,
      ...((at === 0 || repeatsId) && { id }),
      ...((at === 0 || choose(2) === 0) && { type: 'function' }),
      function: { ...((at === 0 || repeatsName) && { name }), arguments: piece },
    })),
  );
  const deltas: object[] = [];
  for (;;) {
    const left = queues.filter((queue) => queue.length > 0);
    const queue = left[takesTurns ? choose(left.length) : 0];
    if (queue === undefined) return deltas;
    deltas.push({ tool_calls: queue.splice(0, 1 + choose(2)) });
  }
}

/** @param isWhole characters are, else they may be cut between the halves of a surrogate pair */
function piecesOf(text: string, choose: Choose, isWhole = false): string[] {
  const units = isWhole ? [...text] : text.split('');
  const pieces: string[] = [];
  while (units.length > 0) pieces.push(units.splice(0, 1 + choose(6)).join(''));
  if (choose(4) === 0) pieces.push('');
  return pieces;
}

/** The chunks as server-sent events, in one of the forms that are allowed. */
export function eventStream(chunks: readonly string[], choose: Choose): Buffer {
  const lineEnd = ['\n', '\r\n', '\r'][choose(3)] ?? '';
  const beside = [': ping', `: ping${lineEnd}`, 'event: message', 'id: 3', 'database: x'];
  const lines: string[] = [];
  for (const chunk of chunks) {
    if (choose(3) === 0) lines.push(beside[choose(beside.length)] ?? '');
    const field = choose(2) === 0 ? 'data: ' : 'data:';
    // Between the brace and what follows it a line may end.
    const [first, ...others] = chunk.startsWith('{') && choose(4) === 0 ? ['{', chunk.slice(1)] : [chunk];
    lines.push(`${field}${first}`, ...others.map((line) => `${field}${line}`), '');
  }
  return Buffer.from((choose(4) === 0 ? '\ufeff' : '') + lines.map((line) => line + lineEnd).join(''));
}
