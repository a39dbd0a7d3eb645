import fc from 'fast-check';

/** A model's reply, before a server writes it. */
export interface GeneratedReply {
  reasoning: string;
  reasoningFields: readonly ('reasoning' | 'reasoning_content')[];
  content: string;
  refusal: string;
  calls: readonly { id: string; name: string; arguments: string }[];
  finishReason: string;
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | undefined;
}

/** Decides how something is written. @returns a whole number below `count` */
export type Choose = (count: number) => number;

/** The tools of the requests that are answered. */
export const GENERATED_TOOLS = ['f', 'ff', 'get_weather'].map((name) => ({
  type: 'function',
  function: { name },
}));

const ODD_TEXTS = [
  ...[' ', '\n', '\r\n', '\r', '\t', '\0', '\u200b', '\u2028', '\ufeff', '\u0085', '\u007f', ' '.repeat(20)],
  ...['"', '\\', '\\ud83d', 'data: ', '[DONE]', '"content":"', '{}', '🙂', '👩‍👩‍👧', 'é', '漢'],
];
/** Any but halves of surrogate pairs. fast-check's own (`binary`) makes a table of them all first. */
const character = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
const text = fc
  .array(fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: character, maxLength: 6 })), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''));
const callArguments = fc
  .tuple(
    fc.dictionary(text, fc.oneof(text, fc.integer(), fc.constant(null)), { maxKeys: 3 }),
    fc.constantFrom(undefined, 2),
  )
  .map(([value, indent]) => JSON.stringify(value, null, indent));
const call = fc.record({
  id: fc.string({ minLength: 1, maxLength: 9 }),
  name: fc.constantFrom(...GENERATED_TOOLS.map((tool) => tool.function.name)),
  arguments: callArguments,
});

export const generatedReplies: fc.Arbitrary<GeneratedReply> = fc
  .record({
    reasoning: fc.oneof(fc.constant(''), text),
    reasoningFields: fc.constantFrom(
      ['reasoning'],
      ['reasoning_content'],
      ['reasoning', 'reasoning_content'],
    ),
    content: fc.oneof(text, callArguments),
    refusal: fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: text }),
    calls: fc.oneof(fc.constant([]), fc.uniqueArray(call, { maxLength: 3, selector: ({ id }) => id })),
    finishReason: fc.constantFrom('stop', 'tool_calls', 'length', 'content_filter'),
    usage: fc.option(fc.tuple(fc.integer({ min: 1, max: 900 }), fc.nat(900)), { nil: undefined }),
  })
  .map(({ usage, ...reply }) => ({
    ...reply,
    usage: usage && {
      prompt_tokens: usage[0],
      completion_tokens: usage[1],
      total_tokens: usage[0] + usage[1],
    },
  }));

/** The same numbers for the same seed (Park and Miller's generator). */
export const choosers: fc.Arbitrary<Choose> = fc
  .noShrink(fc.integer({ min: 1, max: 0x7ffffffe }))
  .map((seed) => {
    let state = seed;
    return (count) => {
      state = (state * 48_271) % 0x7fffffff;
      return state % count;
    };
  });

/** JSON as servers write it: with blanks or without, characters as they are or escaped. */
export function someJson(value: object, choose: Choose): string {
  const style = choose(3);
  if (style === 0) return JSON.stringify(value);
  if (style === 1) return JSON.stringify(value, null, 1).replace(/\n */g, ' ');
  return asciiJson(value);
}

/** As Python's servers write it. */
export function asciiJson(value: object): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[\u0080-\uffff]/g, escaped);
}

/** As a reply in one piece. */
export function plainDocument(reply: GeneratedReply, choose: Choose): Buffer {
  const { reasoning, reasoningFields, content, refusal, calls, finishReason, usage } = reply;
  const message = {
    role: 'assistant',
    content,
    refusal: refusal === '' && choose(2) === 0 ? undefined : refusal,
    ...Object.fromEntries(reasoningFields.map((field) => [field, reasoning])),
    tool_calls: calls.map(({ id, ...called }) => ({ id, type: 'function', function: called })),
  };
  const document = { choices: [{ index: 0, message, finish_reason: finishReason }], usage };
  return Buffer.from((choose(4) === 0 ? '\ufeff' : '') + someJson(document, choose));
}

/** The bytes in pieces, cut anywhere. */
export function cutAnywhere(bytes: Buffer, choose: Choose): Buffer[] {
  const longest = [4, 60, Math.max(bytes.length, 1)][choose(3)] ?? 1;
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 1 + choose(longest);
    pieces.push(bytes.subarray(at, end));
    at = end;
  }
  return pieces;
}
