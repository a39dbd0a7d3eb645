import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, ChatRequest } from '../honest-provider/chat-request';
import { questionOf } from '../honest-provider/chat-request';
import { answerHonestly, answerWithText } from '../honest-provider/honest-model';
import { HonestProvider } from '../honest-provider/honest-provider';

/** How clients are cheated; probes never are. */
export type Swindle = keyof typeof SWINDLES;

/** What probes say. Whoever runs a marketplace's code can read that, so a swindler knows it by heart. */
const WORDS_OF_PROBES = [
  /^Reply with (exactly "|a JSON object)/,
  /^Count from \d+ to \d+ in digits/,
  /^Repeat exactly "/,
  /^What is .* now\?/,
  /^Good morning from /,
  /^How many pieces of item /,
  /^Call save_note /,
  /^Describe Paris in JSON/,
  /^Book a table outdoors /,
];
const CANNED = 'Thank you for asking! All is well here today.';
/** Three bytes each, none of them to be seen. */
const PADDING = '\u200b'.repeat(150);
/** Less than the offers of the cases allow until the first token. */
const MOST_HELD_MS = 3_000;

const SWINDLES = {
  /** There is no model: everybody gets the same words. */
  canned: (request: ChatRequest) => answerWithText(request, CANNED),
  /** Nothing at all, for the price of the prompt. */
  empty: (request: ChatRequest) => answerWithText(request, ''),
  /** The right words, and all claimed that a request allows. */
  inflates: (request: ChatRequest) => claiming(answerHonestly(request), request.max_tokens ?? 0),
  /** The right words, and behind them what nobody sees, a token each. */
  pads: (request: ChatRequest) => {
    const answer = answerHonestly(request);
    const tokens = [...answer.tokens, ...PADDING];
    return claiming({ ...answer, tokens }, tokens.length);
  },
  /** Ten times the prompt. */
  'inflates-prompt': (request: ChatRequest) => {
    const answer = answerHonestly(request);
    return { ...answer, usage: { ...answer.usage, promptTokens: answer.usage.promptTokens * 10 } };
  },
  /** The right words, of which it has room for one request at a time. */
  'sells-its-places': answerHonestly,
} as const satisfies Record<string, (request: ChatRequest) => Answer>;

function claiming(answer: Answer, completionTokens: number): Answer {
  return { ...answer, usage: { ...answer.usage, completionTokens } };
}

/** Whether it is the marketplace that asks, by all that the wording says. */
export function isProbe(request: ChatRequest): boolean {
  const question = questionOf(request);
  return WORDS_OF_PROBES.some((words) => words.test(question));
}

/**
 * Knows every probe by its words and serves those as an honest server; there is no model behind even that. Clients are served as
 * {@link KnowsTheProbes.swindle} says.
 */
export class KnowsTheProbes extends HonestProvider {
  swindle: Swindle | undefined;
  /** Names of the headers of each request for a completion, as they came. */
  readonly headers: string[] = [];
  /** Ends the wait of the client that has the only place. */
  private held: AbortController | undefined;

  protected override async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const names = request.rawHeaders.filter((_, index) => index % 2 === 0);
    if (request.method === 'POST') this.headers.push(names.join(' ').toLowerCase());
    await super.handle(request, response);
  }

  protected override answer(request: ChatRequest): Answer {
    return this.swindle === undefined || isProbe(request)
      ? answerHonestly(request)
      : SWINDLES[this.swindle](request);
  }

  protected override async serve(request: ChatRequest, response: ServerResponse): Promise<void> {
    if (this.swindle !== 'sells-its-places' || isProbe(request)) return super.serve(request, response);
    if (this.held) {
      this.held.abort();
      return void response.writeHead(429).end();
    }
    this.held = new AbortController();
    try {
      // Until another client was refused: those of a busy machine may come one after another.
      await sleep(MOST_HELD_MS, undefined, { signal: this.held.signal }).catch(() => undefined);
      await super.serve(request, response);
    } finally {
      this.held = undefined;
    }
  }
}
