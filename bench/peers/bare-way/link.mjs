// How the processes of the bare way talk over NATS: raw messages, one inbox a process, one write a turn of the event loop.
import { setImmediate } from 'node:timers';
import { connect } from 'nats';

/** @returns `ask` a question of a subject, and `answer` those on a subject: bytes or text in, bytes out */
export async function link(server, name) {
  const connection = await connect({ servers: server, name });
  const inbox = `_INBOX.${name}`;
  const waiting = new Map();
  let asked = 0;
  let said = [];
  const flush = () => {
    const messages = said;
    said = [];
    for (const { subject, payload, reply } of messages) connection.publish(subject, payload, { reply });
  };
  const say = (subject, payload, reply) => {
    if (said.length === 0) setImmediate(flush);
    said.push({ subject, payload, reply });
  };
  const hear = (subject, take) =>
    connection.subscribe(subject, {
      callback: (error, message) => {
        if (error) throw error;
        take(message);
      },
    });
  hear(`${inbox}.*`, ({ subject, data }) => {
    const token = subject.slice(inbox.length + 1);
    waiting.get(token)(data);
    waiting.delete(token);
  });
  const ask = (subject, payload) =>
    new Promise((resolve) => {
      const token = (asked++).toString(36);
      waiting.set(token, resolve);
      say(subject, payload, `${inbox}.${token}`);
    });
  const answer = async (subject, work) => {
    hear(subject, async ({ data, reply }) => say(reply, await work(data)));
    await connection.flush();
  };
  return { ask, answer };
}

/** What a message says, as JSON. */
export const read = (data) => JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.length));
