import fc from 'fast-check';
import { GatheredEvents } from '../live-run/gathered-events';
import { SseParser } from '../provider-client/sse-parser';
import {
  GENERATED_TOOLS,
  choosers,
  cutAnywhere,
  generatedReplies,
  plainDocument,
} from '../testing/generated-reply.for-spec';
import type { Choose } from '../testing/generated-reply.for-spec';
import { eventStream, streamedChunks } from '../testing/generated-stream.for-spec';
import { ChunkWriter } from '../validation/chunk-writer';
import { InvalidReplyError } from '../validation/invalid-reply.error';
import { replyRulesOf } from '../validation/reply-rules';
import { replySchemas } from '../validation/reply-schemas.for-spec';
import { StreamReply } from '../validation/stream-reply';
import { unseenBytes } from '../validation/unseen-text';
import type { WholeReply } from '../validation/whole-reply';
import { PlainReader, StreamReader } from './reply-readers';
import type { ReplyReader } from './reply-readers';

const MAX_TOKENS = 1_000;
/** The same cases each time. */
const CASES = { seed: 7, numRuns: 100 };

const requests = fc.record({
  tools: fc.constantFrom(undefined, GENERATED_TOOLS, GENERATED_TOOLS),
  parallel_tool_calls: fc.constantFrom(undefined, false),
  response_format: fc.constantFrom(undefined, undefined, { type: 'json_object' }),
  stop: fc.constantFrom(undefined, ['x']),
});

const schemas = replySchemas();

/** What a client has of a reply. */
interface Told {
  content: string;
  refusal: string;
  reasoning: string;
  calls: { name: string; arguments: string }[];
}

interface ClientDelta {
  content?: string;
  refusal?: string;
  reasoning_content?: string;
  tool_calls?: { index: number; function: Told['calls'][number] }[];
}

/** What chunks say together, as official clients add them up. */
function toldBy(chunks: readonly string[]): Told {
  const told: Told = { content: '', refusal: '', reasoning: '', calls: [] };
  for (const chunk of chunks) {
    if (chunk.trim() === '[DONE]') break;
    const [choice] = (JSON.parse(chunk) as { choices: { delta: ClientDelta }[] }).choices;
    const { content, refusal, reasoning_content: reasoning, tool_calls: calls = [] } = choice?.delta ?? {};
    told.content += content ?? '';
    told.refusal += refusal ?? '';
    told.reasoning += reasoning ?? '';
    for (const { index, function: called } of calls) told.calls[index] = called;
  }
  return told;
}

function eventsIn(text: string): string[] {
  const events: string[] = [];
  new SseParser((data) => events.push(data) > 0, Infinity).push(text);
  return events;
}

function toldAtOnce({ content, refusal, reasoning, toolCalls }: WholeReply): Told {
  const calls = toolCalls.map(({ name, arguments: text }) => ({ name, arguments: text }));
  return { content: content ?? '', refusal: refusal ?? '', reasoning: reasoning ?? '', calls };
}

/** How it ended, and what is charged for. */
function judgement(read: WholeReply | string): unknown {
  if (typeof read === 'string') return read;
  const { finishReason, usage, outputBytes, unwantedBytes, unseenBytes: unseen, lack, reasoningField } = read;
  return { finishReason, usage, outputBytes, unwantedBytes, unseen, lack, reasoningField };
}

/** @returns the reply, or why it is refused */
async function readBy(reader: ReplyReader, bytes: Buffer, choose: Choose): Promise<WholeReply | string> {
  try {
    for (const piece of cutAnywhere(bytes, choose)) if (!reader.take(piece, 1)) break;
    return await reader.conclude();
  } catch (error) {
    if (InvalidReplyError.is(error)) return error.reason;
    throw error;
  }
}

async function readStream(bytes: Buffer, request: object, choose: Choose) {
  const events = new GatheredEvents();
  const identity = { completionId: 'chatcmpl-1', created: 7, model: 'svc/m@1', fingerprint: 'b:p' };
  const writer = new ChunkWriter(identity, false, events.add);
  const rules = replyRulesOf(request);
  const reply = new StreamReply(rules, schemas, rules.holdContent ? undefined : writer, MAX_TOKENS);
  const reader = new StreamReader(reply, MAX_TOKENS);
  const read = await readBy(reader, bytes, choose);
  const { passedOnBytes } = reader;
  if (typeof read !== 'string') writer.rest(read);
  return { read, told: toldBy(eventsIn(events.toString())), passedOnBytes };
}

function byteLengths({ content, refusal, reasoning }: Told): number {
  const texts = [content, refusal, reasoning];
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text) - unseenBytes(text), 0);
}

describe('a generated reply', () => {
  it('is the same plain and as a stream, however it is written and cut', async () => {
    let delivered = 0;
    const property = fc.asyncProperty(generatedReplies, requests, choosers, async (reply, asked, choose) => {
      const request = JSON.parse(JSON.stringify(asked)) as object;
      const plainReader = new PlainReader(replyRulesOf(request), schemas, MAX_TOKENS);
      const plain = await readBy(plainReader, plainDocument(reply, choose), choose);
      const bytes = eventStream(streamedChunks(reply, choose), choose);
      const streamed = await readStream(bytes, request, choose);
      expect(judgement(streamed.read)).toEqual(judgement(plain));
      if (typeof plain === 'string') return;
      delivered++;
      const { content, refusal, reasoning } = reply;
      expect(streamed.told).toEqual(toldAtOnce(plain));
      expect(streamed.told).toMatchObject({ content, refusal, reasoning });
    });
    await fc.assert(property, CASES);
    expect(delivered).toBeGreaterThan(CASES.numRuns / 3);
  });

  it('of a stream that breaks off anywhere is refused, but for its end; what was passed on is how it began', async () => {
    let refused = 0;
    const property = fc.asyncProperty(generatedReplies, choosers, async (reply, choose) => {
      const request = { tools: GENERATED_TOOLS };
      const whole = eventStream(streamedChunks(reply, choose), choose);
      const [uncut, cut] = [
        await readStream(whole, request, choose),
        await readStream(whole.subarray(0, choose(whole.length)), request, choose),
      ];
      if (typeof cut.read === 'string') {
        refused++;
        for (const field of ['content', 'refusal', 'reasoning'] as const) {
          expect(reply[field].startsWith(cut.told[field])).toBe(true);
        }
        expect(cut.told.calls).toEqual([]);
        expect(cut.passedOnBytes).toBe(byteLengths(cut.told));
      } else {
        expect(cut.told).toEqual(uncut.told);
      }
    });
    await fc.assert(property, CASES);
    expect(refused).toBeGreaterThan(CASES.numRuns / 3);
  });
});
