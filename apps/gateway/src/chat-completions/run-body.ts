import { FORWARDED_FIELDS, PROMPT_FIELDS } from '@svc/contracts';
import type { ChatCompletionRequest } from '@svc/openai-api';

/** Bytes to one token, at the least: real tokenizers need fewer tokens than this says. */
const BYTES_PER_TOKEN = 3;
/** What a chat template adds around a message, in tokens. */
const TOKENS_PER_MESSAGE = 8;
/**
 * Characters to one token, at the most: English takes 4 to 5, other scripts and escaped JSON fewer. Characters and not bytes: recent
 * tokenizers put 8 bytes of Russian and 10 of Hindi into a token. What the template adds is less than the JSON around a message.
 */
const MOST_CHARACTERS_PER_TOKEN = 5;
/** Of the prompt, what a request may leave out. */
const [, ...OPTIONAL_PROMPT_FIELDS] = PROMPT_FIELDS;

/** The body that a run carries, as JSON, with what it says about the prompt. */
export interface RunBody {
  json: string;
  bytes: number;
  /** Tokens, an upper bound in practice: ceil(bytes of messages, tools and response_format / 3) + 8 per message. */
  inputEstimate: number;
  /** Tokens, the least that such a prompt is likely to need: only what this says is too long for a context is refused as such. */
  inputLeast: number;
}

/** Serialises a request once: the same text is measured and sent. */
export function runBodyOf(request: ChatCompletionRequest): RunBody {
  const messages = JSON.stringify(request.messages);
  let json = `{"messages":${messages}`;
  let promptBytes = Buffer.byteLength(messages);
  let promptCharacters = messages.length;
  // Beside the prompt's. Put together, the text is measured only by copying it.
  let otherBytes = '{"messages":}'.length;
  for (const field of OPTIONAL_PROMPT_FIELDS) {
    if (request[field] === undefined) continue;
    const text = JSON.stringify(request[field]);
    json += `,"${field}":${text}`;
    promptBytes += Buffer.byteLength(text);
    promptCharacters += text.length;
    otherBytes += `,"${field}":`.length;
  }
  for (const field of FORWARDED_FIELDS) {
    if (request[field] === undefined) continue;
    const member = `,"${field}":${JSON.stringify(request[field])}`;
    json += member;
    otherBytes += Buffer.byteLength(member);
  }
  json += '}';
  return {
    json,
    bytes: promptBytes + otherBytes,
    inputEstimate: Math.ceil(promptBytes / BYTES_PER_TOKEN) + TOKENS_PER_MESSAGE * request.messages.length,
    inputLeast: Math.ceil(promptCharacters / MOST_CHARACTERS_PER_TOKEN),
  };
}
