import type { Msg, NatsConnection } from 'nats';
import { MOST_GATHERED_CHARS, gatheredCall, readGatheredAnswers } from './gathered-calls';
import { callsIn } from './incoming-calls';
import { TurnPublisher } from './turn-publisher';

it('answers to gathered calls leave in order, in messages no larger than agreed', () => {
  const sent: string[] = [];
  const publish = (_: string, payload: Uint8Array) => sent.push(Buffer.from(payload).toString());
  const connection = { info: { max_payload: 2 * MOST_GATHERED_CHARS }, publish };
  const publisher = new TurnPublisher(connection as unknown as NatsConnection);
  const lengths = [10, 10, MOST_GATHERED_CHARS / 2, MOST_GATHERED_CHARS / 2, MOST_GATHERED_CHARS + 1, 10];
  const text = `[${lengths.map(() => gatheredCall('{}', {})).join()}]`;
  const message = {
    data: Buffer.from(text),
    reply: '_INBOX.caller.a.1',
    json: () => JSON.parse(text) as unknown,
  };
  for (const [at, { answer }] of callsIn(message as unknown as Msg, publisher).entries()) {
    answer?.result(JSON.stringify('x'.repeat(lengths[at] ?? 0)));
  }
  publisher.flush();
  const answers = sent.map((each) => readGatheredAnswers(JSON.parse(each))?.map(({ index }) => index));
  expect(answers).toEqual([[0, 1, 2], [3], [4], [5]]);
});
