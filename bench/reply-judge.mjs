// What a client gets that goes by OpenAI's API reference and believes what it is told. A reply that claims to be good and is not does harm,
// and so does one that never ends; a failure that is said does not.
export const LONGEST_MS = 15_000;
const MOST_BYTES = 16 * 1_048_576;
const END_REASONS = ['stop', 'length', 'tool_calls', 'content_filter'];

export const WHOLE = 'whole';
export const REFUSED = 'refused';
export const BROKEN_OFF = 'broken off';
/** Begins what a bad reply is called that was passed on as a good one. */
const PASSED_ON = 'passed on: ';
/** Nor after {@link MOST_BYTES}. */
const ENDLESS = 'no end';

/** Of a verdict: the client was told that it has no good reply, or it has one. */
export const isHonest = (verdict) => [WHOLE, REFUSED, BROKEN_OFF].includes(verdict);

class Fault extends Error {}
const must = (fact, otherwise) => {
  if (!fact) throw new Fault(otherwise);
};

/**
 * Asks for a chat completion.
 * @param target URL of the API (with `/v1`) and headers
 * @param body of the request
 * @returns what the client gets: `whole`; `refused`, by status; `broken off`, by an error event or a lost connection; or what does harm
 */
export async function verdictOn({ url, headers }, body) {
  const signal = AbortSignal.timeout(LONGEST_MS);
  try {
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal,
    });
    const text = await textOf(response);
    if (text === undefined) return ENDLESS;
    if (response.status >= 400) return REFUSED;
    must(response.status === 200, `status ${response.status}`);
    const type = response.headers.get('content-type')?.split(';')[0];
    must(type === (body.stream ? 'text/event-stream' : 'application/json'), `content type ${type}`);
    must(text !== NOT_UTF8, 'bytes that are no UTF-8');
    const completion = body.stream ? assembled(eventsOf(text)) : documentOf(text);
    if (completion === BROKEN_OFF) return BROKEN_OFF;
    check(completion, body);
    return WHOLE;
  } catch (error) {
    if (error instanceof Fault) return PASSED_ON + error.message;
    return signal.aborted ? ENDLESS : BROKEN_OFF;
  }
}

const NOT_UTF8 = Symbol('no UTF-8');

/** @returns undefined where there is too much */
async function textOf(response) {
  const parts = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    bytes += part.length;
    if (bytes > MOST_BYTES) return undefined;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    return NOT_UTF8;
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault('no JSON');
  }
}

function documentOf(text) {
  const document = parsed(text);
  must(!document?.error, 'an error with status 200');
  const [choice] = document?.choices ?? [];
  must(choice?.message, 'no message');
  return { ...choice.message, end: choice.finish_reason, usage: document.usage };
}

/** The data of the events, as the standard on server-sent events takes them apart. */
function eventsOf(text) {
  const events = [];
  let data = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line === '') {
      if (data.length > 0) events.push(data.join('\n'));
      data = [];
    } else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
  }
  return events;
}

/** The reply that the chunks of a stream make, or that it was broken off. */
function assembled(events) {
  const reply = { role: undefined, content: '', tool_calls: [], end: undefined, usage: undefined };
  let isDone = false;
  for (const event of events) {
    must(!isDone, 'events after [DONE]');
    if (event === '[DONE]') {
      isDone = true;
      continue;
    }
    const chunk = parsed(event);
    if (chunk?.error) return BROKEN_OFF;
    must(Array.isArray(chunk?.choices), 'an event that is no chunk');
    reply.usage = chunk.usage ?? reply.usage;
    for (const choice of chunk.choices) add(reply, choice);
  }
  must(reply.end !== undefined, 'cut off, and nothing said');
  must(isDone, 'no [DONE]');
  return { ...reply, tool_calls: reply.tool_calls.filter(Boolean) };
}

function add(reply, { delta = {}, finish_reason: end }) {
  reply.role ??= delta.role;
  const { content, tool_calls: calls = [] } = delta;
  must(reply.end === undefined || (!content && calls.length === 0), 'words after the finish reason');
  must(content?.isWellFormed?.() ?? true, 'half a character');
  reply.content += content ?? '';
  for (const { index, id, type, function: part = {} } of calls) {
    must(Number.isInteger(index) && index >= 0, 'a call without a right index');
    const call = (reply.tool_calls[index] ??= { function: { arguments: '' } });
    must(id === undefined || call.id === undefined || call.id === id, 'two calls under one index');
    Object.assign(call, { id: call.id ?? id, type: call.type ?? type });
    call.function.name ??= part.name;
    must(typeof (part.arguments ?? '') === 'string', 'arguments that are no text');
    call.function.arguments += part.arguments ?? '';
  }
  if (end === null || end === undefined) return;
  must(reply.end === undefined || reply.end === end, 'two finish reasons');
  reply.end = end;
}

function check({ role, content, tool_calls: calls = [], end, usage }, { tools = [], max_tokens: most }) {
  must(role === 'assistant', `the role ${role}`);
  must(END_REASONS.includes(end), `the finish reason ${end}`);
  if (tools.length === 0) must(typeof content === 'string' && content !== '', 'no words');
  // What max_tokens cuts off need not be whole, when it is said.
  else if (end !== 'length') {
    must(calls.length > 0 && end === 'tool_calls', 'no call');
    for (const call of calls) checkCall(call, tools);
  }
  must(usage, 'no usage');
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = usage;
  must(
    [input, output, total].every(Number.isInteger) && input + output === total,
    'usage that does not add up',
  );
  must(output <= most, 'usage beyond max_tokens');
}

function checkCall({ id, type, function: called }, tools) {
  must(typeof id === 'string' && id !== '' && type === 'function', 'a call without id or type');
  must(
    tools.some(({ function: { name } }) => name === called.name),
    `a call of ${called.name ?? 'no tool'}`,
  );
  must(typeof called.arguments === 'string', 'arguments that are no text');
  let value;
  try {
    value = JSON.parse(called.arguments);
  } catch {
    throw new Fault('arguments that are no JSON');
  }
  must(typeof value === 'object' && value !== null && !Array.isArray(value), 'arguments that are no object');
}
