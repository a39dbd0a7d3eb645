import type { components } from '../../api/generated/schema';
import { toBaseUnits } from '../../design/money';

/** Of a stream that failed, the cost alone. */
type ServiceReply = Pick<components['schemas']['ServiceReply'], 'cost_usdc'> &
  Partial<components['schemas']['ServiceReply']>;
type TokenUsage = components['schemas']['TokenUsage'];

export interface ToolCall {
  id: string;
  name: string;
  /** JSON as the model wrote it. */
  arguments: string;
  /** What its server wants back. */
  extraContent?: { [name: string]: unknown };
}

/** What went wrong with a reply; as the gateway said it. */
export interface ReplyError {
  code: string;
  message: string;
  param?: string;
  status: number;
  retryAfterSeconds?: number;
}

/** What is known about a reply beside what it says. */
interface ReplyFacts {
  model: string;
  requestId?: string;
  /** The most that it could have cost, USDC; undefined until it was held, without which there is no usage of it. */
  holdUsdc?: string;
  svc?: ServiceReply;
  usage?: TokenUsage;
  finishReason?: string;
  /** From sending to the first that came of the answer, and to its end. */
  firstTokenMs?: number;
  totalMs?: number;
  /** What a reply that was stopped was charged, USDC, once the gateway can tell. */
  chargedUsdc?: string;
}

export interface UserTurn {
  role: 'user';
  id: string;
  content: string;
}

export interface AssistantTurn {
  role: 'assistant';
  id: string;
  /** What the model thought before it answered, where it tells. */
  thoughts: string;
  content: string;
  toolCalls: ToolCall[];
  /** `stopped`: by who asked. */
  state: 'streaming' | 'done' | 'stopped' | 'failed';
  facts: ReplyFacts;
  error?: ReplyError;
}

export interface ToolTurn {
  role: 'tool';
  id: string;
  toolCallId: string;
  name: string;
  content: string;
}

export type Turn = UserTurn | AssistantTurn | ToolTurn;

/** Calls of the last reply that nobody has answered yet; nothing may be asked before they are. */
export function openCallsOf(turns: readonly Turn[]): ToolCall[] {
  const at = turns.findLastIndex(({ role }) => role === 'assistant');
  const last = turns[at];
  if (last?.role !== 'assistant' || last.state === 'streaming' || last.state === 'failed') return [];
  const answered = new Set(
    turns.slice(at + 1).map((turn) => (turn.role === 'tool' ? turn.toolCallId : undefined)),
  );
  return last.toolCalls.filter(({ id }) => !answered.has(id));
}

/** What the turn said and what led to it, without what came after: it is to be asked again. */
export function before(turns: readonly Turn[], turnId: string): Turn[] {
  const at = turns.findIndex(({ id }) => id === turnId);
  return at === -1 ? [...turns] : turns.slice(0, at);
}

/** The turn of the user with other words; what came after it is gone. */
export function edited(turns: readonly Turn[], turnId: string, content: string): Turn[] {
  const turn = turns.find(({ id }) => id === turnId);
  if (turn?.role !== 'user') return [...turns];
  return [...before(turns, turnId), { ...turn, content }];
}

/** The replies of a conversation that are none of it any more as it goes on. */
export function repliesGone(turns: readonly Turn[], next: readonly Turn[]): AssistantTurn[] {
  const kept = new Set(next.map(({ id }) => id));
  return turns.filter((turn) => turn.role === 'assistant').filter(({ id }) => !kept.has(id));
}

/** What all replies cost together, base units; those whose cost nobody told here are counted apart. */
export function costOf(turns: readonly Turn[]): { base: bigint; replies: number; unknown: number } {
  let base = 0n;
  let replies = 0;
  let unknown = 0;
  for (const turn of turns) {
    if (turn.role !== 'assistant') continue;
    const cost = turn.facts.svc?.cost_usdc ?? turn.facts.chargedUsdc;
    if (cost !== undefined) {
      base += toBaseUnits(cost);
      replies++;
    } else if (turn.state === 'stopped') unknown++;
  }
  return { base, replies, unknown };
}
