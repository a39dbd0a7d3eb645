import { ApiError } from '../../api/api-error';
import type { ChatBody } from '../../code-samples/chat-samples';
import { before, edited, openCallsOf, repliesGone } from './conversation';
import type { AssistantTurn, ReplyError, Turn } from './conversation';
import { ended, withEvent } from './reply-progress';
import { bodyOf } from './request-body';
import { FIRST_SETTINGS, hindranceIn, problemsIn } from './settings';
import type { Settings } from './settings';
import { EventReader } from './sse';

export interface ChatState {
  settings: Settings;
  turns: readonly Turn[];
  /** Replies that others took the place of, or that came after what was edited: they were paid for all the same. */
  givenUp: readonly AssistantTurn[];
  isRunning: boolean;
}

/** What is typed and not sent yet. It changes with each key, which the conversation is not drawn anew for. */
interface Drafts {
  message: string;
  /** By the calls that they answer. */
  answers: ReadonlyMap<string, string>;
}

/** Sends a request's body. @throws ApiError; what the signal was aborted with */
type Ask = (body: ChatBody, signal: AbortSignal) => Promise<Response>;

/**
 * A conversation and the request that is under way in it. It lives in the page's memory and nowhere else: what is said here is nobody's
 * business.
 */
export class Chat {
  private current: ChatState = { settings: FIRST_SETTINGS, turns: [], givenUp: [], isRunning: false };
  /** Kept for who leaves the page and comes back. */
  readonly drafts: Drafts = { message: '', answers: new Map() };
  private readonly listeners = new Set<() => void>();
  private running: AbortController | undefined;
  private turnCount = 0;

  /** @param nowMs a clock that never goes back */
  constructor(
    private readonly ask: Ask,
    private readonly nowMs = () => performance.now(),
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  readonly state = (): ChatState => this.current;

  change(settings: Partial<Settings>): void {
    this.set({ settings: { ...this.current.settings, ...settings } });
  }

  /** Says something and has it answered. */
  send(content: string): Promise<void> {
    return this.run([...this.withoutFailed(), { role: 'user', id: this.newId(), content }]);
  }

  /** Has a turn of the user answered in other words. */
  edit(turnId: string, content: string): Promise<void> {
    return this.run(edited(this.current.turns, turnId, content));
  }

  /** Has a reply given anew, and what came after it forgotten. */
  regenerate(turnId: string): Promise<void> {
    return this.run(before(this.current.turns, turnId));
  }

  /** Answers the calls of the last reply, each by its id, and has the model go on. */
  answer(answers: ReadonlyMap<string, string>): Promise<void> {
    const { turns } = this.current;
    const answered = openCallsOf(turns).map(({ id, name }): Turn => {
      return { role: 'tool', id: this.newId(), toolCallId: id, name, content: answers.get(id) ?? '' };
    });
    return this.run([...turns, ...answered]);
  }

  stop(): void {
    this.running?.abort();
  }

  /** What a reply that was stopped was charged came to be known. */
  readonly charged = (turnId: string, chargedUsdc: string): void => {
    // What is under way is written by whoever reads its stream.
    if (this.current.isRunning) return;
    const turns = this.current.turns.map((turn) => {
      if (turn.id !== turnId || turn.role !== 'assistant') return turn;
      return { ...turn, facts: { ...turn.facts, chargedUsdc } };
    });
    this.set({ turns });
  };

  /** Forgets the conversation; the settings stay. */
  clear(): void {
    this.stop();
    this.running = undefined;
    this.drafts.answers = new Map();
    this.set({ turns: [], givenUp: [], isRunning: false });
  }

  /** Forgets everything, the settings too. */
  reset(): void {
    this.clear();
    this.drafts.message = '';
    this.set({ settings: FIRST_SETTINGS });
  }

  private async run(turns: readonly Turn[]): Promise<void> {
    const { settings, isRunning } = this.current;
    // What cannot be asked costs nothing of what was said: whoever asks shows what hinders it.
    if (isRunning || hindranceIn(problemsIn(settings)) !== undefined) return;
    // Calls that come now may be of the same ids.
    this.drafts.answers = new Map();
    const controller = new AbortController();
    this.running = controller;
    this.set({ givenUp: [...this.current.givenUp, ...repliesGone(this.current.turns, turns)] });
    const startedMs = this.nowMs();
    let reply: AssistantTurn = {
      ...{ role: 'assistant', id: this.newId(), thoughts: '', content: '', toolCalls: [] },
      ...{ state: 'streaming', facts: { model: settings.model } },
    };
    const show = (next: AssistantTurn) => {
      reply = next;
      // Cleared meanwhile: it belongs to no conversation any more.
      if (this.running === controller) {
        this.set({ turns: [...turns, reply], isRunning: reply.state === 'streaming' });
      }
    };
    show(reply);
    try {
      const response = await this.ask(bodyOf(settings, turns), controller.signal);
      show({ ...reply, facts: { ...reply.facts, ...headFacts(response) } });
      await readStream(response, (events) => {
        show(events.reduce((turn, data) => withEvent(turn, data, this.nowMs() - startedMs), reply));
      });
      show(ended(reply, this.nowMs() - startedMs));
    } catch (error) {
      show(endedBy(error, reply, controller.signal));
    }
  }

  /** What was asked in vain is asked again by asking something else. */
  private withoutFailed(): readonly Turn[] {
    const { turns } = this.current;
    const last = turns.at(-1);
    return last?.role === 'assistant' && last.state === 'failed' ? turns.slice(0, -1) : turns;
  }

  private set(next: Partial<ChatState>): void {
    this.current = { ...this.current, ...next };
    for (const listener of this.listeners) listener();
  }

  private newId(): string {
    return `turn-${++this.turnCount}`;
  }
}

function headFacts({ headers }: Response): { requestId?: string; holdUsdc?: string } {
  const [requestId, holdUsdc] = [headers.get('x-svc-request-id'), headers.get('x-svc-hold-usdc')];
  return { ...(requestId !== null && { requestId }), ...(holdUsdc !== null && { holdUsdc }) };
}

async function readStream(response: Response, take: (events: string[]) => void): Promise<void> {
  if (!response.body) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const events = new EventReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    take(events.push(decoder.decode(value, { stream: true })));
  }
}

function endedBy(error: unknown, reply: AssistantTurn, signal: AbortSignal): AssistantTurn {
  if (signal.aborted) return reply.state === 'streaming' ? { ...reply, state: 'stopped' } : reply;
  const { requestId, holdUsdc } = error instanceof ApiError ? error : reply.facts;
  const facts = {
    ...reply.facts,
    ...(requestId !== undefined && { requestId }),
    ...(holdUsdc !== undefined && { holdUsdc }),
  };
  return { ...reply, facts, state: 'failed', error: replyErrorOf(error) };
}

function replyErrorOf(error: unknown): ReplyError {
  if (!(error instanceof ApiError)) {
    const message = 'The connection broke off before the reply was whole.';
    return { code: 'offline', status: 0, message };
  }
  const { code, message, param, status, retryAfterSeconds } = error;
  return { code, message, param, status, retryAfterSeconds };
}
