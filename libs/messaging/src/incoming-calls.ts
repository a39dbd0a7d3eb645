import type { Msg } from 'nats';
import { fromHeaders } from './call-headers';
import type { CallMetadata } from './call-headers';
import {
  MOST_GATHERED_CHARS,
  gatheredError,
  gatheredResult,
  holdsGathered,
  readGatheredCalls,
} from './gathered-calls';
import type { GatheredCall } from './gathered-calls';
import { hasReadableHeaders } from './listen';
import { errorHeaders } from './rpc-errors';
import type { TurnPublisher } from './turn-publisher';

/** Where the answer to one call goes. */
export interface CallAnswer {
  /** @throws RangeError for a result that the server would refuse */
  result(json: string): void;
  /** @param clockMs where the call came too late: by which clock, Unix milliseconds */
  error(code: string, payloadJson: string, clockMs?: number): void;
}

/** A call as it came, unchecked. */
export interface IncomingCall {
  context: CallMetadata;
  /** Undefined when nobody asked for one. */
  answer: CallAnswer | undefined;
  /** @throws SyntaxError */
  read: () => unknown;
}

/** The calls in a message: several, or the one that it is. */
export function callsIn(message: Msg, publisher: TurnPublisher): IncomingCall[] {
  const { reply } = message;
  const gathered = holdsGathered(message.data) ? readGathered(message) : undefined;
  if (gathered) {
    const answers = reply ? new GatheredAnswers(publisher, reply) : undefined;
    return gathered.map(({ context, request }, index) => ({
      context,
      answer: answers?.answer(index),
      read: () => request,
    }));
  }
  const answer = reply ? loneAnswer(publisher, reply) : undefined;
  // They say nothing that a call could not do without.
  const context = hasReadableHeaders(message) ? fromHeaders(message.headers) : {};
  return [{ context, answer, read: () => message.json() }];
}

function readGathered(message: Msg): GatheredCall[] | undefined {
  try {
    return readGatheredCalls(message.json());
  } catch {
    return undefined;
  }
}

/** The answer to a call that came by itself: a message with the result, or with headers that say it is an error (ADR-32). */
function loneAnswer(publisher: TurnPublisher, inbox: string): CallAnswer {
  return {
    result: (json) => publisher.publish(inbox, json),
    error: (code, payloadJson, clockMs) =>
      publisher.publish(inbox, payloadJson, { headers: errorHeaders(code, clockMs) }),
  };
}

/** The answers to calls that came in one message: those of a turn leave in one, with those to the same process's other messages. */
class GatheredAnswers {
  private text = '';

  constructor(
    private readonly publisher: TurnPublisher,
    private readonly inbox: string,
  ) {}

  /** @param index of the call in its message */
  answer(index: number): CallAnswer {
    return {
      result: (json) => this.add(gatheredResult(index, json)),
      error: (_code, payloadJson, clockMs) => this.add(gatheredError(index, payloadJson, clockMs)),
    };
  }

  private add(answer: string): void {
    this.publisher.assertFits(this.inbox, answer);
    if (this.text !== '' && this.text.length + answer.length > MOST_GATHERED_CHARS) this.send();
    if (this.text === '') this.publisher.atFlush(() => this.send());
    this.text += this.text === '' ? answer : `,${answer}`;
  }

  private send(): void {
    if (this.text === '') return;
    const { text } = this;
    this.text = '';
    this.publisher.deliver(this.inbox, Buffer.from(`[${text}]`));
  }
}
